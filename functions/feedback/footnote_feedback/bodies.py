"""Requests and replies of the feedback function."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from footnote.errors import BadRequest
from footnote.text.pii import mask_pii
from footnote.turn_records.days import DAY_S, begin_of, end_of
from footnote.types import REASONS, Caller, Feedback, Rating, Stage
from footnote_http.pages import PageBody

FIRST = date(2000, 1, 1)
UsualReason = Literal["wrong", "incomplete", "outdated", "wrong_source", "unclear", "other"]
CitationId = Annotated[str, Field(min_length=1, max_length=200)]
Tag = Annotated[str, Field(min_length=1, max_length=50)]
Days = Annotated[int | None, Query(ge=1, le=366, description="Number of days up to now; not together with `from` and `to`.")]
FirstDay = Annotated[date | None, Query(alias="from", ge=FIRST, description="First day, UTC.")]
LastDay = Annotated[date | None, Query(alias="to", ge=FIRST, description="Last day, UTC. Default: today.")]
IndexName = Annotated[str | None, Query(max_length=200, description="Only turns that asked this collection.")]


class FeedbackRequest(BaseModel):
    """A rating of an answer. Personal data in its texts is masked before it is stored."""

    model_config = ConfigDict(str_strip_whitespace=True)

    trace_id: str = Field(min_length=1, max_length=100, description="The turn: `trace_id` or header `x-trace-id` of its response.")
    rating: Rating
    reason: str | None = Field(
        None, max_length=2000, description=f"The reason for the rating: {', '.join(REASONS)}; any other text counts as `other`."
    )
    comment: str | None = Field(None, max_length=2000, description="What there is to say beside a usual reason.")
    proposed_answer: str | None = Field(None, max_length=20_000, description="A better answer. No model is given it.")
    selected_citations: list[CitationId] = Field([], max_length=100, description="Useful passages: `chunk_id` or `doc_id`.")
    tags: list[Tag] = Field([], max_length=20)

    def feedback(self, caller: Caller, now: float) -> Feedback:
        """The feedback as it is stored."""
        code = (self.reason or "").casefold().replace(" ", "_").replace("-", "_")
        return Feedback(
            trace_id=self.trace_id,
            user_id=caller.user_id,
            rating=self.rating,
            reason=code if code in REASONS else _masked(self.reason),
            proposed_answer=_masked(self.proposed_answer),
            selected_citations=tuple(dict.fromkeys(self.selected_citations)),
            tags=tuple(dict.fromkeys(map(mask_pii, self.tags))),
            created_at=now,
            comment=_masked(self.comment),
        )


def _masked(text: str | None) -> str | None:
    return mask_pii(text) if text else None


class FeedbackAccepted(BaseModel):
    """The feedback was stored."""

    status: Literal["ok"] = "ok"


class OwnFeedback(BaseModel):
    """The caller's own feedback on a turn."""

    trace_id: str
    rating: Rating
    reason: str | None = Field(description="A usual reason, or what was written instead.")
    comment: str | None
    proposed_answer: str | None
    selected_citations: list[str]
    tags: list[str]
    given_at: float

    @classmethod
    def of(cls, given: Feedback) -> OwnFeedback:
        """The feedback as it is shown to the one who gave it."""
        return cls(
            trace_id=given.trace_id,
            rating=given.rating,
            reason=given.reason,
            comment=given.comment,
            proposed_answer=given.proposed_answer,
            selected_citations=list(given.selected_citations),
            tags=list(given.tags),
            given_at=given.created_at,
        )


class MetricsBody(BaseModel):
    """Metrics of answers; null = there is no feedback to measure."""

    positive_rate: float | None = Field(description="Share of thumbs up, 0 to 1.")
    counts_by_reason: dict[str, int] = Field(description="Usual reason → count. Every other reason counts as `other`.")
    ndcg: float | None = Field(serialization_alias="ndcg@k", description="nDCG of the citations in shown order; relevant = selected.")
    mrr: float | None = Field(serialization_alias="mrr@k", description="Mean of 1 / rank of the first selected citation.")
    trending_queries: list[str] = Field(description="At most 10 questions asked more often than in the same number of days before.")


class CitedBody(BaseModel):
    """A passage that the rated answer cites."""

    chunk_id: str
    doc_id: str
    title: str
    page: int | None
    snippet: str = Field(description="What of it supports the answer.")


class RatedStep(BaseModel):
    """A step of the turn that made the rated answer, without what it found or wrote."""

    name: str
    stage: Stage
    ms: float
    status: str


class GivenBody(BaseModel):
    """Feedback, and the turn that it is about."""

    trace_id: str
    user_id: str
    given_at: float
    rating: Rating
    reason: str | None = Field(description="A usual reason, or what was written instead.")
    collection: str
    withheld: bool = Field(description="True: the answer depends on documents that you may not read; nothing else is shown.")
    question: str
    answer: str
    outcome: str | None
    comment: str | None
    proposed_answer: str | None
    facts: list[str] = Field(description="What of the proposed answer a golden case can check word for word.")
    tags: list[str]
    selected_citations: list[str]
    citations: list[CitedBody]
    steps: list[RatedStep]
    room_id: str | None = Field(description="The conversation, if it is your own.")


class FeedbackPage(PageBody):
    """A page of feedback, the newest first."""

    data: list[GivenBody]


def period(days: int | None, first: date | None, last: date | None, now: float, default_days: int) -> tuple[float, float]:
    """[since, until), in seconds since the epoch. BadRequest for days together with dates, or for dates in the wrong order."""
    if first is None and last is None:
        return now - (days or default_days) * DAY_S, now
    if days is not None:
        raise BadRequest("Send either `days`, or `from` and `to`.")
    until = now if last is None else end_of(last.isoformat())
    since = until - default_days * DAY_S if first is None else begin_of(first.isoformat())
    if since >= until:
        raise BadRequest("`from` is after `to`.")
    return since, until
