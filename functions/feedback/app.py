"""The feedback function: thumbs up, thumbs down, and why; and what all of them say together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import FastAPI, Query
from pydantic import BaseModel, ConfigDict, Field

from footnote.learn.feedback import measure_feedback
from footnote.types import Feedback
from footnote_http.app import add_health, make_app
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.lambda_handler import http_handler
from footnote_http.openapi import problems
from footnote_http.start import observed, start

if TYPE_CHECKING:
    from footnote.bootstrap import Core

DAY_S = 86_400.0

CitationId = Annotated[str, Field(min_length=1, max_length=200)]
Tag = Annotated[str, Field(min_length=1, max_length=50)]


class FeedbackRequest(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    trace_id: str = Field(min_length=1, max_length=100, description="The turn, as in `x-trace-id` and `trace_id` of its reply.")
    rating: Literal["up", "down"]
    reason: str | None = Field(None, max_length=2000, description="Why.")
    proposed_answer: str | None = Field(None, max_length=20_000, description="What the answer should have been.")
    selected_citations: list[CitationId] = Field([], max_length=100, description="Passages that were useful: `chunk_id` or `doc_id`.")
    tags: list[Tag] = Field([], max_length=20)


class Taken(BaseModel):
    status: Literal["ok"] = "ok"


class MetricsBody(BaseModel):
    """null = nobody has said anything to measure."""

    positive_rate: float | None = Field(description="Share of thumbs up, 0 to 1.")
    counts_by_reason: dict[str, int] = Field(description="The 50 most frequent.")
    ndcg: float | None = Field(serialization_alias="ndcg@k", description="Of the citations as shown; relevant = selected.")
    mrr: float | None = Field(serialization_alias="mrr@k", description="1 / place of the first selected citation.")
    trending_queries: list[str] = Field(description="At most 10 that were asked more often than in as many days before.")


def create_app(core: Callable[[], Core] | None = None) -> FastAPI:
    app = make_app("Footnote: feedback", core)
    add_health(app, "feedback")

    @app.post("/feedback", name="give_feedback", tags=["Feedback"], responses=problems({404: "There is no such turn of the caller's"}))
    async def feedback(request: FeedbackRequest, caller: CallerOf, core: CoreOf) -> Taken:
        """What a user thinks of an answer. One for each turn and user: the last one stands."""
        given = Feedback(
            trace_id=request.trace_id,
            user_id=caller.user_id,
            rating=request.rating,
            reason=request.reason or None,
            proposed_answer=request.proposed_answer or None,
            selected_citations=tuple(dict.fromkeys(request.selected_citations)),
            tags=tuple(dict.fromkeys(request.tags)),
            created_at=core.clock(),
        )
        await core.turns.put_feedback(caller, given)
        return Taken()

    @app.get("/feedback/metrics", name="feedback_metrics", tags=["Feedback"])
    async def metrics(
        caller: CallerOf,
        core: CoreOf,
        k: Annotated[int, Query(ge=1, le=100, description="Citations that count.")] = 10,
        days: Annotated[int, Query(ge=1, le=366, description="How far back the turns go.")] = 7,
    ) -> MetricsBody:
        """What feedback says of the last days' answers: an admin's view is of all turns, others see their own."""
        now = core.clock()
        since = now - days * DAY_S
        records = await core.turns.figures(caller, since - days * DAY_S, now)
        measured = measure_feedback(records, since, k=k)
        return MetricsBody(
            positive_rate=measured.positive_rate,
            counts_by_reason=measured.counts_by_reason,
            ndcg=measured.ndcg,
            mrr=measured.mrr,
            trending_queries=list(measured.trending_queries),
        )

    return app


app = start(create_app(), "feedback")
handler = observed(http_handler(app), "feedback")
