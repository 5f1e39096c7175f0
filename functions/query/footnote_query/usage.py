"""`/me/usage`: what the caller has used today and in 30 days, and what is left of their daily budget."""

from __future__ import annotations

from datetime import date, timedelta

from pydantic import BaseModel, Field

from footnote.learn.rollups import read_tallies
from footnote.learn.stats import Figures, figures_of
from footnote.turn_records.days import day_of
from footnote.types import Caller
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.routes import Router

router = Router("Me")
DAYS = 30


class UsedBody(BaseModel):
    """What was used in a period."""

    questions: int
    tokens: int
    cost: float | None = Field(description="In the currency of the prices; null = a model that was used has no price.")


class BudgetBody(BaseModel):
    """The caller's budget for a day (UTC)."""

    tokens_per_day: int | None = Field(description="null = unlimited.")
    money_per_day: float | None = Field(description="In the currency of the prices; null = unlimited.")
    spent: float = Field(description="Share that is spent; 1 = all of it. The higher one of tokens and money.")
    cheaper_at: float = Field(description="Share from which a cheaper model answers.")


class OwnUsage(BaseModel):
    """What the caller has used."""

    today: UsedBody
    days: int = Field(description="Length of the longer period, which ends today.")
    period: UsedBody
    budget: BudgetBody | None = Field(description="null = the caller's use is not limited.")


@router.get("/me/usage", name="get_my_usage")
async def usage(caller: CallerOf, core: CoreOf) -> OwnUsage:
    """Returns the caller's own questions, tokens and cost, also for an admin, and their budget. Days are UTC."""
    today = day_of(core.clock())
    first = (date.fromisoformat(today) - timedelta(days=DAYS - 1)).isoformat()
    own = Caller(caller.user_id)  # without a role: nobody else's figures

    async def used(since: str) -> UsedBody:
        return _body(figures_of(await read_tallies(own, since, today, statistics=core.statistics), core.settings.llm))

    return OwnUsage(today=await used(today), days=DAYS, period=await used(first), budget=await _budget(caller, core))


def _body(figures: Figures) -> UsedBody:
    return UsedBody(questions=figures.turns, tokens=figures.total_tokens, cost=figures.cost)


async def _budget(caller: Caller, core: CoreOf) -> BudgetBody | None:
    budget = core.settings.budget.of(caller.user_id)
    if caller.sees_all or not (budget.tokens_per_day or budget.money_per_day):
        return None
    return BudgetBody(
        tokens_per_day=budget.tokens_per_day or None,
        money_per_day=budget.money_per_day or None,
        spent=await core.spending.share(caller.user_id, budget),
        cheaper_at=budget.cheaper_at,
    )
