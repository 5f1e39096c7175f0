"""Daily budgets of users, in tokens and money."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from footnote.checkpoints import TurnCheckpoint
from footnote.errors import StoreUnavailable
from footnote.ports import Cache, Clock
from footnote.settings import LLM, Budget, Settings
from footnote.steps import known_early
from footnote.types import Allowance, ModelCall, Turn

log = logging.getLogger(__name__)

DAY_S = 86_400
MILLIONTHS = 1_000_000
"""Counters are integers, so money is counted in millionths."""
OUTAGE_SHARE = 0.1
"""Share of a budget that applies while the counters are unreachable and each process knows only its own spending."""


class Spending:
    """What users have spent today (UTC), counted in a store shared by all processes."""

    def __init__(self, cache: Cache, clock: Clock) -> None:
        self._cache = cache
        self._clock = clock
        self._own: Counter[str] = Counter()
        self._day = 0

    async def share(self, user_id: str, budget: Budget) -> float:
        """Share of the budget that the user has spent; 1 = all of it. The higher one of tokens and money."""
        limits = {self._key(unit, user_id): limit for unit, limit in _limits(budget).items()}
        try:
            spent = await asyncio.gather(*map(self._cache.get, limits))
        except StoreUnavailable:
            log.warning("counter store is down; budgets are counted per process")
            return max(self._own[key] / limit for key, limit in limits.items()) / OUTAGE_SHARE
        return max((amount or 0) / limit for amount, limit in zip(spent, limits.values(), strict=True))

    async def add(self, user_id: str, spent: Mapping[str, int]) -> None:
        """Adds to what the user has spent. `spent`: unit → amount, money in millionths."""
        keys = {self._key(unit, user_id): amount for unit, amount in spent.items()}
        self._own.update(keys)
        await asyncio.gather(*(self._cache.add(key, amount, 2 * DAY_S) for key, amount in keys.items()))

    def _key(self, unit: str, user_id: str) -> str:
        day = int(self._clock() // DAY_S)
        if day != self._day:
            self._own.clear()
            self._day = day
        return f"budget:{unit}:{user_id}:{day}"


@dataclass(frozen=True, slots=True)
class SharedBudget:
    """The daily budget of what nobody asked for, such as descriptions of documents: it counts as one user."""

    spending: Spending
    user_id: str
    settings: Callable[[], Settings]

    async def is_left(self) -> bool:
        """Whether the day's budget is not spent yet."""
        budget = self.settings().budget.of(self.user_id)
        return not _limits(budget) or await self.spending.share(self.user_id, budget) < 1

    async def spend(self, calls: Sequence[ModelCall]) -> None:
        """Counts these calls, if there is a budget."""
        settings = self.settings()
        if limits := _limits(settings.budget.of(self.user_id)):
            spent = _amounts(calls, settings.llm)
            await self.spending.add(self.user_id, {unit: spent[unit] for unit in limits})


@known_early
def spends(turn: Turn) -> bool:
    """The user has a budget, and this is not a test request."""
    return not turn.request.is_test and not turn.caller.sees_all


async def check_budget(turn: Turn, *, spending: Spending, budget: Budget) -> Turn:
    """Sets `turn.plan.allowance` by the share of the budget that is spent."""
    budget = budget.of(turn.caller.user_id)
    if not _limits(budget):
        return turn
    share = await spending.share(turn.caller.user_id, budget)
    allowance: Allowance = "full" if share < budget.cheaper_at else "cheaper" if share < 1 else "search"
    if allowance == "full":
        return turn
    plan = turn.plan.without("answer_cache", "the user's daily budget is short")  # a cheaper model's answer is not given to others
    return replace(turn, plan=replace(plan, allowance=allowance))


def is_short(turn: Turn) -> bool:
    """The user's daily budget is nearly or completely used up."""
    return turn.plan.allowance != "full" and turn.answer is not None


async def warn_of_budget(turn: Turn, *, llm: LLM) -> Turn:
    """Adds the warning `budget_cheaper` if the cheaper model wrote the answer, or `budget_search` if none was used."""
    answer = turn.answer
    if answer is None or (turn.plan.allowance == "cheaper" and (answer.model is None or answer.model != llm.cheaper_model)):
        return turn
    return replace(turn, answer=replace(answer, warnings=(*answer.warnings, f"budget_{turn.plan.allowance}")))


async def spend(turn: Turn, *, spending: Spending, budget: Budget, llm: LLM, checkpoint: TurnCheckpoint | None) -> Turn:
    """Counts what the turn used, even if it failed. Of a resumed request, only what was used since the last attempt."""
    limits, calls = _limits(budget.of(turn.caller.user_id)), turn.record.calls
    if limits and turn.record.usage.total_tokens:
        spent = _amounts(calls, llm)
        if checkpoint is not None:
            before = await checkpoint.mark("spent", spent) or {}
            spent = {unit: amount - before.get(unit, 0) for unit, amount in spent.items()}
        await spending.add(turn.caller.user_id, {unit: spent[unit] for unit in limits})
    return turn


def _amounts(calls: Sequence[ModelCall], llm: LLM) -> dict[str, int]:
    """Unit → amount. Tokens without a price count only against the token budget."""
    cost = sum(llm.cost([call]) or 0.0 for call in calls)
    return {"tokens": sum(call.usage.total_tokens for call in calls), "money": round(cost * MILLIONTHS)}


def _limits(budget: Budget) -> dict[str, float]:
    """Unit → limit, for those that are set."""
    limits = {"tokens": budget.tokens_per_day, "money": budget.money_per_day * MILLIONTHS}
    return {unit: limit for unit, limit in limits.items() if limit}
