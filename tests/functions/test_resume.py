"""A stream that broke off: what follows, from where, and for whom."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi import FastAPI

from footnote.errors import ModelTimeout
from footnote.types import Caller
from footnote_http.callers import caller_of
from footnote_http.streams import KEPT_S
from query.app import create_app
from tests.fakes import LoopClock
from tests.functions.conftest import ASK, BRIDGE, LOCAL, OpenSite, read_messages
from tests.turns import make_turn, stored

ANN = Caller("ann", frozenset({"staff"}))


@dataclass
class Listener:
    """One request to `/ask/stream`, read as it comes, until its reader leaves."""

    app: FastAPI
    last_event_id: str | None = None
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""

    def __post_init__(self) -> None:
        self._left = asyncio.Event()
        self._heard = asyncio.Event()
        self._body = [{"type": "http.request", "body": json.dumps(ASK).encode(), "more_body": False}]
        self.request = asyncio.create_task(self._ask())

    async def until(self, heard: str) -> Listener:
        """Reads on until this was said."""
        async with asyncio.timeout(10):
            while heard not in self.text:
                await self._heard.wait()
                self._heard.clear()
        return self

    async def leave(self) -> None:
        self._left.set()
        await self.request

    async def to_the_end(self) -> list[tuple[str | None, dict[str, Any]]]:
        async with asyncio.timeout(10):
            await self.request
        return read_messages(self.text)

    @property
    def messages(self) -> list[tuple[str | None, dict[str, Any]]]:
        return read_messages(self.text)

    async def _ask(self) -> None:
        headers = [(b"content-type", b"application/json")]
        if self.last_event_id is not None:
            headers.append((b"last-event-id", self.last_event_id.encode()))
        scope = {"type": "http", "method": "POST", "path": "/ask/stream", "query_string": b"", "headers": headers}
        await self.app(scope | {"asgi": {"version": "3.0"}}, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        if self._body:
            return self._body.pop()
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, sent: Any) -> None:
        if sent["type"] == "http.response.start":
            self.status = sent["status"]
            self.headers = {name.decode(): value.decode() for name, value in sent["headers"]}
        self.text += sent.get("body", b"").decode()
        self._heard.set()


def assert_in_order(ids: list[str | None], trace_id: str) -> None:
    """Each message has its own number; events that say nothing here have one, too."""
    numbers = [int(str(id_).removeprefix(f"{trace_id}.")) for id_ in ids]
    assert numbers == sorted(set(numbers))


async def test_every_message_has_the_turns_id_and_its_own_number(open_site: OpenSite) -> None:
    site = await open_site("It was built ", "in 1894 [^bridge].")
    messages = await Listener(site.app).to_the_end()
    trace_id = messages[-1][1]["trace_id"]
    assert messages[0][0] == f"{trace_id}.0"
    assert_in_order([id_ for id_, _ in messages], trace_id)


async def test_a_reader_who_lost_the_connection_hears_the_rest_and_the_question_is_asked_once(open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 ", "[^bridge].")
    first = await Listener(site.app).until("It was built")
    await first.leave()
    heard = first.messages
    second = await Listener(site.app, heard[-1][0]).until("")
    rest.set()
    more = await second.to_the_end()
    assert (second.status, second.headers["x-trace-id"]) == (200, first.headers["x-trace-id"])
    told = heard + more
    assert_in_order([id_ for id_, _ in told], first.headers["x-trace-id"])
    assert [event["content"] for _, event in told if event["type"] == "token"] == ["It was built", " in 1894", " [^bridge]."]
    assert more[-1][1]["answer"] == "It was built in 1894 [^bridge]."
    assert len(await site.core.turns.figures(LOCAL, 0, 2e9)) == 1


async def test_several_readers_follow_one_turn_each_from_where_they_are(open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].")
    first = await Listener(site.app).until("It was built")
    trace_id = first.headers["x-trace-id"]
    others = [Listener(site.app, f"{trace_id}.{number}") for number in (0, 4)]
    rest.set()
    whole = await first.to_the_end()
    assert [await other.to_the_end() for other in others] == [whole[1:], whole[5:]]


async def test_a_turn_that_just_ended_is_told_to_its_end_and_then_there_is_nothing_more(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [^bridge].")
    whole = await Listener(site.app).to_the_end()
    again = Listener(site.app, whole[2][0])
    assert await again.to_the_end() == whole[3:]
    over = Listener(site.app, whole[-1][0])
    assert (await over.to_the_end(), over.status) == ([], 204)


async def test_of_a_turn_that_just_ended_nothing_is_told_again_that_was_withdrawn_since(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [^bridge].")
    whole = await Listener(site.app).to_the_end()
    await site.core.index.remove("bridge", 1)
    ((_, done),) = await Listener(site.app, whole[2][0]).to_the_end()
    assert (done["outcome"], done["hits"], done["citations"]) == ("withdrawn", [], [])
    assert "1894" not in str(done)


async def test_event_source_goes_on_by_itself(open_site: OpenSite) -> None:
    site = await open_site()
    asked = {"query_text": "When was the bridge built?", "index_name": "default"}
    whole = read_messages((await site.client.get("/ask/stream", params=asked)).text)
    reply = await site.client.get("/ask/stream", params=asked, headers={"last-event-id": str(whole[-2][0])})
    assert read_messages(reply.text) == whole[-1:]
    assert (await site.client.get("/ask/stream", params=asked, headers={"last-event-id": str(whole[-1][0])})).status_code == 204


async def test_an_error_after_the_first_word_is_told_to_who_comes_back(open_site: OpenSite) -> None:
    site = await open_site("It was built ", ModelTimeout("late"))
    whole = await Listener(site.app).to_the_end()
    back = Listener(site.app, whole[-2][0])
    assert (await back.to_the_end(), back.status) == (whole[-1:], 200)
    assert whole[-1][1]["type"] == "error"


async def test_a_stored_turn_is_told_by_its_end_alone_once(open_site: OpenSite) -> None:
    site = await open_site()
    whole = await Listener(site.app).to_the_end()
    elsewhere = create_app(lambda: site.core)
    back = Listener(elsewhere, whole[2][0])
    ((id_, done),) = await back.to_the_end()
    # The last step, storing the turn, is not in what was stored.
    assert done | {"latency_ms": 0} == whole[-1][1] | {"latency_ms": 0}
    assert done["hits"][0]["content"] == BRIDGE[0]
    assert (back.status, back.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    again = Listener(elsewhere, id_)
    assert (await again.to_the_end(), again.status) == ([], 204)


async def test_a_stored_error_is_told_as_one(open_site: OpenSite) -> None:
    site = await open_site("It was built ", ModelTimeout("late"))
    whole = await Listener(site.app).to_the_end()
    ((_, error),) = await Listener(create_app(lambda: site.core), whole[0][0]).to_the_end()
    trace_id = whole[-1][1]["trace_id"]
    assert error == {
        "type": "error",
        "problem": "about:blank",
        "content": "Something went wrong",
        "detail": f"Something went wrong (trace {trace_id})",
        "final_response": "It was built",
        "usage": whole[-1][1]["usage"],
        "trace_id": trace_id,
    }
    assert error["usage"]["completion_tokens"] == 3


async def test_a_turn_that_another_process_runs_cannot_be_followed_here(open_site: OpenSite) -> None:
    site = await open_site()
    await site.core.turns.save(stored(make_turn(trace_id="t1", caller=LOCAL), "idle"))
    resumed = Listener(site.app, "t1.0")
    await resumed.request
    assert resumed.status == 404


async def test_a_turn_is_let_go_a_minute_after_its_end_and_told_from_the_store(open_site: OpenSite) -> None:
    loop_clock = LoopClock()
    site = await open_site()
    whole = await Listener(site.app).to_the_end()
    loop_clock.advance(KEPT_S - 1)
    await asyncio.sleep(0)
    assert await Listener(site.app, whole[2][0]).to_the_end() == whole[3:]
    loop_clock.advance(2)
    await asyncio.sleep(0)
    assert [event["type"] for _, event in await Listener(site.app, whole[2][0]).to_the_end()] == ["done"]


@pytest.mark.parametrize("number", [0, 999_999_998])
@pytest.mark.parametrize("running", [True, False])
async def test_another_users_turn_is_as_unknown_as_none(number: int, running: bool, open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].", caller=ANN)
    first = await Listener(site.app).until("It was built")
    if not running:
        rest.set()
        await first.to_the_end()
    # In the same process the sight of everything is not enough either: a stream belongs to who asked.
    site.app.dependency_overrides[caller_of] = lambda: LOCAL
    refused = Listener(site.app, f"{first.headers['x-trace-id']}.{number}")
    await refused.request
    unknown = Listener(site.app, f"{'0' * 32}.{number}")
    await unknown.request
    problems = [json.loads(each.text) for each in (refused, unknown)]
    assert [problem | {"trace_id": ""} for problem in problems] == [
        {
            "type": "about:blank",
            "title": "Not found",
            "status": 404,
            "detail": "There is no such stream. Send the question again.",
            "trace_id": "",
        }
    ] * 2
    rest.set()
    await first.to_the_end()


@pytest.mark.parametrize("id_", ["x", ".1", "t1.", "t1.-1", "t1.٣", "t1.1234567890"])
async def test_an_id_that_no_stream_has_sent_is_not_found(id_: str, open_site: OpenSite) -> None:
    site = await open_site()
    reply = await site.client.post("/ask/stream", json=ASK, headers={b"last-event-id": id_.encode()})
    assert (reply.status_code, reply.json()["detail"]) == (404, "There is no such stream. Send the question again.")


async def test_an_event_that_a_running_turn_has_not_sent_yet_is_not_waited_for(open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].")
    first = await Listener(site.app).until("It was built")
    ahead = Listener(site.app, f"{first.headers['x-trace-id']}.5000")
    async with asyncio.timeout(10):
        await ahead.request
    rest.set()
    await first.to_the_end()
    assert (ahead.status, json.loads(ahead.text)["detail"]) == (404, "There is no such stream. Send the question again.")


async def test_fifty_readers_who_leave_leave_nothing_behind(open_site: OpenSite) -> None:
    loop_clock = LoopClock()
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].")
    site.core.models.model.replies *= 50  # type: ignore[attr-defined]
    before = asyncio.all_tasks()
    for _ in range(50):
        listener = await Listener(site.app).until("It was built")
        await listener.leave()
    rest.set()
    await site.core.answer.drain()
    while asyncio.all_tasks() - before:  # what reads the turns ends just after them
        await asyncio.sleep(0)
    assert len(site.app.state.streams) == 50
    loop_clock.advance(KEPT_S + 1)
    for _ in range(2):
        await asyncio.sleep(0)
    assert len(site.app.state.streams) == 0
    assert [record.is_error for record in await site.core.turns.figures(LOCAL, 0, 2e9)] == [False] * 50
