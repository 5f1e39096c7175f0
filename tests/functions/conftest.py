"""Fixtures for the functions on a temporary data folder: one Core, HTTP clients, Lambda events."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
import uvicorn
from fastapi import FastAPI

from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller
from footnote_http.callers import caller_of
from footnote_local.server import open_port
from footnote_query.app import create_app as create_query
from tests.fakes import FakeModel, FakeModels, Piece, make_document, put_document
from tests.functions.people import World
from tests.servers import running

CreateApp = Callable[[Callable[[], Core]], FastAPI]
OpenClient = Callable[[CreateApp], Awaitable[httpx.AsyncClient]]
Event = dict[str, Any]

EVENTS = Path(__file__).parents[2] / "events"
LOCAL = Caller("local", sees_all=True, role="admin")
"""Who every caller is in mode `none`."""

BRIDGE = ["The bridge was built in 1894. It is painted blue.", "Ferries cross the river every hour."]
QUESTION = "When was the bridge built?"
ASK = {"query_text": QUESTION, "index_name": "default", "permission_groups": []}


@pytest.fixture(autouse=True)
def patient_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether an error is a status or a message must not depend on the speed of the machine."""
    monkeypatch.setattr("footnote_http.sse.OPEN_S", 60.0)


@dataclass(frozen=True)
class Site:
    core: Core
    app: FastAPI
    client: httpx.AsyncClient

    @property
    def sent(self) -> list[Any]:
        """The prompts of the model, call by call."""
        return self.core.models.model.sent  # type: ignore[attr-defined, no-any-return]


OpenSite = Callable[..., Awaitable[Site]]
Serve = Callable[[FastAPI], Awaitable[str]]


@pytest.fixture
async def core(tmp_path: Path, clock: Clock) -> AsyncIterator[Core]:
    """A core without models: full-text search finds passages, and answers are quoted sentences."""
    made = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)), clock=clock)
    yield made
    await made.close()


@pytest.fixture
async def open_client(core: Core) -> AsyncIterator[OpenClient]:
    """Opens clients of functions that share `core`. An exception is a 500, as for a real client."""
    async with AsyncExitStack() as stack:

        async def open_(create_app: CreateApp) -> httpx.AsyncClient:
            transport = httpx.ASGITransport(create_app(lambda: core), raise_app_exceptions=False)
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test"))

        yield open_


@pytest.fixture
async def open_site(tmp_path: Path, clock: Clock) -> AsyncIterator[OpenSite]:
    """Opens the query function on a folder with the bridge's records; `reply`: of the model, None = no model."""
    async with AsyncExitStack() as stack:

        async def open_(*reply: Piece, caller: Caller = LOCAL, filled: bool = True, llm: LLM | None = None) -> Site:
            settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=llm or LLM(discover=False))
            core = Core(settings, clock=clock, models=FakeModels(FakeModel([reply]) if reply else None))
            stack.push_async_callback(core.close)
            if filled:
                await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE, page=3)
            app = as_caller(caller, create_query)(lambda: core)
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            client = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test"))
            return Site(core, app, client)

        yield open_


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Serves an app on a loopback socket; returns its address."""
    async with AsyncExitStack() as stack:

        async def start(app: FastAPI) -> str:
            listener = stack.enter_context(open_port("127.0.0.1", 0))
            server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
            return await stack.enter_async_context(running(server, listener))

        yield start


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """For modules whose tests share the module's event loop and do not touch each other's resources."""
    made = World(tmp_path_factory.mktemp("world"))
    await made.open()
    yield made
    await made.close()


@pytest.fixture
def lambda_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A Lambda handler is called outside of a running loop, in a thread that has a loop."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield loop
    asyncio.set_event_loop(None)
    loop.close()


def sample_event(name: str, **changes: Any) -> Event:
    event: Event = json.loads((EVENTS / f"{name}.json").read_text())
    return event | changes


def get_event(path: str, query: str = "") -> Event:
    """A GET as a function URL sends it."""
    event = sample_event("query_http", rawPath=path, rawQueryString=query)
    http = event["requestContext"]["http"] | {"method": "GET", "path": path}
    del event["body"], event["headers"]["content-type"], event["headers"]["content-length"]
    return event | {"requestContext": event["requestContext"] | {"http": http}}


def body_of(reply: dict[str, Any]) -> Any:
    """The JSON of a function URL's reply, which is base64 unless Mangum takes it for text."""
    return json.loads(base64.b64decode(reply["body"]) if reply["isBase64Encoded"] else reply["body"])


def read_messages(text: str) -> list[tuple[str | None, dict[str, Any]]]:
    """(id, object) of a stream's messages; every block is one `data:` line of JSON under its id, or a comment."""
    assert not text or text.endswith("\n\n")
    messages = []
    for block in text.split("\n\n")[:-1]:
        if not block.startswith(":"):
            *named, data = block.split("\n")
            assert data.startswith("data: ")
            assert [line[:4] for line in named] in ([], ["id: "])
            messages.append((named[0][4:] if named else None, json.loads(data[6:])))
    return messages


def read_events(text: str) -> list[dict[str, Any]]:
    """The objects of a stream."""
    return [event for _, event in read_messages(text)]


def as_caller(caller: Caller, create_app: CreateApp) -> CreateApp:
    """The same function, called by another user than the local one."""

    def create(core: Callable[[], Core]) -> FastAPI:
        app = create_app(core)
        app.dependency_overrides[caller_of] = lambda: caller
        return app

    return create


def heavy_imports(module: str, *seldom: str) -> list[str]:
    """Modules that importing a function loads although they should be loaded on the first request. `seldom`: more of them."""
    ours = ("footnote.adapters", "footnote.bootstrap", "footnote.pipeline", "footnote.answer.extract", "footnote.ingest.sync")
    heavy = (*ours, *seldom, "sqlite3", "numpy", "openai", "mangum", "pypdfium2", "aws_lambda_powertools", "mcp", "jinja2")
    code = f"import {module}, sys; print(*sorted(name for name in sys.modules if name in {heavy}))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
