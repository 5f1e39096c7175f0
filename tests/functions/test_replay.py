"""A stored turn is asked again: the same gates, nothing is kept, and the reply compares both turns."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.ports import Delta
from footnote.settings import LLM, Budget
from footnote.types import Caller, Feedback, Usage
from tests.conftest import HandClock
from tests.fakes import make_document, put_document, work_all
from tests.functions.conftest import ASK, LOCAL, QUESTION, OpenSite, Site
from tests.functions.test_conversations import client_of
from tests.functions.test_traces import ANN
from tests.turns import make_turn, stored

BEN = Caller("ben", frozenset({"staff"}))
BOSS = Caller("boss", frozenset({"staff"}), role="admin")
PAID = LLM(discover=False, input_price=10, output_price=20)
PAY = "The bridge was built in 1894 by a warden who was paid 900 crowns."


async def ask(client: httpx.AsyncClient, **fields: Any) -> str:
    reply = await client.post("/ask", json=ASK | fields)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["trace_id"])


async def replay(client: httpx.AsyncClient, trace_id: str, **body: Any) -> dict[str, Any]:
    reply = await client.post(f"/turns/{trace_id}/replay", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def marks(found: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(hit["chunk_id"], hit["old"], hit["new"]) for hit in found["hits"]]


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site(caller=ANN)


@pytest.fixture
async def trace_id(site: Site) -> str:
    """A stored turn."""
    return await ask(site.client)


async def test_a_turn_that_nothing_changed_since_is_answered_alike(site: Site, clock: HandClock) -> None:
    asked_at = clock()
    trace_id = await ask(site.client)
    clock.advance(60)
    found = await replay(site.client, trace_id)
    turn = (await site.client.get(f"/turns/{trace_id}")).json()
    assert (found["trace_id"], found["question"], found["created_at"]) == (trace_id, QUESTION, asked_at)
    assert (await site.client.post(f"/turns/{trace_id}/replay")).status_code == 200  # the body may be left out
    for side in (found["old"], found["new"]):
        assert {name: side[name] for name in ("answer", "citations", "tier", "outcome", "verdict", "model", "extractive")} == {
            name: turn[name] for name in ("answer", "citations", "tier", "outcome", "verdict", "model", "extractive")
        }
    assert found["old"]["plan"] == found["new"]["plan"]
    assert "refine" in found["old"]["plan"]["options"]
    assert [(run["side"], run["text"]) for run in found["words"]] == [("both", turn["answer"].replace(" [^bridge]", ""))]
    assert (found["options"], marks(found)) == ([], [("bridge#000", 1, 1)])
    ran = {step["name"]: step for step in found["steps"]}
    assert (ran["open"]["new"], ran["find_answer"]["new"], "spend" in ran) == (None, None, False)
    assert {name for name, step in ran.items() if step["old"] and step["new"]} >= {"guard", "search", "quote"}
    assert ran["search"]["new"]["ms"] > 0


async def test_a_replay_with_other_settings_says_what_they_change(site: Site, trace_id: str) -> None:
    found = await replay(site.client, trace_id, level="basic", retriever="bm25", num_result_doc=1, spelling=False)
    assert [found["new"]["plan"][name] for name in ("level", "retriever", "limit")] == ["basic", "bm25", 1]
    assert [found["old"]["plan"][name] for name in ("level", "retriever", "limit")] == ["standard", "rrf", 5]
    changed = {each["name"]: (each["is_on"], each["because"]) for each in found["options"]}
    assert changed["rerank" if "rerank" in changed else "support_check"] == (False, "level basic")
    assert changed["spelling"] == (False, "request")


@pytest.mark.parametrize("way", ["deleted", "hidden"])
async def test_a_document_that_is_gone_for_the_reader_is_in_neither_turn(way: str, site: Site) -> None:
    added = await site.core.ingestor.accept(
        LOCAL, PAY.encode(), file_name="Wages.txt", collection="default", permission_groups=["staff", "board"]
    )
    await work_all(site.core)
    trace_id = await ask(site.client)
    assert "crowns" in (await site.client.get(f"/turns/{trace_id}")).text
    if way == "deleted":
        await site.core.ingestor.delete(LOCAL, added.doc_id)
        reader = site.client
    else:
        reader = client_of(site, Caller("ann"))
    found = await replay(reader, trace_id)
    assert "crowns" not in str(found)
    assert "Wages" not in str(found)
    assert (found["old"]["outcome"], found["old"]["citations"]) == ("withdrawn", [])
    assert found["new"]["citations"][0]["doc_id"] == "bridge"
    assert marks(found) == [("bridge#000", None, 1)]


async def test_a_new_document_appears_and_moves_the_others(site: Site, trace_id: str) -> None:
    await put_document(site.core.generations, make_document("second", title="Chronicle", groups=("staff",)), ["The bridge was built when?"])
    found = await replay(site.client, trace_id)
    ranks = {hit["title"]: (hit["old"], hit["new"]) for hit in found["hits"]}
    assert ranks["Chronicle"][0] is None
    assert sorted(new for _, new in ranks.values()) == [1, 2]


async def rated(site: Site, trace_id: str, caller: Caller = ANN) -> str:
    await site.core.feedback.put(caller, Feedback(trace_id, caller.user_id, "down", created_at=site.core.clock()))
    return trace_id


async def test_an_admin_replays_what_feedback_shows_them_with_their_own_permissions(site: Site) -> None:
    for doc_id, group in (("bridge", "staff"), ("ferry", "board")):
        await register(site.core, doc_id, group)
    await put_document(
        site.core.generations, make_document("ferry", title="Zq board", groups=("board",)), ["Built in 1896: zqsecret bridge."]
    )
    trace_id = await rated(site, await ask(site.client, query_text="When was the bridge of 010-1234-5678 built?"))
    async with client_of(site, BOSS) as boss:
        found = await replay(boss, trace_id)
    assert found["question"] == "When was the bridge of [phone] built?"
    assert [hit["doc_id"] for hit in found["hits"]] == ["bridge"]
    assert "zq" not in str(found).lower()
    async with client_of(site, Caller("chair", frozenset({"staff", "board"}), role="admin")) as chair:
        assert "Zq board" in str((await replay(chair, trace_id))["hits"])


async def test_an_admin_replays_no_turn_whose_documents_they_may_not_read(site: Site) -> None:
    await register(site.core, "bridge", "board")
    trace_id = await rated(site, await ask(site.client))
    async with client_of(site, BOSS) as boss:
        assert (await boss.post(f"/turns/{trace_id}/replay", json={})).status_code == 404


async def register(core: Core, doc_id: str, group: str) -> None:
    from tests.functions.test_feedback_list import add_document

    await add_document(core, doc_id, group)


async def test_somebody_elses_follow_up_is_asked_without_their_conversation(site: Site) -> None:
    await register(site.core, "bridge", "staff")
    await ask(site.client, room_id="r1")
    trace_id = await rated(site, await ask(site.client, room_id="r1", query_text="What colour is it?"))
    async with client_of(site, BOSS) as boss:
        found = await replay(boss, trace_id)
    assert found["question"] == "What colour is it?"
    assert "blue" in found["new"]["answer"]
    assert [step["name"] for step in found["steps"] if step["name"] == "history" and step["new"]] == []


async def test_a_follow_up_is_asked_in_the_conversation_before_it(site: Site) -> None:
    await ask(site.client, room_id="r1")
    trace_id = await ask(site.client, room_id="r1", query_text="What colour is it?")
    await ask(site.client, room_id="r1", query_text="Who crosses the river every hour?")
    found = await replay(site.client, trace_id)
    assert found["old"]["answer"] == found["new"]["answer"]
    assert "blue" in found["new"]["answer"]


async def test_nothing_is_stored_counted_announced_or_cached(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [^bridge].", caller=ANN)
    trace_id = await ask(site.client, room_id="r1")
    model: Any = site.core.models
    model.model.replies += [("In 1894 it was built [^bridge].",), ("It is painted blue [^bridge].",)]
    events = site.core.settings.data / "events.jsonl"
    before = [each.trace_id for each in await site.core.statistics.figures(LOCAL, 0, 2**40)], events.read_bytes()
    for words in ("In 1894", "painted blue"):
        assert words in (await replay(site.client, trace_id))["new"]["answer"]
    assert ([each.trace_id for each in await site.core.statistics.figures(LOCAL, 0, 2**40)], events.read_bytes()) == before
    assert [turn["trace_id"] for turn in (await site.client.get("/conversations/r1")).json()["data"]] == [trace_id]
    assert (await site.client.get("/me/usage")).json()["today"]["questions"] == 1


async def test_its_tokens_have_a_price_at_their_step_and_count_in_the_budget(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [^bridge].", Delta(usage=Usage(300, 100)), caller=ANN, llm=PAID)
    live: Any = site.core.live
    live.current = site.core.settings.model_copy(update={"budget": Budget(tokens_per_day=1000)})
    trace_id = await ask(site.client)
    model: Any = site.core.models
    model.model.replies.append(("It was built in 1894 [^bridge].", Delta(usage=Usage(600, 200))))
    found = await replay(site.client, trace_id)
    (answer,) = [step for step in found["steps"] if step["name"] == "generate"]
    assert [(answer[side]["tokens"], answer[side]["cost"]) for side in ("old", "new")] == [(400, 0.005), (800, 0.01)]
    assert [found[side]["cost"] for side in ("old", "new")] == [0.005, 0.01]
    assert (await site.client.get("/me/usage")).json()["budget"]["spent"] == 1.2
    assert (await replay(site.client, trace_id))["new"]["model"] is None  # the day's budget is spent


@pytest.mark.parametrize("changes", [{"search_type": "pa"}, {"search_type": "vision"}, {"block_classes": ["a"]}])
async def test_a_turn_stored_without_a_plan_cannot_be_replayed(changes: dict[str, Any], site: Site) -> None:
    await site.core.turns.save({**stored(make_turn(trace_id="t1", caller=ANN)), **changes})  # type: ignore[typeddict-item]
    assert (await site.client.post("/turns/t1/replay", json={})).status_code == 422


async def test_a_turn_of_an_early_version_and_one_of_another_api_are_replayed(site: Site) -> None:
    trace_id = (await site.client.post("/chat", json={"query": QUESTION})).headers["x-trace-id"]
    found = await replay(site.client, trace_id)
    assert found["old"]["answer"] == found["new"]["answer"]
    assert found["options"] == []
    record: Any = dict(await site.core.turns.get(ANN, trace_id))
    del record["plan"]
    await site.core.turns.save(record)
    found = await replay(site.client, trace_id)
    assert (found["old"]["plan"], found["options"]) == (None, [])
    assert found["new"]["plan"]["level"] == "standard"


async def test_who_is_in_an_experiment_does_not_learn_the_plan_of_their_arm(site: Site, trace_id: str) -> None:
    record: Any = dict(await site.core.turns.get(ANN, trace_id))
    record["experiment"] = {"id": "x", "name": "zqtrial", "arm": "plain", "period": 0, "shares": {"plain": 1.0}}
    await site.core.turns.save(record)
    found = await replay(site.client, trace_id)
    assert (found["old"]["plan"], found["options"]) == (None, [])
    assert "zqtrial" not in str(found)
    (line,) = (await site.client.get("/me/data")).text.splitlines()
    assert '"plan"' not in line


@pytest.mark.parametrize("body", [{"level": "best"}, {"num_result_doc": 0}, {"options": {}}])
async def test_a_wrong_setting_is_refused(body: dict[str, Any], site: Site, trace_id: str) -> None:
    assert (await site.client.post(f"/turns/{trace_id}/replay", json=body)).status_code == 422


async def test_it_is_searched_as_it_was_where_nobody_chose_the_retriever(site: Site) -> None:
    found = await replay(site.client, await ask(site.client, retriever="cc", any_retriever=True))
    assert [found[side]["plan"]["retriever"] for side in ("old", "new")] == ["cc", "cc"]
