"""What may this user still spend today?"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from footnote.checkpoints import TurnCheckpoint
from footnote.errors import StoreUnavailable
from footnote.ports import Cache, Clock
from footnote.settings import LLM, Budget
from footnote.steps import known_early
from footnote.types import Allowance, Turn

log = logging.getLogger(__name__)

DAY_S = 86_400
MILLIONTHS = 1_000_000
"""Counters are whole numbers: money is counted in millionths."""
BLIND_SHARE = 0.1
"""Of a budget, while the counters cannot be reached: each process knows its own spending only then."""


class Spending:
    """What users have spent today (UTC), counted in the store that all processes share."""

    def __init__(self, cache: Cache, clock: Clock) -> None:
        self._cache = cache
        self._clock = clock
        self._own: Counter[str] = Counter()
        self._day = 0

    async def share(self, user_id: str, budget: Budget) -> float:
        """Of what the user may spend; 1 = all of it. The scarcer of tokens and money counts."""
        limits = {self._key(unit, user_id): limit for unit, limit in _limits(budget).items()}
        try:
            spent = await asyncio.gather(*map(self._cache.get, limits))
        except StoreUnavailable:
            log.warning("budgets are counted by this process alone")
            return max(self._own[key] / limit for key, limit in limits.items()) / BLIND_SHARE
        return max((amount or 0) / limit for amount, limit in zip(spent, limits.values(), strict=True))

    async def add(self, user_id: str, spent: Mapping[str, int]) -> None:
        """Counts what a user has spent: unit → amount, money in millionths."""
        keys = {self._key(unit, user_id): amount for unit, amount in spent.items()}
        self._own.update(keys)
        await asyncio.gather(*(self._cache.add(key, amount, 2 * DAY_S) for key, amount in keys.items()))

    def _key(self, unit: str, user_id: str) -> str:
        day = int(self._clock() // DAY_S)
        if day != self._day:
            self._own.clear()
            self._day = day
        return f"budget:{unit}:{user_id}:{day}"


@known_early
def spends(turn: Turn) -> bool:
    """The user has a budget, and it is no test."""
    return not turn.request.is_test and not turn.caller.sees_all


async def check_budget(turn: Turn, *, spending: Spending, budget: Budget) -> Turn:
    """`turn.plan.allowance`"""
    if not _limits(budget):
        return turn
    share = await spending.share(turn.caller.user_id, budget)
    allowance: Allowance = "full" if share < budget.cheaper_at else "cheaper" if share < 1 else "search"
    if allowance == "full":
        return turn
    plan = turn.plan.without("answer_cache", "the user's daily budget is short")  # a cheaper model's answer is not given to others
    return replace(turn, plan=replace(plan, allowance=allowance))


def is_short(turn: Turn) -> bool:
    """The user's daily budget is short."""
    return turn.plan.allowance != "full" and turn.answer is not None


async def warn_of_budget(turn: Turn, *, llm: LLM) -> Turn:
    """The answer says that it was made with less than usual: `budget_cheaper`, where that model wrote it, or `budget_search`."""
    answer = turn.answer
    if answer is None or (turn.plan.allowance == "cheaper" and (answer.model is None or answer.model != llm.cheaper_model)):
        return turn
    return replace(turn, answer=replace(answer, warnings=(*answer.warnings, f"budget_{turn.plan.allowance}")))


async def spend(turn: Turn, *, spending: Spending, budget: Budget, llm: LLM, checkpoint: TurnCheckpoint | None) -> Turn:
    """Counts what the turn used, whatever became of it; of a request that was asked again, what came since."""
    limits, calls = _limits(budget), turn.record.calls
    if limits and (tokens := turn.record.usage.total_tokens):
        cost = sum(llm.cost([call]) or 0.0 for call in calls)  # tokens without a price count against the tokens alone
        spent = {"tokens": tokens, "money": round(cost * MILLIONTHS)}
        if checkpoint is not None:
            before = await checkpoint.mark("spent", spent) or {}
            spent = {unit: amount - before.get(unit, 0) for unit, amount in spent.items()}
        await spending.add(turn.caller.user_id, {unit: spent[unit] for unit in limits})
    return turn


def _limits(budget: Budget) -> dict[str, float]:
    """Unit → limit, of those there are."""
    limits = {"tokens": budget.tokens_per_day, "money": budget.money_per_day * MILLIONTHS}
    return {unit: limit for unit, limit in limits.items() if limit}
