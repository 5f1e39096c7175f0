"""Clients that leave at any moment: their turns are stored all the same, and nothing of them stays in the process."""

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
from query.app import create_app
from tests.fakes import FakeModels, LoopClock, make_document, put_document
from tests.faults import DEEP
from tests.functions.conftest import ASK, BRIDGE, LOCAL, QUESTION

CLIENTS = 500 if DEEP else 60
AT_ONCE = 20
PIECES = ("The ", "bridge ", "was ", "built ", "in ", "1894 ", "[1].")
PIECE_S = 0.01
DATABASE = ".db"
LONGEST_S = 0.8
"""A little more than a turn takes: some clients stay to the end."""
ROUTES = {
    "/ask/stream": ASK,
    "/ask": ASK,
    "/chat": {"query": QUESTION},
    "/v1/chat/completions": {"model": "footnote", "stream": True, "messages": [{"role": "user", "content": QUESTION}]},
}


class SlowModel:
    """Says its pieces one by one, each after a while."""

    name = "slow"

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        for piece in PIECES:
            await asyncio.sleep(PIECE_S)
            yield Delta(piece)
        yield Delta("", usage=Usage(20, len(PIECES)))


class Door:
    """The app, and which requests it has read to their ends: whoever leaves before that has asked nothing."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.taken: dict[bytes, asyncio.Event] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def receive_and_tell() -> Any:
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body"):
                self.taken[dict(scope["headers"])[b"x-number"]].set()
            return message

        await self.app(scope, receive_and_tell, send)


class House:
    def __init__(self, core: Core, door: Door, port: int) -> None:
        self.core, self.door, self.port = core, door, port

    async def visit(self, number: int, path: str, stay_s: float, politely: bool) -> bool:
        """Asks, and leaves after a while; whether the reply had begun by then."""
        name = str(number).encode()
        taken = self.door.taken[name] = asyncio.Event()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        body = json.dumps(ROUTES[path]).encode()
        head = f"POST {path} HTTP/1.1", "host: x", f"x-number: {number}", "content-type: application/json", f"content-length: {len(body)}"
        writer.write("\r\n".join((*head, "", "")).encode() + body)
        await taken.wait()
        await asyncio.sleep(stay_s)
        begun = bool(reader._buffer)  # type: ignore[attr-defined]
        if politely:
            writer.close()
            await writer.wait_closed()
        else:
            writer.transport.abort()
        return begun


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    core = Core(settings, models=FakeModels(SlowModel()))
    await put_document(core.index, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
    door = Door(create_app(lambda: core))
    with socket.create_server(("127.0.0.1", 0), backlog=CLIENTS) as listener:
        server = uvicorn.Server(uvicorn.Config(door, log_level="warning", lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0)
        yield House(core, door, listener.getsockname()[1])
        server.should_exit = True
        await serving
    async with asyncio.timeout(10):
        await core.close()


def left() -> Counter[str]:
    """What a turn is made of, as far as it is still in memory; open files and connections, but for those of databases:
    how many of their threads are ever needed at once is the machine's affair."""
    gc.collect()
    kept = Counter(type(thing).__name__ for thing in gc.get_objects() if type(thing) in (Turn, Stream))
    return kept + Counter("files" for name in open_files() if DATABASE not in name)


def open_files() -> list[str]:
    names = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the listing's own
            names.append(os.readlink(f"/proc/self/fd/{number}"))
    return names


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files where the system lists them")
async def test_turns_of_clients_that_leave_are_stored_and_nothing_of_them_stays(house: House, seed: str) -> None:
    chance, gate, clock = random.Random(seed), asyncio.Semaphore(AT_ONCE), LoopClock()
    streams = house.door.app.state.streams

    async def visit(number: int, stay_s: float) -> bool:
        async with gate:
            return await house.visit(number, chance.choice(list(ROUTES)), stay_s, chance.random() < 0.5)

    async def settle() -> None:
        """Until every turn has ended, and the time has passed for which an ended one can be followed."""
        async with asyncio.timeout(30):
            await house.core.answer.drain()
            while len(asyncio.all_tasks()) > tasks:
                await asyncio.sleep(0.01)
        clock.advance(KEPT_S + 1)
        while len(streams):
            await asyncio.sleep(0.01)

    tasks = len(asyncio.all_tasks())
    await asyncio.gather(*(visit(-number, 0.0) for number in range(1, AT_ONCE)))  # opens what stays open
    await settle()
    before = left()
    begun = await asyncio.gather(*(visit(number, chance.uniform(0, LONGEST_S)) for number in range(CLIENTS)))
    await settle()

    assert 0 < sum(begun) < CLIENTS, "the clients should leave before and after the first byte"
    stored = [stored.record async for stored in house.core.turns.all_of(LOCAL)]
    assert Counter(block["status"] for block in stored) == {"done": CLIENTS + AT_ONCE - 1}
    assert len({block["trace_id"] for block in stored}) == CLIENTS + AT_ONCE - 1
    assert house.core.answer._running == set()
    assert len(asyncio.all_tasks()) == tasks
    assert left() == before
    files = Counter(name for name in open_files() if DATABASE in name)
    assert max(files.values()) <= THREADS + 1, "a connection for each thread, and the one that glances"
