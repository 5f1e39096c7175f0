"""The app of the stats function: usage, cost and outcomes of turns, read live over HTTP and rolled up once an hour."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Query
from pydantic import BaseModel, Field

from footnote.errors import BadRequest
from footnote.learn.stats import DAY_S, By, Figures, Group, day_of, figures_of, midnight, roll_up, store_rollups
from footnote.types import Caller
from footnote_http.app import add_health, make_app
from footnote_http.callers import CallerOf, CoreOf, made_core
from footnote_http.lambda_handler import Handler, http_handler, use_loop
from footnote_http.scheduled import once
from footnote_http.start import observed, start

if TYPE_CHECKING:
    from footnote.bootstrap import Core

SCHEDULE = Caller("schedule", role="admin")
DEFAULT_DAYS = 30
FIRST = date(2000, 1, 1)


class StatsBody(BaseModel):
    """Statistics of a period: by group and in total."""

    first: date = Field(serialization_alias="from")
    last: date = Field(serialization_alias="to")
    by: By
    data: list[Group]
    total: Figures


def create_app(core: Callable[[], Core] | None = None) -> FastAPI:
    """The app. `core`: by default the process's shared Core."""
    app = make_app("Footnote: stats", core)
    add_health(app, "stats")

    @app.get("/stats", name="stats", tags=["Statistics"])
    async def stats(
        caller: CallerOf,
        core: CoreOf,
        first: Annotated[date | None, Query(alias="from", ge=FIRST, description="First day, UTC. Default: 29 days before `to`.")] = None,
        last: Annotated[date | None, Query(alias="to", ge=FIRST, description="Last day, UTC. Default: today.")] = None,
        by: By = "day",
    ) -> StatsBody:
        """Returns turns, tokens, cost, latency, refusals and feedback by group. Admins get all turns, others their own."""
        last = last or day_of(core.clock())
        first = first or day_of(midnight(last) - (DEFAULT_DAYS - 1) * DAY_S)
        if first > last:
            raise BadRequest("`from` is after `to`.")
        prices = core.settings.llm
        records = await core.turns.figures(caller, midnight(first), midnight(last) + DAY_S)
        return StatsBody(first=first, last=last, by=by, data=roll_up(records, by, prices), total=figures_of(records, prices))

    return app


def create_handler(app: FastAPI) -> Handler:
    """The Lambda handler: scheduled events, else HTTP."""
    http = http_handler(app)

    def handle(event: dict[str, Any], context: Any) -> Any:
        if event.get("detail-type") == "Scheduled Event":
            core = made_core(app)
            return once(event, context, partial(run_schedule, event, core), name="roll-up", table=core.settings.aws.cache_table)
        return http(event, context)

    return handle


def run_schedule(event: dict[str, Any], core: Core) -> dict[str, int]:
    """Rolls up the event's day and the day before. → {day: number of rows}."""
    at = datetime.fromisoformat(event["time"]).timestamp()
    return use_loop().run_until_complete(store_rollups(SCHEDULE, at, turns=core.turns))


app = start(create_app(), "stats")
handler = observed(create_handler(app), "stats")
