"""The app of the feedback function: ratings of answers, metrics and weights computed from them, and the list of ratings for admins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, Query, Response

from footnote.errors import NotFound
from footnote.learn.feedback import measure_feedback, trending_queries
from footnote.ports import FeedbackFilter
from footnote.text.pii import mask_pii
from footnote.types import Rating
from footnote_feedback.bodies import (
    Days,
    FeedbackAccepted,
    FeedbackPage,
    FeedbackRequest,
    FirstDay,
    IndexName,
    LastDay,
    MetricsBody,
    OwnFeedback,
    UsualReason,
    period,
)
from footnote_feedback.reviews import list_feedback
from footnote_feedback.weights import WeightsBody, read_weights, reset
from footnote_http.app import Limit, make_app
from footnote_http.callers import AdminOf, CallerOf, CoreOf
from footnote_http.health import add_health
from footnote_http.lambda_handler import http_handler
from footnote_http.openapi import problems
from footnote_http.routes import Router
from footnote_http.start import observed, start

if TYPE_CHECKING:
    from footnote.bootstrap import Core

METRICS_DAYS, LIST_DAYS = 7, 366
ADMINS_ONLY = problems({403: "The caller is not an admin"})
WeighedName = Annotated[str | None, Query(max_length=200, description="Only this collection.")]
NO_FEEDBACK = "There is no feedback of yours on this turn."


router = Router("Feedback")


@router.post("/feedback", name="give_feedback", responses=problems({404: "The caller has no such turn"}))
async def feedback(request: FeedbackRequest, caller: CallerOf, core: CoreOf) -> FeedbackAccepted:
    """Rates an answer. Each user has one rating per turn; a new one replaces it."""
    await core.feedback.put(caller, request.feedback(caller, core.clock()))
    return FeedbackAccepted()


@router.get("/feedback", name="list_feedback", responses=ADMINS_ONLY)
async def feedback_list(
    admin: AdminOf,
    core: CoreOf,
    index_name: IndexName = None,
    rating: Rating | None = None,
    reason: Annotated[UsualReason | None, Query(description="`other`: also reasons in words of their own.")] = None,
    trace_id: Annotated[str | None, Query(max_length=100)] = None,
    days: Days = None,
    first: FirstDay = None,
    last: LastDay = None,
    limit: Limit = 50,
    after: str | None = None,
) -> FeedbackPage:
    """Lists everybody's feedback, the newest first. Of turns that depend on documents that the admin may not read, only rating, usual
    reason and collection are shown."""
    since, until = period(days, first, last, core.clock(), LIST_DAYS)
    collections = None if index_name is None else await core.collections.names_of(index_name)
    until_now = None if last is None else until
    return await list_feedback(core, admin, FeedbackFilter(since, until_now, rating, reason, collections, trace_id), limit, after)


@router.get("/feedback/metrics", name="feedback_metrics")
async def metrics(
    caller: CallerOf,
    core: CoreOf,
    k: Annotated[int, Query(ge=1, le=100, description="Depth of nDCG and MRR.")] = 10,
    index_name: IndexName = None,
    days: Days = None,
    first: FirstDay = None,
    last: LastDay = None,
) -> MetricsBody:
    """Returns metrics of the answers of a period, by default of the last 7 days. Admins get those of all turns, others of their own.
    Trending questions of others are only those whose documents the caller may read."""
    since, until = period(days, first, last, core.clock(), METRICS_DAYS)
    collections = None if index_name is None else await core.collections.names_of(index_name)
    recent = await core.statistics.figures(caller, since, until)
    measured = measure_feedback([each for each in recent if collections is None or each.collection in collections], k=k)
    trending = await trending_queries(recent, since, until, caller, statistics=core.statistics, ledger=core.ledger, collections=collections)
    return MetricsBody(
        positive_rate=measured.positive_rate,
        counts_by_reason=measured.counts_by_reason,
        ndcg=measured.ndcg,
        mrr=measured.mrr,
        trending_queries=[mask_pii(question) for question in trending],
    )


@router.get("/feedback/weights", name="feedback_weights", responses=ADMINS_ONLY)
async def weights(admin: AdminOf, core: CoreOf, index_name: WeighedName = None) -> WeightsBody:
    """Returns the weights that feedback gives to documents and fields."""
    return await read_weights(core, admin, index_name)


@router.delete(
    "/feedback/weights",
    name="reset_feedback_weights",
    status_code=204,
    responses=ADMINS_ONLY | problems({404: "Nothing has been learned for this collection"}),
)
async def forget(admin: AdminOf, core: CoreOf, index_name: Annotated[str, Query(max_length=200)]) -> Response:
    """Drops the weights of a collection at once. Feedback that was given until now does not count any more."""
    await reset(core, admin, index_name)
    return Response(status_code=204)


@router.get(
    "/feedback/{rated_trace_id}",
    name="get_feedback",
    responses=problems({404: "The caller gave no feedback on this turn"}),
)
async def own(rated_trace_id: str, caller: CallerOf, core: CoreOf) -> OwnFeedback:
    """The caller's own feedback on a turn."""
    given = await core.feedback.get(caller, rated_trace_id)
    if given is None:
        raise NotFound(NO_FEEDBACK)
    return OwnFeedback.of(given)


@router.delete(
    "/feedback/{rated_trace_id}",
    name="delete_feedback",
    status_code=204,
    responses=problems({404: "The caller gave no feedback on this turn"}),
)
async def delete(rated_trace_id: str, caller: CallerOf, core: CoreOf) -> Response:
    """Deletes the caller's own feedback on a turn."""
    if not await core.feedback.delete(caller, rated_trace_id):
        raise NotFound(NO_FEEDBACK)
    return Response(status_code=204)


def create_app(core: Callable[[], Core] | None = None) -> FastAPI:
    """The app. `core`: by default the process's shared Core."""
    app = make_app("Footnote: feedback", core)
    add_health(app, "feedback")
    router.add_to(app)
    return app


app = start(create_app(), "feedback")
handler = observed(http_handler(app), "feedback")
