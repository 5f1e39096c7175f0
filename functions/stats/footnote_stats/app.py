"""The app of the stats function: usage, cost and outcomes of turns over HTTP, and their roll-up once an hour."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi.responses import Response

from footnote.learn.experiment_results import follow_ratings
from footnote.learn.rollups import store_rollups
from footnote.learn.weigh import learn_weights
from footnote.types import Caller, GroupBy
from footnote_http.app import make_app
from footnote_http.callers import CallerOf, CoreOf, made_core
from footnote_http.health import add_health
from footnote_http.lambda_handler import Handler, http_handler, use_loop
from footnote_http.openapi import problems
from footnote_http.routes import Router
from footnote_http.scheduled import once
from footnote_http.start import observed, start
from footnote_stats.bodies import StatsBody, rows_of
from footnote_stats.export import to_csv
from footnote_stats.read import FIRST, make_wanted, read_stats

if TYPE_CHECKING:
    from footnote.bootstrap import Core

SCHEDULE = Caller("schedule", role="admin")
CSV = "text/csv"

RESPONSES = problems({403: "Only admins see questions and documents"})
RESPONSES[200] = {"content": {CSV: {"schema": {"type": "string"}}}, "description": "The statistics"}


router = Router("Statistics")


@router.get("/stats", name="stats", response_model=StatsBody, responses=RESPONSES)
async def stats(
    request: Request,
    caller: CallerOf,
    core: CoreOf,
    first: Annotated[date | None, Query(alias="from", ge=FIRST, description="First day, UTC. Default: 29 days before `to`.")] = None,
    last: Annotated[date | None, Query(alias="to", ge=FIRST, description="Last day, UTC. Default: today.")] = None,
    by: Annotated[
        GroupBy, Query(description="`hour`: at most 7 days. `question`: those not answered, `document`: those cited; for admins.")
    ] = "day",
    collection: Annotated[str | None, Query(max_length=100, description="Only turns that asked this collection.")] = None,
    format_: Annotated[Literal["json", "csv"] | None, Query(alias="format", description="Default: as `accept` asks.")] = None,
) -> StatsBody | Response:
    """Returns turns, tokens, cost, latency, tiers of answers and feedback by group, as JSON or CSV. Admins get all turns, others
    their own."""
    wanted = make_wanted(first, last, by, collection, core.clock())
    body = await read_stats(core, caller, wanted)
    if format_ == "csv" or (format_ is None and CSV in request.headers.get("accept", "")):
        name = f"footnote-{by}-{wanted.first}-{wanted.last}.csv"
        return Response(to_csv(rows_of(body)), media_type=CSV, headers={"content-disposition": f'attachment; filename="{name}"'})
    return body


def create_app(core: Callable[[], Core] | None = None) -> FastAPI:
    """The app. `core`: by default the process's shared Core."""
    app = make_app("Footnote: stats", core)
    add_health(app, "stats")
    router.add_to(app)
    return app


def create_handler(app: FastAPI) -> Handler:
    """The Lambda handler: scheduled events, else HTTP."""
    http = http_handler(app)

    def handle(event: dict[str, Any], context: Any) -> Any:
        if event.get("detail-type") == "Scheduled Event":
            core = made_core(app)
            return once(event, context, partial(run_schedule, core), name="roll-up", table=core.settings.aws.cache_table)
        return http(event, context)

    return handle


def run_schedule(core: Core) -> dict[str, int]:
    """Rolls up today and the days that have changed, lets the shares of bandits follow their ratings, and learns weights from feedback.
    → {day: number of roll-ups}."""

    async def work() -> dict[str, int]:
        stored = await store_rollups(SCHEDULE, core.clock(), statistics=core.statistics)
        await follow_ratings(SCHEDULE, records=core.records, statistics=core.statistics, clock=core.clock)
        await learn_weights(
            feedback=core.feedback, ledger=core.ledger, records=core.records, collections=core.collections, clock=core.clock
        )
        return stored

    return use_loop().run_until_complete(work())


app = start(create_app(), "stats")
handler = observed(create_handler(app), "stats")
