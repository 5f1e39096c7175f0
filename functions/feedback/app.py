"""The app of the feedback function: ratings of answers, and metrics computed from them."""

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
    """A rating of an answer."""

    model_config = ConfigDict(str_strip_whitespace=True)

    trace_id: str = Field(min_length=1, max_length=100, description="The turn: `trace_id` or header `x-trace-id` of its response.")
    rating: Literal["up", "down"]
    reason: str | None = Field(None, max_length=2000, description="The reason for the rating.")
    proposed_answer: str | None = Field(None, max_length=20_000, description="A better answer.")
    selected_citations: list[CitationId] = Field([], max_length=100, description="Useful passages: `chunk_id` or `doc_id`.")
    tags: list[Tag] = Field([], max_length=20)


class FeedbackAccepted(BaseModel):
    """The feedback was stored."""

    status: Literal["ok"] = "ok"


class MetricsBody(BaseModel):
    """Metrics of answers; null = there is no feedback to measure."""

    positive_rate: float | None = Field(description="Share of thumbs up, 0 to 1.")
    counts_by_reason: dict[str, int] = Field(description="Reason → count, for the 50 most frequent reasons.")
    ndcg: float | None = Field(serialization_alias="ndcg@k", description="nDCG of the citations in shown order; relevant = selected.")
    mrr: float | None = Field(serialization_alias="mrr@k", description="Mean of 1 / rank of the first selected citation.")
    trending_queries: list[str] = Field(description="At most 10 questions asked more often than in the same number of days before.")


def create_app(core: Callable[[], Core] | None = None) -> FastAPI:
    """The app. `core`: by default the process's shared Core."""
    app = make_app("Footnote: feedback", core)
    add_health(app, "feedback")

    @app.post("/feedback", name="give_feedback", tags=["Feedback"], responses=problems({404: "The caller has no such turn"}))
    async def feedback(request: FeedbackRequest, caller: CallerOf, core: CoreOf) -> FeedbackAccepted:
        """Rates an answer. Each user has one rating per turn; a new one replaces it."""
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
        return FeedbackAccepted()

    @app.get("/feedback/metrics", name="feedback_metrics", tags=["Feedback"])
    async def metrics(
        caller: CallerOf,
        core: CoreOf,
        k: Annotated[int, Query(ge=1, le=100, description="Depth of nDCG and MRR.")] = 10,
        days: Annotated[int, Query(ge=1, le=366, description="Number of days to include.")] = 7,
    ) -> MetricsBody:
        """Returns metrics of recent answers. Admins get those of all turns, others of their own."""
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
