"""Reading stored conversations and turns over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from footnote.answer.messages import message
from footnote.errors import ModelTimeout
from footnote.memory.room_marks import load_marks
from footnote.ports import Delta
from footnote.settings import LLM
from footnote.types import Caller, Feedback, Usage
from footnote_query.app import create_app
from tests.conftest import HandClock
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, LOCAL, QUESTION, OpenSite, Site, as_caller, read_events
from tests.turns import make_turn, stored

ANN = Caller("ann", frozenset({"staff"}))
BEN = Caller("ben", frozenset({"staff"}))
PAY = "The bridge warden was paid 900 crowns."


def client_of(site: Site, caller: Caller) -> httpx.AsyncClient:
    """A client of another caller on the same data."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(as_caller(caller, create_app)(lambda: site.core)), base_url="http://footnote.test"
    )


async def ask(site: Site, **fields: Any) -> dict[str, Any]:
    reply = await site.client.post("/ask", json=ASK | fields)
    assert reply.status_code == 200
    return reply.json()


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site()


async def test_a_stored_turn_is_the_reply_with_its_feedback(site: Site, clock: HandClock) -> None:
    asked_at = clock.now
    reply = await ask(site, room_id="r1")
    await site.core.feedback.put(Caller("local"), Feedback(reply["trace_id"], "local", "down"))
    turn = (await site.client.get(f"/turns/{reply['trace_id']}")).json()
    steps, latency_ms = turn.pop("steps"), turn.pop("latency_ms")
    assert turn == {
        **{name: value for name, value in reply.items() if name != "latency_ms"},
        "question": QUESTION,
        "created_at": asked_at,
        "status": "done",
        "feedback": "down",
    }
    assert (turn["room_id"], turn["hits"][0]["content"], turn["hits"][0]["withdrawn"]) == ("r1", BRIDGE[0], False)
    assert 0 < latency_ms <= reply["latency_ms"]
    names = [step["name"] for step in steps]
    assert names[:2] == ["guard", "open"]
    assert steps[names.index("read")]["out"] == {"hits": 1}
    assert (await site.client.get("/conversations/r1")).json() == {
        "data": [turn | {"steps": steps, "latency_ms": latency_ms}],
        "has_more": False,
        "last_id": reply["trace_id"],
    }


async def test_a_streams_end_and_a_plain_reply_have_the_same_fields(site: Site) -> None:
    reply = await ask(site)
    done = read_events((await site.client.post("/ask/stream", json=ASK | {"room_id": "r7"})).text)[-1]
    assert set(done) == {"type", *reply} - {"debug"}
    assert (done["room_id"], done["searched_for"], reply["room_id"]) == ("r7", [QUESTION], reply["trace_id"])


async def test_conversations_are_pages_the_last_used_one_first_and_of_all_apis(site: Site, clock: HandClock) -> None:
    await ask(site, room_id="r1")
    clock.advance(5)
    await site.client.post("/chat", json={"query": "Who crosses the river?", "session_id": "a/b?"})
    await ask(site)
    clock.advance(5)
    await ask(site, room_id="r1", query_text="What colour is the bridge?")
    first = {"room_id": "r1", "title": QUESTION, "turns": 2, "updated_at": clock.now, "pinned": False}
    second = {"room_id": "a/b?", "title": "Who crosses the river?", "turns": 1, "updated_at": clock.now - 5, "pinned": False}
    assert (await site.client.get("/conversations")).json() == {"data": [first, second], "has_more": False, "last_id": "a/b?"}
    page = (await site.client.get("/conversations", params={"limit": 1})).json()
    assert page == {"data": [first], "has_more": True, "last_id": "r1"}
    page = (await site.client.get("/conversations", params={"limit": 1, "after": "r1"})).json()
    assert page == {"data": [second], "has_more": False, "last_id": "a/b?"}
    turns = (await site.client.get("/conversations/a%2Fb%3F")).json()["data"]
    assert [(turn["question"], turn["citations"][0]["number"]) for turn in turns] == [("Who crosses the river?", 1)]
    turns = (await site.client.get("/conversations/r1", params={"limit": 1})).json()
    assert ([turn["question"] for turn in turns["data"]], turns["has_more"]) == ([QUESTION], True)
    turns = (await site.client.get("/conversations/r1", params={"after": turns["last_id"]})).json()
    assert ([turn["question"] for turn in turns["data"]], turns["has_more"]) == (["What colour is the bridge?"], False)


async def test_a_follow_up_is_understood_by_the_turns_of_its_own_room_alone(site: Site) -> None:
    await ask(site, room_id="r1")
    for room_id, searched_for in ((None, "What colour is it?"), ("r2", "What colour is it?"), ("r1", "What colour is it? bridge built")):
        turn = await ask(site, room_id=room_id, query_text="What colour is it?")
        assert turn["searched_for"] == [searched_for]


async def test_a_deleted_conversation_is_gone_with_its_turns(site: Site) -> None:
    trace_id = (await ask(site, room_id="r1"))["trace_id"]
    kept = (await ask(site, room_id="r2"))["trace_id"]
    reply = await site.client.delete("/conversations/r1")
    assert (reply.status_code, reply.content) == (204, b"")
    for method, path in (("GET", "/conversations/r1"), ("DELETE", "/conversations/r1"), ("GET", f"/turns/{trace_id}")):
        reply = await site.client.request(method, path)
        assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")
    assert [room["room_id"] for room in (await site.client.get("/conversations")).json()["data"]] == ["r2"]
    assert (await site.client.get(f"/turns/{kept}")).status_code == 200


@pytest.mark.parametrize("room_id", ["a/b", "/", "a\nb", "a\n", "%2F", "?#", " "])
async def test_a_conversation_is_read_and_deleted_whatever_its_name(room_id: str, site: Site) -> None:
    await ask(site, room_id=room_id)
    path = f"/conversations/{quote(room_id, safe='')}"
    assert len((await site.client.get(path)).json()["data"]) == 1
    assert (await site.client.delete(path)).status_code == 204
    assert (await site.client.get("/conversations")).json()["data"] == []


async def test_a_conversation_is_renamed_and_pinned_until_it_is_deleted(site: Site) -> None:
    for room_id in ("r1", "a/b"):
        await ask(site, room_id=room_id)

    async def listed() -> dict[str, tuple[str, bool]]:
        found = (await site.client.get("/conversations")).json()["data"]
        return {room["room_id"]: (room["title"], room["pinned"]) for room in found}

    reply = await site.client.patch("/conversations/a%2Fb", json={"title": "  다리 “1894” "})
    assert (reply.status_code, reply.json()) == (200, {"title": "다리 “1894”", "pinned": False})
    assert (await site.client.patch("/conversations/a%2Fb", json={"pinned": True})).json()["title"] == "다리 “1894”"
    assert await listed() == {"r1": (QUESTION, False), "a/b": ("다리 “1894”", True)}
    assert (await site.client.patch("/conversations/a%2Fb", json={"title": None})).status_code == 200
    assert await listed() == {"r1": (QUESTION, False), "a/b": (QUESTION, True)}
    await site.client.delete("/conversations/a%2Fb")
    await ask(site, room_id="a/b")
    assert await listed() == {"r1": (QUESTION, False), "a/b": (QUESTION, False)}


@pytest.mark.parametrize(
    "body", [{"title": ""}, {"title": " \n"}, {"title": "a\nb"}, {"title": "x" * 121}, {"pinned": None}, {"pinned": "?"}]
)
async def test_a_name_that_cannot_be_shown_is_refused(body: dict[str, Any], site: Site) -> None:
    await ask(site, room_id="r1")
    assert (await site.client.patch("/conversations/r1", json=body)).status_code == 422
    assert (await site.client.patch("/conversations/r2", json={"pinned": True})).status_code == 404


async def test_names_of_conversations_go_with_their_users_data_or_when_their_time_is_over(open_site: OpenSite) -> None:
    site = await open_site(caller=ANN)
    await ask(site, room_id="r1")
    await site.client.patch("/conversations/r1", json={"title": "Mine"})
    async with client_of(site, BEN) as ben:
        await ben.post("/ask", json=ASK | {"room_id": "r1"})
        assert [room["title"] for room in (await ben.get("/conversations")).json()["data"]] == [QUESTION]
        await ben.patch("/conversations/r1", json={"title": "Ben's"})
        await site.client.delete("/me/data")
        assert [mark.title for mark in (await load_marks(site.core.records, "ann")).values()] == []
        assert [mark.title for mark in (await load_marks(site.core.records, "ben")).values()] == ["Ben's"]
        await site.core.turns.delete_all_of(BEN)  # as when its turns are past their time
        assert (await ben.get("/conversations")).json()["data"] == []
    assert await load_marks(site.core.records, "ben") == {}


async def test_a_stored_answer_is_withheld_once_its_sources_are_unreadable(open_site: OpenSite) -> None:
    site = await open_site(caller=ANN)
    await put_document(site.core.generations, make_document("pay"), [PAY])
    reply = await ask(site, query_text="What was the bridge warden paid?", room_id="r1")
    shown = {hit["doc_id"]: (hit["content"], hit["withdrawn"]) for hit in reply["hits"]}
    assert shown == {"pay": (PAY, False), "bridge": (BRIDGE[0], False)}
    await put_document(site.core.generations, make_document("pay", generation=2, groups=("hr",)), [PAY])
    room, turn = await site.client.get("/conversations/r1"), await site.client.get(f"/turns/{reply['trace_id']}")
    for body in (room.json()["data"][0], turn.json()):
        assert (body["outcome"], body["answer"]) == ("withdrawn", message("withdrawn", "en"))
        assert (body["citations"], body["hits"], body["question"]) == ([], [], "What was the bridge warden paid?")


async def test_an_interrupted_agents_answer_is_not_stored_because_its_sources_are_unknown(open_site: OpenSite) -> None:
    site = await open_site(" ".join(f"Pier {number} was built of stone." for number in range(20)), ModelTimeout("late"))
    events = read_events((await site.client.post("/ask/stream", json=ASK | {"room_id": "r1", "mode": "pa"})).text)
    assert events[-1]["final_response"].startswith("Pier 0 was built of stone.")
    (turn,) = (await site.client.get("/conversations/r1")).json()["data"]
    assert (turn["status"], turn["answer"]) == ("error", "")


async def test_a_failed_turn_is_stored_with_its_question_and_the_text_sent(open_site: OpenSite) -> None:
    site = await open_site("It was built ", ModelTimeout("late"))
    events = read_events((await site.client.post("/ask/stream", json=ASK | {"room_id": "r1"})).text)
    (turn,) = (await site.client.get("/conversations/r1")).json()["data"]
    assert (turn["status"], turn["question"], turn["answer"]) == ("error", QUESTION, "It was built")
    assert turn["trace_id"] == events[-1]["trace_id"]
    assert events[-1]["final_response"] == "It was built"
    assert [step["status"] for step in turn["steps"] if step["name"] == "generate"] == ["failed"]


async def test_a_rejected_question_with_a_lone_surrogate_is_listed(site: Site) -> None:
    body = json.dumps(ASK | {"query_text": "\ud800", "room_id": "r1"})
    reply = await site.client.post("/ask", content=body, headers={"content-type": "application/json"})
    assert reply.json()["title"] == "The question was not accepted"
    assert [room["title"] for room in (await site.client.get("/conversations")).json()["data"]] == ["\ufffd"]
    assert [turn["question"] for turn in (await site.client.get("/conversations/r1")).json()["data"]] == ["\ufffd"]


async def test_a_turn_that_was_blocked_says_so_later_too(site: Site) -> None:
    await site.core.turns.save(stored(make_turn(trace_id="t1", caller=LOCAL, outcome="blocked", lang="de"), "error"))
    turn = (await site.client.get("/turns/t1")).json()
    assert (turn["outcome"], turn["answer"]) == ("blocked", message("blocked", "de"))
    (end,) = read_events((await site.client.post("/ask/stream", json=ASK, headers={"last-event-id": "t1.0"})).text)
    assert (end["type"], end["answer"]) == ("done", message("blocked", "de"))


@pytest.mark.parametrize(
    ("prices", "cost"), [({"input_price": 2.0, "output_price": 8.0}, 0.0068), ({"input_price": 2.0}, None), ({}, None)]
)
async def test_an_answer_costs_its_tokens_at_the_models_prices(prices: dict[str, float], cost: float | None, open_site: OpenSite) -> None:
    site = await open_site("In 1894 [^bridge].", Delta(usage=Usage(3000, 100)), llm=LLM(discover=False, **prices))
    assert (await ask(site))["cost"] == cost


@pytest.mark.parametrize("room_id", ["r" * 201, 7, "\ud800"])
async def test_an_invalid_room_is_refused(room_id: Any, site: Site) -> None:
    reply = await site.client.post("/ask", content=json.dumps(ASK | {"room_id": room_id}), headers={"content-type": "application/json"})
    assert (reply.status_code, "room_id" in reply.json()["detail"]) == (422, True)


@pytest.mark.parametrize("path", ["/conversations?limit=0", "/conversations?limit=201", "/conversations/r1?limit=0"])
async def test_a_page_has_a_sensible_size(path: str, site: Site) -> None:
    assert (await site.client.get(path)).status_code == 422


class LastFirst:
    """A model that answers the first question last: each reply waits for the next one, the last one for the test."""

    name = "last-first"

    def __init__(self, questions: int) -> None:
        self.answered = [asyncio.Event() for _ in range(questions + 1)]

    def begin(self) -> None:
        self.answered[-1].set()

    async def stream(self, messages: Any, **options: Any) -> AsyncIterator[Delta]:
        number = int(re.findall(r"no\. (\d+)", messages[-1].content)[-1])
        await self.answered[number + 1].wait()
        self.answered[number].set()
        yield Delta(f"In 1894, no. {number} [^bridge].")


async def test_twenty_turns_at_once_in_one_room_keep_the_order_in_which_they_were_asked(site: Site, clock: HandClock) -> None:
    model = site.core.models.model = LastFirst(20)

    async def ask_it(number: int) -> None:
        assert f"no. {number}" in (await ask(site, query_text=f"When was the bridge no. {number} built?", room_id="r1"))["answer"]

    async with asyncio.timeout(20):
        asked = []
        for number in range(20):
            asked.append(asyncio.create_task(ask_it(number)))
            while (await site.core.turns.rooms(LOCAL, 1)).data == () or (await site.core.turns.rooms(LOCAL, 1)).data[0].turns <= number:
                await asyncio.sleep(0)
            clock.advance(0.001)
        turns = (await site.client.get("/conversations/r1")).json()["data"]
        assert {turn["status"] for turn in turns} == {"idle"}
        model.begin()
        await asyncio.gather(*asked)
    turns = (await site.client.get("/conversations/r1")).json()["data"]
    assert [turn["question"] for turn in turns] == [f"When was the bridge no. {number} built?" for number in range(20)]
    assert {turn["status"] for turn in turns} == {"done"}
