"""Resuming an interrupted stream: which events follow, from which one, and for which caller."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi import FastAPI

from footnote.errors import ModelTimeout
from footnote.types import Caller
from footnote_http.callers import caller_of
from footnote_http.streams import KEPT_S
from footnote_query.app import create_app
from tests.fakes import LoopClock
from tests.functions.conftest import ASK, BRIDGE, LOCAL, OpenSite, Site, read_messages
from tests.turns import make_turn, stored

ANN = Caller("ann", frozenset({"staff"}))


@dataclass
class StreamReader:
    """One request to `/ask/stream`, read as it arrives, until the reader disconnects."""

    app: FastAPI
    last_event_id: str | None = None
    body: dict[str, Any] = field(default_factory=lambda: ASK)
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""

    def __post_init__(self) -> None:
        self._left = asyncio.Event()
        self._heard = asyncio.Event()
        self._body = [{"type": "http.request", "body": json.dumps(self.body).encode(), "more_body": False}]
        self.request = asyncio.create_task(self._ask())

    async def until(self, heard: str) -> StreamReader:
        """Reads until this text has arrived."""
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
    """Each message has its own number; events without a message in this API have one, too."""
    numbers = [int(str(id_).removeprefix(f"{trace_id}.")) for id_ in ids]
    assert numbers == sorted(set(numbers))


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site()


async def test_every_message_has_the_turns_id_and_its_own_number(open_site: OpenSite) -> None:
    site = await open_site("It was built ", "in 1894 [^bridge].")
    messages = await StreamReader(site.app).to_the_end()
    trace_id = messages[-1][1]["trace_id"]
    assert messages[0][0] == f"{trace_id}.0"
    assert_in_order([id_ for id_, _ in messages], trace_id)


async def test_a_reconnecting_reader_gets_the_rest_and_the_question_is_asked_once(open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 ", "[^bridge].")
    first = await StreamReader(site.app).until("It was built")
    await first.leave()
    heard = first.messages
    second = await StreamReader(site.app, heard[-1][0]).until("")
    rest.set()
    more = await second.to_the_end()
    assert (second.status, second.headers["x-trace-id"]) == (200, first.headers["x-trace-id"])
    received = heard + more
    assert_in_order([id_ for id_, _ in received], first.headers["x-trace-id"])
    assert [event["content"] for _, event in received if event["type"] == "token"] == ["It was built", " in 1894", " [^bridge]."]
    assert more[-1][1]["answer"] == "It was built in 1894 [^bridge]."
    assert len(await site.core.statistics.figures(LOCAL, 0, 2e9)) == 1


async def test_several_readers_follow_one_turn_each_from_where_they_are(open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].")
    first = await StreamReader(site.app).until("It was built")
    trace_id = first.headers["x-trace-id"]
    others = [StreamReader(site.app, f"{trace_id}.{number}") for number in (0, 4)]
    rest.set()
    whole = await first.to_the_end()
    assert [await other.to_the_end() for other in others] == [whole[1:], whole[5:]]


async def test_a_turn_that_just_ended_is_replayed_to_its_end_and_then_is_empty(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [^bridge].")
    whole = await StreamReader(site.app).to_the_end()
    again = StreamReader(site.app, whole[2][0])
    assert await again.to_the_end() == whole[3:]
    over = StreamReader(site.app, whole[-1][0])
    assert (await over.to_the_end(), over.status) == ([], 204)


async def test_a_turn_that_just_ended_is_replayed_without_withdrawn_content(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [^bridge].")
    whole = await StreamReader(site.app).to_the_end()
    await site.core.generations.remove("bridge", 1)
    ((_, done),) = await StreamReader(site.app, whole[2][0]).to_the_end()
    assert (done["outcome"], done["hits"], done["citations"]) == ("withdrawn", [], [])
    assert not re.search(r"\b1894\b", str(done))


async def test_event_source_resumes_automatically(site: Site) -> None:
    asked = {"query_text": "When was the bridge built?", "index_name": "default"}
    whole = read_messages((await site.client.get("/ask/stream", params=asked)).text)
    reply = await site.client.get("/ask/stream", params=asked, headers={"last-event-id": str(whole[-2][0])})
    assert read_messages(reply.text) == whole[-1:]
    assert (await site.client.get("/ask/stream", params=asked, headers={"last-event-id": str(whole[-1][0])})).status_code == 204


async def test_an_error_after_the_first_token_is_replayed_to_a_reconnecting_reader(open_site: OpenSite) -> None:
    site = await open_site("It was built ", ModelTimeout("late"))
    whole = await StreamReader(site.app).to_the_end()
    back = StreamReader(site.app, whole[-2][0])
    assert (await back.to_the_end(), back.status) == (whole[-1:], 200)
    assert whole[-1][1]["type"] == "error"


async def test_a_stored_turn_is_replayed_once_as_its_last_event(site: Site) -> None:
    whole = await StreamReader(site.app).to_the_end()
    elsewhere = create_app(lambda: site.core)
    back = StreamReader(elsewhere, whole[2][0])
    ((id_, done),) = await back.to_the_end()
    # The last step, storing the turn, is not in what was stored.
    assert done | {"latency_ms": 0} == whole[-1][1] | {"latency_ms": 0}
    assert done["hits"][0]["content"] == BRIDGE[0]
    assert (back.status, back.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    again = StreamReader(elsewhere, id_)
    assert (await again.to_the_end(), again.status) == ([], 204)


async def test_a_stored_error_is_replayed_as_an_error(open_site: OpenSite) -> None:
    site = await open_site("It was built ", ModelTimeout("late"))
    whole = await StreamReader(site.app).to_the_end()
    ((_, error),) = await StreamReader(create_app(lambda: site.core), whole[0][0]).to_the_end()
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


async def test_a_turn_that_another_process_runs_cannot_be_followed_here(site: Site) -> None:
    await site.core.turns.save(stored(make_turn(trace_id="t1", caller=LOCAL), "idle"))
    resumed = StreamReader(site.app, "t1.0")
    await resumed.request
    assert resumed.status == 404


async def test_a_turn_is_released_a_minute_after_its_end_and_replayed_from_the_store(site: Site) -> None:
    loop_clock = LoopClock()
    whole = await StreamReader(site.app).to_the_end()
    loop_clock.advance(KEPT_S - 1)
    await asyncio.sleep(0)
    assert await StreamReader(site.app, whole[2][0]).to_the_end() == whole[3:]
    loop_clock.advance(2)
    await asyncio.sleep(0)
    assert [event["type"] for _, event in await StreamReader(site.app, whole[2][0]).to_the_end()] == ["done"]


@pytest.mark.parametrize("number", [0, 999_999_998])
@pytest.mark.parametrize("running", [True, False])
async def test_another_users_turn_looks_like_a_missing_one(number: int, running: bool, open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].", caller=ANN)
    first = await StreamReader(site.app).until("It was built")
    if not running:
        rest.set()
        await first.to_the_end()
    # In the same process, read access to everything is not enough either: a stream belongs to its caller.
    site.app.dependency_overrides[caller_of] = lambda: LOCAL
    refused = StreamReader(site.app, f"{first.headers['x-trace-id']}.{number}")
    await refused.request
    unknown = StreamReader(site.app, f"{'0' * 32}.{number}")
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
async def test_an_id_that_no_stream_has_sent_is_not_found(id_: str, site: Site) -> None:
    reply = await site.client.post("/ask/stream", json=ASK, headers={b"last-event-id": id_.encode()})
    assert (reply.status_code, reply.json()["detail"]) == (404, "There is no such stream. Send the question again.")


async def test_an_event_that_a_running_turn_has_not_sent_yet_is_not_waited_for(open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].")
    first = await StreamReader(site.app).until("It was built")
    ahead = StreamReader(site.app, f"{first.headers['x-trace-id']}.5000")
    async with asyncio.timeout(10):
        await ahead.request
    rest.set()
    await first.to_the_end()
    assert (ahead.status, json.loads(ahead.text)["detail"]) == (404, "There is no such stream. Send the question again.")


async def test_fifty_disconnected_readers_leave_no_tasks_behind(open_site: OpenSite) -> None:
    loop_clock = LoopClock()
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].")
    site.core.models.model.replies *= 50  # type: ignore[attr-defined]
    before = asyncio.all_tasks()
    for _ in range(50):
        listener = await StreamReader(site.app).until("It was built")
        await listener.leave()
    rest.set()
    await site.core.answer.drain()
    while asyncio.all_tasks() - before:  # the tasks that read the turns end just after them
        await asyncio.sleep(0)
    assert len(site.app.state.streams) == 50
    loop_clock.advance(KEPT_S + 1)
    for _ in range(2):
        await asyncio.sleep(0)
    assert len(site.app.state.streams) == 0
    assert [record.is_error for record in await site.core.statistics.figures(LOCAL, 0, 2e9)] == [False] * 50
