"""`GET /metrics` of the server, for Prometheus. Labels come from short fixed lists; they contain no names or texts of users."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from fastapi import FastAPI, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, Metric, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote.telemetry.metrics import LogMeter
from footnote.types import TurnMetrics
from footnote_http.app import make_app
from footnote_http.callers import AdminOf, CoreOf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from footnote.bootstrap import Core

PATH = "/metrics"
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")
QUICK = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
SLOW = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)
"""Bounds in seconds: of steps and requests, of whole turns."""


class Metrics(LogMeter):
    """`ports.Meter`: the line of the log, and the figures of turns; beside them those of requests."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry
        self._folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        """Where several processes of one server keep their figures."""
        if self._folder is None:
            ProcessCollector(registry=registry)
        self.turns = Counter("footnote_turns", "Questions, by how they ended and who answered.", ["outcome", "mode"], registry=registry)
        self.seconds = Histogram("footnote_turn_seconds", "From a question to its saved answer.", buckets=SLOW, registry=registry)
        self.first_token = Histogram(
            "footnote_first_token_seconds", "From a question to the first piece of its answer.", buckets=SLOW, registry=registry
        )
        self.tokens = Counter("footnote_tokens", "Tokens that models read and wrote.", ["kind"], registry=registry)
        self.degraded = Counter("footnote_degraded_turns", "Answers with a part missing.", registry=registry)
        self.unsaved = Counter("footnote_unsaved_turns", "Turns that could not be stored.", registry=registry)
        self.fallbacks = Counter("footnote_model_fallbacks", "Answers of another model than the one that was to.", registry=registry)
        self.steps = Histogram("footnote_step_seconds", "Steps of turns.", ["step"], buckets=QUICK, registry=registry)
        self.step_outcomes = Counter("footnote_step_outcomes", "Steps that did not go well.", ["step", "status"], registry=registry)
        self.requests = Counter("footnote_http_requests", "Requests.", ["function", "method", "status"], registry=registry)
        self.request_seconds = Histogram(
            "footnote_http_request_seconds", "To the end of the reply.", ["function"], buckets=QUICK, registry=registry
        )
        self.documents = Gauge(
            "footnote_documents", "Documents, by their state.", ["state"], registry=registry, multiprocess_mode="mostrecent"
        )

    def measure(self, turn: TurnMetrics) -> None:
        super().measure(turn)
        self.turns.labels(turn.ended, turn.mode).inc()
        self.seconds.observe(max(0.0, turn.ms / 1000))
        if turn.first_token_ms is not None:
            self.first_token.observe(turn.first_token_ms / 1000)
        self.tokens.labels("prompt").inc(turn.usage.prompt_tokens)
        self.tokens.labels("completion").inc(turn.usage.completion_tokens)
        self.degraded.inc(turn.degraded)
        self.unsaved.inc(not turn.persisted)
        self.fallbacks.inc(turn.fell_back)
        for span in turn.spans:
            step = span.name.partition("#")[0].partition(":")[0]  # round#2 is a round, tool:… a tool
            self.steps.labels(step).observe(span.ms / 1000)
            if span.status != "ok":
                self.step_outcomes.labels(step, span.status).inc()

    async def render(self, core: Core) -> bytes:
        for state, count in (await core.lifecycle.counts()).items():
            self.documents.labels(state).set(count)
        if self._folder is None:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together, self._folder)  # type: ignore[no-untyped-call]
        together.register(_Processes())
        return generate_latest(together)

    def counted(self, app: ASGIApp, function: str) -> ASGIApp:
        """The app, its requests counted."""

        async def run(scope: Scope, receive: Receive, send: Send) -> None:
            started, status = perf_counter(), 500

            async def watch(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            try:
                await app(scope, receive, watch)
            finally:
                method = scope["method"] if scope["method"] in METHODS else "other"
                self.requests.labels(function, method, str(status)).inc()
                self.request_seconds.labels(function).observe(perf_counter() - started)

        return run


class _Processes(Collector):
    """The figures of all processes of this server, added up."""

    def collect(self) -> Iterable[Metric]:
        """Of the children of the supervisor; none where the system does not list them."""
        parent, found = os.getppid(), dict[str, Metric]()
        with suppress(OSError):
            for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
                for metric in ProcessCollector(pid=partial(str, pid), registry=None).collect():
                    if metric.name != "process_start_time_seconds":
                        found.setdefault(metric.name, metric)
                        if found[metric.name] is not metric:
                            found[metric.name].samples = [
                                one._replace(value=one.value + other.value)
                                for one, other in zip(found[metric.name].samples, metric.samples, strict=True)
                            ]
        return found.values()


def create_metrics_app(metrics: Metrics, core: Callable[[], Core]) -> FastAPI:
    """For admins, where people sign in: the figures include other people's usage."""
    app = make_app("Footnote: metrics", core)

    @app.get(PATH)
    async def show(admin: AdminOf, core: CoreOf) -> Response:
        return Response(await metrics.render(core), media_type=CONTENT_TYPE_LATEST)

    return app
