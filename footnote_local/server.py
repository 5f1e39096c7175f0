"""The local server: all four functions at one address under uvicorn, as CloudFront does in AWS."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import shlex
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote.answer.model_source import no_model, which_model
from footnote.bootstrap import Core
from footnote.bootstrap.vectors import WORDS_ONLY, why_words_only
from footnote.errors import Conflict, ModelUnavailable, Unavailable
from footnote.guard.identity import LOCAL
from footnote.ingest.parser import DOCLING_REMEDY, NO_DOCLING, lacks_docling
from footnote.library.files import Report, take_in
from footnote.library.worker import Lock, Worker
from footnote.settings import Settings
from footnote_http.cors import origins_of
from footnote_http.streams import Streams
from footnote_local.admission import Admission
from footnote_local.origin_guard import HostOriginGuard
from footnote_local.proxies import TrustedProxies
from footnote_local.terminal import say, show_json

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
"""Path prefix → function; all other paths go to query. CloudFront in template.yaml has the same table."""

WAITING = 2048
"""Connections that may wait to be accepted."""
COLLECT_EVERY = 20_000
"""Container objects that are allocated and not freed between two collections of the garbage collector."""
DRAIN_S = 5
"""How long open streams may continue when the server is stopped."""


def function_of(path: str) -> str:
    """The function that serves this path."""
    return next((function for prefix, function in ROUTES if path == prefix or path.startswith(prefix + "/")), "query")


def create_app(
    core: Core,
    *,
    names: Sequence[str] = (),
    on_start: Callable[[], Awaitable[None]] | None = None,
    is_writer: bool = True,
    around: Callable[[ASGIApp, Streams], ASGIApp] | None = None,
) -> ASGIApp:
    """One app for the four functions, sharing one Core; its lifespan runs the worker, except where another process does. `around`: the
    outermost middleware."""
    from footnote_feedback.app import create_app as feedback
    from footnote_ingest.app import create_app as ingest
    from footnote_local.metrics import PATH, Metrics, create_metrics_app
    from footnote_query.app import create_app as query
    from footnote_stats.app import create_app as stats

    apps = {name: make(lambda: core) for name, make in (("query", query), ("ingest", ingest), ("feedback", feedback), ("stats", stats))}

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        worker = Worker(core)
        if is_writer:
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
    shapes = {path: shape for app in apps.values() for path, shape in app.state.error_shapes.items()}
    counted = {name: metrics.counted(Admission(app, shapes) if name == "query" else app, name) for name, app in apps.items()}
    figures = create_metrics_app(metrics, lambda: core)
    front = Starlette(lifespan=lifespan)

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            app = figures if scope["path"] == PATH else counted[function_of(scope["path"])]
            await app(scope, receive, send)
        else:
            await front(scope, receive, send)

    guard = HostOriginGuard(route, names, origins_of(core.settings), shapes, public_url=core.settings.public_url)
    proxied = TrustedProxies(guard, core.settings.trusted_proxies)
    return proxied if around is None else around(proxied, apps["query"].state.streams)


def make_server(app: ASGIApp, *, accept_at_once: int = WAITING) -> Server:
    """The HTTP server. It believes no header of a proxy; the app has a setting for that. `accept_at_once`: connections accepted in one
    turn of the loop."""
    import uvicorn

    # Without `proxy_headers=False`, every client on this machine, or behind a proxy on it, could name any address as its own.
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=DRAIN_S,
        server_header=False,
        proxy_headers=False,
        backlog=accept_at_once,
    )
    return uvicorn.Server(config)


def open_port(host: str, port: int) -> socket.socket:
    """A listening socket; Unavailable if the port is in use."""
    # asyncio sets TCP_NODELAY only if the protocol is given; else each token may wait 40 ms for the acknowledgement of the last.
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


def address_here(host: str, port: int) -> str:
    """The address for a process on this machine: a server that listens everywhere is asked at its loopback address."""
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104  # nothing is bound here
    return f"http://{'127.0.0.1' if everywhere else host}:{port}"


def announce(address: str, *, as_json: bool) -> None:
    """Says where the server is."""
    if as_json:
        show_json({"url": address})
    else:
        say(f"Footnote is running at {address}")


def serve(
    core: Core,
    *,
    host: str,
    port: int,
    ingest: Sequence[Path],
    names: Sequence[str] = (),
    as_json: bool = False,
) -> None:
    """Serves until interrupted. `names`: additional host names. `as_json`: announces the address as JSON. Unavailable if the port or the
    data cannot be used, Conflict if another server uses the data folder."""
    logging.getLogger("footnote.telemetry.metrics").setLevel(logging.INFO)  # a line for each turn
    listener = open_port(host, port)
    lock = Lock(core.settings.data)
    try:
        lock.take()
        asyncio.run(check_parts(core.settings))
        core.own_port = listener.getsockname()[1]
        address = f"http://{host}:{core.own_port}"
        lock.announce(address_here(host, core.own_port))
        taking = FirstDocuments(core, ingest, say)
        app = create_app(core, names=names, on_start=partial(begin, core, taking, address, say, partial(announce, as_json=as_json)))
        make_server(app).run(sockets=[listener])
    finally:
        lock.release()
        listener.close()


async def check_parts(settings: Settings) -> None:
    """Checks all parts with a separate Core, because connections belong to one event loop and the server starts its own."""
    core = Core(settings)
    try:
        for state in (await core.check()).values():
            if state != "ok":
                raise Unavailable(state)
    finally:
        await core.close()


class FirstDocuments:
    """Ingests the documents of `--ingest`. `/ready` waits for them."""

    def __init__(self, core: Core, paths: Sequence[Path], say: Callable[[str], None]) -> None:
        self._core, self._paths, self._say = core, paths, say
        self._done = self._total = 0
        self._finished = not paths
        core.checks["documents"] = self.check

    async def check(self) -> None:
        if not self._finished:
            raise Conflict(f"{self._done} of {self._total} initial documents are ready.")

    async def run(self) -> None:
        if self._finished:
            return
        try:
            report = await take_in(self._core, self._paths, collection=self._core.settings.index_name, groups=[], progress=self._progress)
            self._summarize(report)
        except Exception as exc:  # a missing folder must not stop the server
            self._say(f"The documents of --ingest could not be added: {exc}")
        self._finished = True

    def _progress(self, done: int, total: int) -> None:
        self._done, self._total = done, total

    def _summarize(self, report: Report) -> None:
        ready = sum(document.state == "READY" for document in report.documents.values())
        failed = f"; {report.failed} could not be read" if report.failed else ""
        self._say(f"{ready} {'document is' if ready == 1 else 'documents are'} ready{failed}.")
        for name, document in report.documents.items():
            if document.state == "FAILED":
                self._say(f"  {name}: {document.reason} {document.remedy}")
        if report.links:
            self._say(report.links)
        for name, reason in report.refused.items():
            self._say(f"  {name}: {reason}")


async def begin(core: Core, taking: FirstDocuments, address: str, say: Callable[[str], None], announce: Callable[[str], None]) -> None:
    """Announces the server and adds the first documents."""
    announce(address)
    say(await _which_model(core))
    if core.settings.embedding.builtin and (lacks_embedder := why_words_only(core)):
        say(f"{WORDS_ONLY} {lacks_embedder}")
    if lacks_docling(enabled=core.settings.docling_enabled):
        say(f"{NO_DOCLING} {DOCLING_REMEDY}")
    await taking.run()
    # Loads the models and prepares the page's suggested questions before the first user waits for them.
    questions = {listed["name"]: listed["questions"] for listed in await core.list_collections(LOCAL)}
    question = next(iter(questions.get(core.settings.index_name, ())), "What are these documents about?")
    body = json.dumps({"query_text": question, "index_name": core.settings.index_name, "permission_groups": []}, ensure_ascii=False)
    signed = "" if core.settings.auth.mode == "none" else """-H "authorization: Bearer $TOKEN" """
    say(f"Try: curl -N {address}/ask/stream {signed}-H 'content-type: application/json' -d {shlex.quote(body)}")
    _spare_garbage_collector()


def _spare_garbage_collector() -> None:
    """Excludes all loaded objects from garbage collections, and makes these rare: one takes 100 ms and more, while every question waits."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)


async def _which_model(core: Core) -> str:
    try:
        model = await core.models.pick(core.llm.model)
    except ModelUnavailable as exc:
        return f"{core.models.address}: {exc.detail}"
    return which_model(core.models.source, model.name, core.models.address, "en") if model else no_model(core.models.source, "en")
