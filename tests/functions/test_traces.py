"""`/traces`: only for the user who asked."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from footnote.answer.messages import message
from footnote.errors import Unavailable
from footnote.ports import Delta
from footnote.settings import LLM
from footnote.types import Caller, KnowledgeKind, Usage
from tests.fakes import switch_on
from tests.functions.conftest import ASK, QUESTION, OpenSite, Serve, Site, read_events

PHASES = ["guardrails", "llm_generation", "query_analysis", "vector_search", "reranking"]
CHAT: dict[str, Any] = {"messages": [{"role": "user", "content": QUESTION}], "rag": {"enabled": True}}
ANN = Caller("ann", frozenset({"staff"}))


async def test_a_trace_shows_the_steps_and_the_rejected_candidates(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894, trust me.", caller=ANN)
    asked = await site.client.post("/chat", json={"query": QUESTION})
    assert asked.json()["answer"] == message("uncited", "en")
    trace_id = asked.headers["x-trace-id"]
    body = (await site.client.get(f"/traces/{trace_id}")).json()
    assert (body["trace_id"], body["queries"]) == (trace_id, [])
    assert body["notes"]["rejected_answer"] == "It was built in 1894, trust me."
    spans = {span["name"]: span for span in body["spans"]}
    assert spans["read"]["detail"] == {"hits": 1}
    assert {span["status"] for span in body["spans"]} == {"ok"}
    assert body["usage"]["total_tokens"] > 0
    assert "trust me" not in (await site.client.get(f"/turns/{trace_id}")).text


async def phases_of(site: Site, trace_id: str) -> dict[str, dict[str, Any]]:
    body = (await site.client.get(f"/traces/{trace_id}")).json()
    assert {name for phase in body["phases"] for name in phase["steps"]} <= {span["name"] for span in body["spans"]}
    return {phase["name"]: phase for phase in body["phases"]}


async def test_a_trace_has_its_steps_by_purpose(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [1].")
    trace_id = (await site.client.post("/api/chat", json=CHAT)).json()["trace_id"]
    phases = await phases_of(site, trace_id)
    assert list(phases) == PHASES
    assert {phase["status"] for phase in phases.values()} == {"ok"}
    assert "generate" in phases["llm_generation"]["steps"]
    assert {"guard", "support_check"} <= set(phases["guardrails"]["steps"])
    spans = {span["name"]: span["ms"] for span in (await site.client.get(f"/traces/{trace_id}")).json()["spans"]}
    for phase in phases.values():
        assert phase["ms"] == pytest.approx(sum(spans[name] for name in phase["steps"]), abs=0.1)
    assert phases["llm_generation"]["ms"] > 0


@pytest.mark.parametrize(("source", "phase"), [("graph", "graph_traversal"), ("summary_tree", "vector_search")], ids=["graph", "none"])
async def test_a_graph_is_a_phase_of_its_own_even_if_it_is_down(open_site: OpenSite, source: KnowledgeKind, phase: str) -> None:
    class Down:
        async def search(self, *_: Any) -> Any:
            raise Unavailable("Down.")

    site = await open_site("It was built in 1894 [1].")
    await switch_on(site.core, source)
    site.core.ranked_lists = {source: Down()}
    asked = CHAT | {"messages": [{"role": "user", "content": "How did Mason in 1894 build the bridge?"}]}
    body = (await site.client.post("/api/chat", json=asked)).json()
    assert (body["message"], body["degraded"]) == ("It was built in 1894 [1].", True)
    assert [name for name, each in (await phases_of(site, body["trace_id"])).items() if "lists" in each["steps"]] == [phase]


async def test_a_reader_who_leaves_finds_the_whole_trace(open_site: OpenSite, serve: Serve) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [1].")
    async with (
        httpx.AsyncClient() as client,
        client.stream("POST", f"{await serve(site.app)}/api/chat", json=CHAT | {"stream": True}) as reply,
    ):
        events = (json.loads(line.removeprefix("data: ")) async for line in reply.aiter_lines() if line.startswith("data: "))
        async for event in events:
            if event["type"] == "token":
                break
        trace_id = reply.headers["x-trace-id"]
    await site.core.answer.drain()
    phases = await phases_of(site, trace_id)
    assert set(phases) == set(PHASES)
    assert phases["llm_generation"]["steps"] == ["model", "context", "generate"]


async def test_a_step_that_calls_a_model_shows_its_tokens_and_what_they_cost(open_site: OpenSite) -> None:
    paid = LLM(discover=False, input_price=10, output_price=20)
    site = await open_site("It was built in 1894 [^bridge].", Delta(usage=Usage(300, 100)), llm=paid)
    events = read_events((await site.client.post("/ask/stream", json=ASK)).text)
    trace_id, used = events[-1]["trace_id"], [{"model": "fake", "prompt_tokens": 300, "completion_tokens": 100}]
    streamed = [(each["name"], each["out"]["used"], each["cost"]) for each in events if each["type"] == "node" and "cost" in each]
    steps = (await site.client.get(f"/turns/{trace_id}")).json()["steps"]
    stored = [(each["name"], each["out"]["used"], each["cost"]) for each in steps if each["cost"] is not None]
    spans = (await site.client.get(f"/traces/{trace_id}")).json()["spans"]
    traced = [(each["name"], each["detail"]["used"], each["cost"]) for each in spans if each["cost"] is not None]
    assert streamed == stored == traced == [("generate", used, 0.005)]
