"""A reader who leaves, or presses stop, ends the call of the model, and the turn is stored as far as it came. Over sockets: the app runs
under uvicorn, and the model's endpoint sees when its connection is closed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, Embedding, Settings
from footnote_http.streams import GRACE_S
from footnote_query.app import create_app
from tests.fakes import LoopClock, make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, QUESTION, Serve, read_messages
from tests.openai_server import chunk

MESSAGES = [{"role": "user", "content": QUESTION}]
STREAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "completion": ("/v1/chat/completions", {"model": "footnote", "messages": MESSAGES, "stream": True}),
    "response": ("/v1/responses", {"model": "footnote", "input": QUESTION, "stream": True}),
    "pipeline": ("/v1/chat", {"message": QUESTION}),
    "general": ("/v1/chat", {"message": QUESTION, "mode": "general"}),
    "vexora": ("/api/chat", {"messages": MESSAGES, "rag": {"enabled": True}, "stream": True}),
    "v2": ("/v2/rag/query", {"query": QUESTION}),
    "v2_gpt": ("/v2/gpt/query", {"query": QUESTION}),
    "v2_agent": ("/v2/pa/query", {"query": QUESTION}),
}
TEXT = (
    "The bridge was built in 1894, as the records of the town say. It is painted blue, and it has been painted often since then."
    " Ferries cross the river every hour, whatever the weather is like. Nobody has counted how many people walk over it in a year."
)


@dataclass
class Endpoint:
    """A model that sends `text` word by word and then says nothing more, or `ends`. `asked`: a request has come; `left`: its connection was
    closed. `pause_s`: after each word; without one, several come in one piece."""

    text: str = TEXT
    pause_s: float = 0.0
    ends: bool = False
    url: str = ""
    calls: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"/chat/completions " not in head:  # it does not tell its limits
            writer.write(b"HTTP/1.1 404 x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            return writer.close()
        length = next(line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        await reader.readexactly(int(length))
        self.calls += 1
        self.asked.set()
        writer.write(b"HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for word in self.text.split(" ") if self.text else ():
            writer.write(f"data: {json.dumps(chunk(content=word + ' '))}\n\n".encode())
            await writer.drain()
            await asyncio.sleep(self.pause_s)
        if self.ends:
            writer.write(b"data: [DONE]\n\n")
        else:
            await reader.read()  # until the client closes the connection
            self.left.set()
        writer.close()


@dataclass
class Site:
    core: Core
    endpoint: Endpoint
    client: httpx.AsyncClient

    async def leave(self, path: str, body: dict[str, Any], *, after: str, **headers: str) -> tuple[str, str]:
        """Reads until this text has come, and leaves; "" = as soon as the model was asked → the trace id, what was received."""
        said = ""
        async with self.client.stream("POST", path, json=body, headers={"accept": "text/event-stream", **headers}) as reply:
            await self.endpoint.asked.wait()
            async with aclosing(reply.aiter_text()) as pieces:
                while after not in said:
                    said += await anext(pieces)
            return reply.headers["x-trace-id"], said

    async def ended(self, trace_id: str) -> dict[str, Any]:
        """The stored turn, when it has ended."""
        await asyncio.wait_for(self.core.answer.drain(), 10)
        return dict((await self.client.get(f"/turns/{trace_id}")).json())


@pytest.fixture
async def site(tmp_path: Path, clock: Clock, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    monkeypatch.setattr("footnote_http.sse.OPEN_S", 0.2)
    endpoint = Endpoint()
    listening = await asyncio.start_server(endpoint.handle, "127.0.0.1", 0)
    endpoint.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    llm = LLM(base_url=endpoint.url, model="tiny", retries=0)
    core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=llm), clock=clock)
    await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE, page=3)
    async with httpx.AsyncClient(base_url=await serve(create_app(lambda: core)), timeout=20) as client:
        yield Site(core, endpoint, client)
    listening.close()
    await core.close()


@pytest.mark.parametrize("api", STREAMS)
async def test_a_reader_who_leaves_ends_the_call_and_the_turn_is_stored_as_far_as_it_came(api: str, site: Site) -> None:
    trace_id, _ = await site.leave(*STREAMS[api], after="weather")
    await asyncio.wait_for(site.endpoint.left.wait(), 10)
    turn = await site.ended(trace_id)
    assert (turn["status"], turn["outcome"], turn["warnings"], turn["model"]) == ("done", "answered", ["stopped"], "tiny")
    assert turn["answer"].startswith("The bridge was built in 1894, as the records of the town say.")
    assert turn["usage"]["completion_tokens"] > 40
    assert (site.endpoint.calls, turn["usage"]["estimated"]) == (1, True)


@pytest.mark.parametrize("api", STREAMS)
async def test_a_reader_who_leaves_before_the_first_word_ends_the_call(api: str, site: Site) -> None:
    site.endpoint.text = ""
    trace_id, _ = await site.leave(*STREAMS[api], after="")
    await asyncio.wait_for(site.endpoint.left.wait(), 10)
    turn = await site.ended(trace_id)
    assert (turn["status"], turn["answer"], turn["usage"]["completion_tokens"]) == ("error", "", 0)
    assert [(step["name"], step["status"]) for step in turn["steps"] if step["status"] == "stopped"] == [
        ("agent" if api == "v2_agent" else "generate", "stopped")
    ]
    assert site.endpoint.calls == 1


async def test_a_client_that_leaves_before_its_reply_begins_ends_the_call(site: Site) -> None:
    site.endpoint.text = ""
    asking = asyncio.create_task(site.client.post("/v2/gpt/query", json={"query": QUESTION}))
    await asyncio.wait_for(site.endpoint.asked.wait(), 10)
    asking.cancel()
    await asyncio.wait_for(site.endpoint.left.wait(), 10)


async def test_a_request_that_is_repeated_after_its_reader_left_is_answered_whole(site: Site) -> None:
    key = {"idempotency-key": "k1"}
    path, body = STREAMS["v2_gpt"]
    trace_id, _ = await site.leave(path, body, after="weather", **key)
    assert (await site.ended(trace_id))["warnings"] == ["stopped"]
    site.endpoint.ends = True
    reply = await site.client.post(path, json=body, headers=key)
    done = read_messages(reply.text)[-1][1]
    assert (done["final_response"], done["warnings"], done["trace_id"]) == (TEXT, [], trace_id)
    turn = await site.ended(trace_id)
    assert (turn["status"], turn["answer"], turn["warnings"], site.endpoint.calls) == ("done", TEXT, [], 2)


async def test_stop_ends_the_call_at_once_and_the_stream_with_what_was_said(site: Site) -> None:
    said, trace_id = "", ""
    async with site.client.stream("POST", "/ask/stream", json=ASK) as reply:
        trace_id = reply.headers["x-trace-id"]
        async for piece in reply.aiter_text():
            said += piece
            if "weather" in said and not site.endpoint.left.is_set():
                assert (await site.client.delete(f"/ask/stream/{trace_id}")).status_code == 204
                await asyncio.wait_for(site.endpoint.left.wait(), 10)
    done = read_messages(said)[-1][1]
    assert (done["type"], done["warnings"], done["answer"].split(",")[0]) == ("done", ["stopped"], "The bridge was built in 1894")
    turn = await site.ended(trace_id)
    assert (turn["status"], turn["answer"], turn["warnings"]) == ("done", done["answer"], ["stopped"])


async def test_nobody_else_stops_a_turn_and_one_that_has_ended_is_not_found_later(site: Site) -> None:
    assert (await site.client.delete("/ask/stream/nobodys")).status_code == 404


async def test_a_page_that_reconnects_loses_nothing_and_one_that_does_not_has_left(site: Site) -> None:
    clock, site.endpoint.pause_s = LoopClock(), 0.001
    trace_id, said = await site.leave("/ask/stream", ASK, after="weather")
    await asyncio.sleep(0.05)
    clock.advance(GRACE_S - 1)
    await asyncio.sleep(0.05)
    said = said[: said.index("\n\n", said.index("weather")) + 2]  # more may have come with it
    last = read_messages(said)[-1][0]
    assert last is not None
    _, more = await site.leave("/ask/stream", ASK, after="year", **{"last-event-id": last})
    tokens = [event["content"] for text in (said, more) for _, event in read_messages(text) if event["type"] == "token"]
    assert "".join(tokens).strip().startswith("The bridge was built in 1894")
    assert not site.endpoint.left.is_set()
    await asyncio.sleep(0.05)
    clock.advance(GRACE_S + 1)
    await asyncio.wait_for(site.endpoint.left.wait(), 10)
    assert (await site.ended(trace_id))["warnings"] == ["stopped"]
    assert site.endpoint.calls == 1
