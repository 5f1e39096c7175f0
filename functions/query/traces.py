"""`/traces`: what one turn did, step by step, for the user who asked."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from footnote.memory.withdrawn import read_again
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.routes import Router
from query.conversations import NOT_FOUND
from query.replies import UsageBody, make_usage

router = Router("Conversations", responses=NOT_FOUND)


class SpanBody(BaseModel):
    """A span of a trace."""

    name: str
    ms: float
    status: str
    detail: dict[str, Any]


class TraceBody(BaseModel):
    """The trace of a turn."""

    trace_id: str
    spans: list[SpanBody]
    queries: list[str] = Field(description="What was searched for in place of the question; [] = the question as it was.")
    notes: dict[str, Any] = Field(description="Texts that steps made or refused, such as `rejected_answer`.")
    usage: UsageBody


@router.get("/traces/{trace_id}", name="get_trace")
async def trace(trace_id: str, caller: CallerOf, core: CoreOf) -> TraceBody:
    """The steps of one turn of the caller's. Nobody else reads them, not even an admin."""
    stored = await core.turns.get(caller, trace_id)
    (record,) = (await read_again([stored], caller, index=core.index, ledger=core.ledger)).records
    return TraceBody(
        trace_id=record["trace_id"],
        spans=[SpanBody(**span) for span in record["spans"]],
        queries=record["result"]["search_decision"]["rewritten_query"],
        notes=record.get("private", {}),
        usage=make_usage(record),
    )
