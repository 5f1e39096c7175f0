"""The server's Prometheus metrics: requests, outcomes and times, without user data."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from footnote.settings import ApiKey, Auth
from footnote.telemetry.metrics import LogMeter, metrics_of
from footnote.types import Answer, Span, Usage
from footnote_local.metrics import Metrics
from footnote_local.server import create_app
from tests.fakes import make_document, put_document
from tests.footnote_local.conftest import open_core
from tests.turns import make_turn

NOW = 1_700_000_000.0
CANARY = "zebra-canary"
Open = Callable[..., Awaitable[httpx.AsyncClient]]
Figures = dict[str, dict[tuple[tuple[str, str], ...], float]]


@pytest.fixture
async def open_with(tmp_path: Path) -> AsyncIterator[Open]:
    async with AsyncExitStack() as stack:

        async def open_(auth: Auth | None = None) -> httpx.AsyncClient:
            core = open_core(tmp_path, auth=auth)
            stack.push_async_callback(core.close)
            await put_document(core.generations, make_document("bridge", groups=("*",)), ["The bridge was built in 1894."])
            transport = httpx.ASGITransport(create_app(core), raise_app_exceptions=False)
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://localhost"))

        yield open_


def read(text: str) -> Figures:
    """Sample name → labels → value; for histograms the counts."""
    figures: Figures = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if family.name.startswith("footnote_") and not sample.name.endswith(("_bucket", "_created")):
                figures.setdefault(sample.name, {})[tuple(sorted(sample.labels.items()))] = sample.value
    return figures


async def figures_of(client: httpx.AsyncClient) -> Figures:
    reply = await client.get("/metrics")
    assert (reply.status_code, reply.headers["content-type"].partition(";")[0]) == (200, "text/plain")
    return read(reply.text)


async def ask(client: httpx.AsyncClient, question: str = "When was the bridge built?", **changes: Any) -> httpx.Response:
    asked = {"query_text": question, "index_name": "default", "permission_groups": [], "room_id": CANARY, **changes}
    return await client.post("/ask", json=asked)


@pytest.mark.usefixtures("sure_of_little")
async def test_turns_and_requests_are_counted(open_with: Open) -> None:
    client = await open_with()
    assert (await ask(client)).status_code == 200
    assert (await ask(client, "")).status_code == 422
    await client.get("/documents/nothing")
    figures = await figures_of(client)
    assert figures["footnote_turns_total"] == {
        (("mode", "rag"), ("outcome", "answered")): 1,
        (("mode", "rag"), ("outcome", "rejected")): 1,
    }
    assert figures["footnote_turn_seconds_count"] == {(): 2}
    assert figures["footnote_step_seconds_count"][(("step", "search"),)] == 1
    assert figures["footnote_step_outcomes_total"] == {(("status", "failed"), ("step", "guard")): 1}
    assert figures["footnote_http_requests_total"] == {
        (("function", "query"), ("method", "POST"), ("status", "200")): 1,
        (("function", "query"), ("method", "POST"), ("status", "422")): 1,
        (("function", "ingest"), ("method", "GET"), ("status", "404")): 1,
    }


async def test_documents_are_counted_by_their_state(open_with: Open) -> None:
    client = await open_with()
    await client.post("/ingest/file", files={"file": ("a.txt", b"The harbour.")}, data={"index_name": "default"})
    counts = {"RECEIVED": 1, "PROCESSING": 0, "READY": 0, "FAILED": 0, "DELETED": 0}
    assert (await figures_of(client))["footnote_documents"] == {(("state", state),): count for state, count in counts.items()}


async def test_nothing_that_a_client_sends_becomes_a_label(open_with: Open) -> None:
    client = await open_with()
    await ask(client, f"Where is the {CANARY}?", index_name=CANARY)
    await client.request("ZEBRA", f"/{CANARY}", headers={"user-agent": CANARY})
    await client.get(f"/documents/{CANARY}", params={CANARY: CANARY})
    text = (await client.get("/metrics")).text
    assert CANARY not in text
    assert "ZEBRA" not in text
    assert 'footnote_http_requests_total{function="query",method="other",status="404"}' in text


def test_an_agents_rounds_and_tools_are_one_step_each() -> None:
    metrics = Metrics()
    spans = (Span("round#1", 5), Span("round#2", 5), Span("tool:one", 1, "failed"), Span("tool:two", 1))
    turn = make_turn(spans=spans, started_at=NOW - 2, answer=Answer("Yes."), usage=Usage(11, 7), first_token_ms=500.0, degraded=True)
    metrics.measure(metrics_of(turn, NOW))
    assert metrics.registry.get_sample_value("footnote_step_seconds_count", {"step": "round"}) == 2
    assert metrics.registry.get_sample_value("footnote_step_seconds_count", {"step": "tool"}) == 2
    assert metrics.registry.get_sample_value("footnote_step_outcomes_total", {"step": "tool", "status": "failed"}) == 1
    assert metrics.registry.get_sample_value("footnote_turn_seconds_sum") == 2
    assert metrics.registry.get_sample_value("footnote_first_token_seconds_sum") == 0.5
    assert metrics.registry.get_sample_value("footnote_tokens_total", {"kind": "completion"}) == 7
    assert metrics.registry.get_sample_value("footnote_degraded_turns_total") == 1


async def test_where_people_sign_in_the_figures_are_for_admins(open_with: Open) -> None:
    keys = {"ann": ApiKey(key="a" * 20), "boss": ApiKey(key="b" * 20, role="admin")}
    client = await open_with(Auth(mode="api_key", api_keys=keys))
    statuses = [
        (await client.get("/metrics", headers=headers)).status_code for headers in ({}, {"api-key": "a" * 20}, {"api-key": "b" * 20})
    ]
    assert statuses == [401, 403, 200]


def test_each_turn_leaves_one_line_of_ids_sizes_and_times(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    log = logging.getLogger("footnote.telemetry.metrics")
    monkeypatch.setattr(log, "handlers", [caplog.handler])
    caplog.set_level(logging.INFO, logger=log.name)
    monkeypatch.setattr(log, "propagate", False)
    assert issubclass(Metrics, LogMeter)
    turn = make_turn(f"Where is the {CANARY}?", answer=Answer(f"The {CANARY} is here."), started_at=NOW - 1)
    Metrics().measure(metrics_of(turn, NOW))
    (record,) = caplog.records
    assert (record.message, record.__dict__["outcome"], record.__dict__["ms"]) == ("turn", "answered", 1000)
    assert CANARY not in str(record.__dict__)
