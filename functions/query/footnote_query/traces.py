"""`/traces`: what one turn did, step by step, for the user who asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from footnote.memory.withdrawn import read_again
from footnote.types import Stage
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.openapi import NOT_FOUND
from footnote_http.routes import Router
from footnote_query.replies import UsageBody, make_usage
from footnote_query.steps import StepBody, make_steps

router = Router("Conversations", responses=NOT_FOUND)


PhaseName = Literal["query_analysis", "vector_search", "reranking", "graph_traversal", "llm_generation", "guardrails"]
PHASES: Mapping[Stage, PhaseName] = {
    Stage.UNDERSTAND: "query_analysis",
    Stage.RETRIEVE: "vector_search",
    Stage.RANK: "reranking",
    Stage.ANSWER: "llm_generation",
    Stage.GUARD: "guardrails",
    Stage.CHECK: "guardrails",
}
LISTS = "lists"
"""The step that searches the further lists, of which the graph is one."""


class PhaseBody(BaseModel):
    """The steps of a turn with one purpose."""

    name: PhaseName
    ms: float = Field(description="The sum of its steps.")
    status: str = Field(description="`ok`, or the status of the first step that was not.")
    steps: list[str]


class SpanBody(BaseModel):
    """A span of a trace."""

    name: str
    ms: float
    status: str
    detail: dict[str, Any]
    cost: float | None = Field(description="Of the tokens in `detail.used` at current prices; null = none, or a model has no price.")


class TraceBody(BaseModel):
    """The trace of a turn."""

    trace_id: str
    spans: list[SpanBody]
    phases: list[PhaseBody] = Field(description="The spans by purpose, in the order in which they begin.")
    queries: list[str] = Field(description="What was searched for in place of the question; [] = the question as it was.")
    notes: dict[str, Any] = Field(description="Texts that steps made or refused, such as `rejected_answer`.")
    usage: UsageBody


@router.get("/traces/{trace_id}", name="get_trace")
async def trace(trace_id: str, caller: CallerOf, core: CoreOf) -> TraceBody:
    """The steps of one turn of the caller's. Nobody else reads them, not even an admin."""
    stored = await core.turns.get(caller, trace_id)
    (record,) = (await read_again([stored], caller, index=core.index, ledger=core.ledger)).records
    steps = make_steps(record, core.settings.llm)
    return TraceBody(
        trace_id=record["trace_id"],
        spans=[SpanBody(**span, cost=step.cost) for span, step in zip(record["spans"], steps, strict=True)],
        phases=_phases(steps, "graph" in record.get("private", {}).get("latency_map", {})),
        queries=record["result"]["search_decision"]["rewritten_query"],
        notes=record.get("private", {}),
        usage=make_usage(record),
    )


def _phases(steps: Iterable[StepBody], searched_graph: bool) -> list[PhaseBody]:
    """Steps of the memory and of the account belong to none."""
    phases: dict[PhaseName, PhaseBody] = {}
    for step in steps:
        name = "graph_traversal" if step.name == LISTS and searched_graph else PHASES.get(step.stage)
        if name is None:
            continue
        phase = phases.setdefault(name, PhaseBody(name=name, ms=0, status="ok", steps=[]))
        phase.ms = round(phase.ms + step.ms, 2)
        phase.steps.append(step.name)
        phase.status = step.status if phase.status == "ok" else phase.status
    return list(phases.values())
