"""Clients disconnect at any moment: their turns are stored, and nothing of them stays in memory."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import socket
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI

from footnote.adapters.sqlite.database import THREADS
from footnote.bootstrap import Core
from footnote.ports import Delta
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Message, Turn, Usage
from footnote_http.streams import KEPT_S, Stream
from footnote_query.app import create_app
from tests.fakes import FakeModels, LoopClock, make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, LOCAL, QUESTION
from tests.nightly import DEEP

CLIENTS = 200 if DEEP else 40
AT_ONCE = 20
PIECES = ("The ", "bridge ", "was ", "built ", "in ", "1894 ", "[1].")
PIECE_S = 0.01
DATABASE = ".db"
LONGEST_S = 0.8
"""A little more than a turn takes on an idle machine: some clients stay to the end."""
ROUTES = {
    "/ask/stream": ASK,
    "/ask": ASK,
    "/chat": {"query": QUESTION},
    "/v1/chat/completions": {"model": "footnote", "stream": True, "messages": [{"role": "user", "content": QUESTION}]},
}


class SlowModel:
    """Streams its pieces with a delay before each."""

    name = "slow"

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        for piece in PIECES:
            await asyncio.sleep(PIECE_S)
            yield Delta(piece)
        yield Delta("", usage=Usage(20, len(PIECES)))


class ReceivingApp:
    """The app under test; records which requests it has read completely. A client that leaves earlier has asked nothing."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.received: dict[bytes, asyncio.Event] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def receive_and_record() -> Any:
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body"):
                self.received[dict(scope["headers"])[b"x-number"]].set()
            return message

        await self.app(scope, receive_and_record, send)


class RunningApp:
    def __init__(self, core: Core, app: ReceivingApp, port: int) -> None:
        self.core, self.app, self.port = core, app, port

    async def request(self, number: int, path: str, wait_s: float | None, gracefully: bool) -> bool:
        """Asks, and disconnects after `wait_s`, or at the first byte → whether the reply had started by then."""
        name = str(number).encode()
        received = self.app.received[name] = asyncio.Event()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        body = json.dumps(ROUTES[path]).encode()
        head = f"POST {path} HTTP/1.1", "host: x", f"x-number: {number}", "content-type: application/json", f"content-length: {len(body)}"
        writer.write("\r\n".join((*head, "", "")).encode() + body)
        await received.wait()
        if wait_s is None:
            has_started = bool(await reader.read(1))
        else:
            await asyncio.sleep(wait_s)
            has_started = bool(reader._buffer)  # type: ignore[attr-defined]
        if gracefully:
            writer.close()
            await writer.wait_closed()
        else:
            writer.transport.abort()
        return has_started


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[RunningApp]:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    core = Core(settings, models=FakeModels(SlowModel()))
    await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
    app = ReceivingApp(create_app(lambda: core))
    with socket.create_server(("127.0.0.1", 0), backlog=CLIENTS) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0)
        yield RunningApp(core, app, listener.getsockname()[1])
        server.should_exit = True
        await serving
    async with asyncio.timeout(10):
        await core.close()


def left() -> Counter[str]:
    """Turns and streams still in memory, and open files and connections except those of databases: how many database threads
    run at once depends on the machine."""
    gc.collect()
    kept = Counter(type(thing).__name__ for thing in gc.get_objects() if type(thing) in (Turn, Stream))
    return kept + Counter("files" for name in open_files() if DATABASE not in name)


def open_files() -> list[str]:
    names = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # of the listing itself
            names.append(os.readlink(f"/proc/self/fd/{number}"))
    return names


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files where the system lists them")
async def test_turns_of_clients_that_disconnect_are_stored_and_leave_nothing_in_memory(running: RunningApp, seed: str) -> None:
    chance, gate, clock = random.Random(seed), asyncio.Semaphore(AT_ONCE), LoopClock()
    streams = running.app.app.state.streams

    async def request(number: int, wait_s: float | None) -> bool:
        async with gate:
            return await running.request(number, chance.choice(list(ROUTES)), wait_s, chance.random() < 0.5)

    async def settle() -> None:
        """Waits until every turn has ended and its stream can no longer be resumed."""
        async with asyncio.timeout(30):
            await running.core.answer.drain()
            while len(asyncio.all_tasks()) > tasks:
                await asyncio.sleep(0.01)
        clock.advance(KEPT_S + 1)
        while len(streams):
            await asyncio.sleep(0.01)

    tasks = len(asyncio.all_tasks())
    await asyncio.gather(*(request(-number, 0.0) for number in range(1, AT_ONCE)))  # opens the connections that stay open
    await settle()
    before = left()
    waits = [chance.choice((0.0, None, chance.uniform(0, LONGEST_S))) for _ in range(CLIENTS)]
    has_started = await asyncio.gather(*(request(number, wait_s) for number, wait_s in enumerate(waits)))
    await settle()

    assert 0 < sum(has_started) < CLIENTS, "the clients should leave before and after the first byte"
    stored = [stored.record async for stored in running.core.turns.all_of(LOCAL)]
    assert {block["status"] for block in stored} <= {"done", "error"}, "each has ended, those that were stopped before a word with an error"
    assert len({block["trace_id"] for block in stored}) == CLIENTS + AT_ONCE - 1
    assert running.core.answer._running == set()
    assert len(asyncio.all_tasks()) == tasks
    assert left() == before
    files = Counter(name for name in open_files() if DATABASE in name)
    assert max(files.values()) <= THREADS + 1, "a connection for each thread, and the one that glances"
