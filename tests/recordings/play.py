"""Plays a scene: its requests go to the query function, on a copy of a filled data folder."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx

from footnote.bootstrap import Core
from footnote.ports import Embedder
from footnote.settings import LLM, Settings
from footnote_query.app import create_app
from tests.conftest import HandClock
from tests.fakes import FakeModel, FakeModels, Sent
from tests.functions.conftest import as_caller
from tests.recordings.scenes import DOCUMENTS, EXTRA, LOCAL, Request, Scene

STORED = ("turns", "cache", "rollups")
"""Tables whose rows are recorded."""


def fill(folder: Path) -> Embedder | None:
    """Ingests and embeds every document. Returns the embedder, whose model takes long to load."""

    async def run() -> Embedder | None:
        core = _core(folder, Scene([]), None)
        for name, text in (DOCUMENTS | EXTRA).items():
            given: dict[str, Any] = {"file_name": name, "doc_id": name.removesuffix(".md")}
            given |= {"collection": "extra" if name in EXTRA else "default", "permission_groups": ["board" if "vault" in name else "*"]}
            if "faq" in name:
                given["metadata"] = {"paragraph_type": "faq"}
            await core.ingestor.accept(LOCAL, text.encode(), **given)
        while await core.ingestor.work_one():
            pass
        while await core.ingestor.embed_some():
            pass
        await core.close()
        return core.embedder

    return asyncio.run(run())


async def play(scene: Scene, folder: Path, embedder: Embedder | None) -> dict[str, Any]:
    """Returns the replies, the prompts, what is stored afterwards, the announced events, and the log line of each turn."""
    model = FakeModel([*scene.replies]) if scene.replies else None
    with turn_lines() as lines:
        async with open_scene(scene, folder, embedder, model) as (_, client):
            trace, replies = "", []
            for request in scene.requests:
                reply = await send(client, request, trace)
                trace = reply.headers.get("x-trace-id", "")
                replies.append({"status": reply.status_code, "type": _kind(reply), "body": body_of(reply)})
    if model:
        assert len(model.sent) <= len(scene.replies), "The model was asked more often than the scene has replies."
    return {
        "replies": replies,
        "prompts": [_prompt(sent) for sent in model.sent] if model else [],
        "stored": _stored(folder),
        "events": _announced(folder / "events.jsonl"),
        "log": lines,
    }


@asynccontextmanager
async def open_scene(
    scene: Scene, folder: Path, embedder: Embedder | None, model: FakeModel | None
) -> AsyncIterator[tuple[Core, httpx.AsyncClient]]:
    """The scene's Core, and a client of its query function."""
    core = _core(folder, scene, model)
    core.embedder = embedder
    for term in scene.terms:
        await core.terms.save(LOCAL, term)
    for name, port in scene.ports.items():
        setattr(core, name, port)
    for place, error in scene.failing.items():
        port, method = place.split(".")
        setattr(core, port, Failing(getattr(core, port), method, error))
    app = as_caller(scene.caller, create_app)(lambda: core)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
        yield core, client
    await core.close()


def _core(folder: Path, scene: Scene, model: FakeModel | None) -> Core:
    settings = Settings(**{"footnote_data": folder, "llm": LLM(discover=False), **scene.settings})
    return Core(settings, clock=HandClock(), models=FakeModels(model))


class Failing:
    """Wraps a port so that one method fails."""

    def __init__(self, port: Any, method: str, error: Exception) -> None:
        self._port, self._method, self._error = port, method, error

    def __getattr__(self, name: str) -> Any:
        return self._fail if name == self._method else getattr(self._port, name)

    async def _fail(self, *_: Any, **__: Any) -> None:
        raise self._error


async def send(client: httpx.AsyncClient, request: Request, trace: str) -> httpx.Response:
    path, headers = request.path.replace("{trace}", trace), {k: value.replace("{trace}", trace) for k, value in request.headers.items()}
    return await client.request("GET" if request.body is None else "POST", path, json=request.body, headers=headers)


def _kind(reply: httpx.Response) -> str:
    return reply.headers.get("content-type", "").partition(";")[0]


def body_of(reply: httpx.Response) -> Any:
    match _kind(reply):
        case "text/event-stream":
            return [_message(block) for block in reply.text.split("\n\n") if block]
        case "application/json" | "application/problem+json":
            return reply.json()
    return reply.text


def _message(block: str) -> Any:
    """A message of a stream, line by line; JSON is read. The number in its id counts the events of the core, which an API need not send."""
    lines = [re.sub(r"^(id: .+\.)\d+$", r"\1<n>", line) for line in block.split("\n")]
    return [*lines[:-1], json.loads(lines[-1][len("data: ") :])] if lines[-1].startswith("data: {") else lines


def _prompt(sent: Sent) -> dict[str, Any]:
    messages = [{"role": message.role, "content": message.content, "images": len(message.images)} for message in sent.messages]
    return {"messages": messages, "options": {name: _option(name, value) for name, value in sent.options.items()}}


def _option(name: str, value: Any) -> Any:
    """The remainder of a timeout depends on the machine; `tools` are objects."""
    if name.endswith("_s"):
        return 5 * round(value / 5)
    return value if isinstance(value, int | float | str | None) else repr(value)


def _stored(folder: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(folder / "store.db")) as connection:
        connection.row_factory = sqlite3.Row
        return {table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")] for table in STORED}


def _announced(file: Path) -> list[Any]:
    """`events.jsonl` without the times."""
    events = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [{name: value for name, value in event.items() if name != "time"} for event in events]


@contextmanager
def turn_lines() -> Iterator[list[dict[str, Any]]]:
    """The fields of the log's line for each turn."""
    lines: list[dict[str, Any]] = []
    usual = {*vars(logging.makeLogRecord({})), "message", "asctime"}

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.msg == "turn":
                fields = {name: value for name, value in vars(record).items() if name not in usual}
                lines.append(fields | {"steps": " ".join(fields["steps"])})

    logger, handler = logging.getLogger("footnote"), Keep()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
