"""All functions behind one address: what CloudFront does in AWS, and uvicorn here."""

from __future__ import annotations

import asyncio
import json
import logging
import shlex
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote.bootstrap import Core
from footnote.errors import Conflict, Unavailable
from footnote.guard.identity import LOCAL
from footnote.settings import Settings
from footnote_http.cors import origins_of
from footnote_local.sources import Report, take_in
from footnote_local.visitors import Visitors
from footnote_local.worker import Lock, Worker

if TYPE_CHECKING:
    from uvicorn import Server

ROUTES = (
    ("/ingest", "ingest"),
    ("/insert-doc", "ingest"),
    ("/documents", "ingest"),
    ("/uploads", "ingest"),
    ("/feedback", "feedback"),
    ("/stats", "stats"),
)
"""Prefix of the path → function; the rest goes to query. The template's CloudFront holds the same table."""

DRAIN_S = 5
"""How long open streams may go on when the server is stopped."""


def function_of(path: str) -> str:
    return next((function for prefix, function in ROUTES if path == prefix or path.startswith(prefix + "/")), "query")


def create_app(core: Core, *, names: Sequence[str] = (), on_start: Callable[[], Awaitable[None]] | None = None) -> ASGIApp:
    """One app over the four functions and one Core; its lifespan runs the worker."""
    from feedback.app import create_app as feedback
    from footnote_local.metrics import PATH, Metrics, create_metrics_app
    from ingest.app import create_app as ingest
    from query.app import create_app as query
    from stats.app import create_app as stats

    apps = {name: make(lambda: core) for name, make in (("query", query), ("ingest", ingest), ("feedback", feedback), ("stats", stats))}

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        worker = Worker(core)
        await worker.start()
        starting = asyncio.ensure_future(on_start()) if on_start else None
        try:
            yield
        finally:
            if starting is not None:
                starting.cancel()
                await asyncio.gather(starting, return_exceptions=True)
            await worker.stop()
            await core.close()

    metrics = Metrics()
    core.meter = metrics
    counted = {name: metrics.counted(app, name) for name, app in apps.items()}
    figures = create_metrics_app(metrics, lambda: core)
    front = Starlette(lifespan=lifespan)

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            app = figures if scope["path"] == PATH else counted[function_of(scope["path"])]
            await app(scope, receive, send)
        else:
            await front(scope, receive, send)

    public = urlsplit(core.settings.public_url or "").hostname
    shapes = {path: shape for app in apps.values() for path, shape in app.state.error_shapes.items()}
    return Visitors(route, [*names, *([public] if public else [])], origins_of(core.settings), shapes)


def open_port(host: str, port: int) -> socket.socket:
    """A listening socket; Unavailable when the port is taken."""
    # With the protocol named, asyncio sends at once; else every token may wait 40 ms for the one before to be acknowledged.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as exc:
        listener.close()
        raise Unavailable(
            f"Port {port} is in use or not allowed. Choose another: make run PORT={port + 1}, or footnote serve --port {port + 1}."
        ) from exc
    return listener


def serve(
    core: Core,
    *,
    host: str,
    port: int,
    ingest: Sequence[Path],
    say: Callable[[str], None],
    announce: Callable[[str], None],
    names: Sequence[str] = (),
) -> None:
    """Serves until it is interrupted. `names`: more host names that it goes by. `announce` gets the address, `say`
    what became of the first documents. Unavailable when the port or the data cannot be used, Conflict when another
    server works on them."""
    import uvicorn

    logging.getLogger("footnote.telemetry.metrics").setLevel(logging.INFO)  # a line for each turn
    listener = open_port(host, port)
    lock = Lock(core.settings.data)
    try:
        lock.take()
        asyncio.run(_check(core.settings))
        address = f"http://{host}:{listener.getsockname()[1]}"
        taking = _FirstDocuments(core, ingest, say)
        app = create_app(core, names=names, on_start=partial(_start, core, taking, address, say, announce))
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=DRAIN_S, server_header=False)
        server: Server = uvicorn.Server(config)
        server.run(sockets=[listener])
    finally:
        lock.release()
        listener.close()


async def _check(settings: Settings) -> None:
    """With a Core of its own: connections belong to the loop that they are made in, and the server's comes later."""
    core = Core(settings)
    try:
        for found in (await core.check()).values():
            if found != "ok":
                raise Unavailable(found)
    finally:
        await core.close()


class _FirstDocuments:
    """The documents named at the start. `/ready` waits for them."""

    def __init__(self, core: Core, paths: Sequence[Path], say: Callable[[str], None]) -> None:
        self._core, self._paths, self._say = core, paths, say
        self._done = self._total = 0
        self._finished = not paths
        core.checks["documents"] = self.check

    async def check(self) -> None:
        if not self._finished:
            raise Conflict(f"{self._done} of {self._total} first documents are read.")

    async def run(self) -> None:
        if self._finished:
            return
        try:
            report = await take_in(self._core, self._paths, collection=self._core.settings.index_name, groups=[], progress=self._progress)
            self._tell(report)
        except Exception as exc:  # a folder that is not there must not keep the server from serving
            self._say(f"The first documents were not read: {exc}")
        self._finished = True

    def _progress(self, done: int, total: int) -> None:
        self._done, self._total = done, total

    def _tell(self, report: Report) -> None:
        ready = sum(document.state == "READY" for document in report.documents.values())
        self._say(f"{ready} documents are ready to be asked about, {report.failed} could not be read.")
        for name, document in report.documents.items():
            if document.state == "FAILED":
                self._say(f"  {name}: {document.reason} {document.remedy}")
        for name, reason in report.refused.items():
            self._say(f"  {name}: {reason}")


async def _start(core: Core, taking: _FirstDocuments, address: str, say: Callable[[str], None], announce: Callable[[str], None]) -> None:
    announce(address)
    await taking.run()
    # Loads the models and tries the page's first questions before a person waits for them.
    known = {listed["name"]: listed["questions"] for listed in await core.collections(LOCAL)}
    question = next(iter(known.get(core.settings.index_name, ())), "What is Footnote?")
    body = json.dumps({"query_text": question, "index_name": core.settings.index_name, "permission_groups": []}, ensure_ascii=False)
    signed = "" if core.settings.auth.mode == "none" else """-H "authorization: Bearer $TOKEN" """
    say(f"Try: curl -N {address}/ask/stream {signed}-H 'content-type: application/json' -d {shlex.quote(body)}")
