"""Daily budgets of users, in tokens and money."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.checkpoints import TurnCheckpoint
from footnote.guard.spending import Hold, Spending, amounts_of, limits_of
from footnote.settings import LLM, Budget, Settings
from footnote.steps import known_early
from footnote.types import Allowance, ModelCall, Stage, Turn
from footnote.types.copies import replace


@dataclass(frozen=True, slots=True)
class SharedBudget:
    """The daily budget of background work, such as descriptions of documents: it counts as one user."""

    spending: Spending
    user_id: str
    settings: Callable[[], Settings]
    budget: Callable[[], Budget]

    async def hold(self) -> Hold | None:
        """Reserves the usual usage of a call, until `spend`; None = the day's budget is spent or reserved."""
        settings = self.settings()
        hold = Hold(self.spending, self.user_id, self.budget(), settings.llm)
        return hold if await hold.open() < 1 else None

    async def spend(self, hold: Hold, calls: Sequence[ModelCall]) -> None:
        """Counts these calls, and releases their reservation."""
        await hold.settle(amounts_of(calls, self.settings().llm), calls)

    async def spent(self) -> dict[str, float]:
        """Today's usage, in tokens and money."""
        return await self.spending.spent(self.user_id)

    def limits(self) -> dict[str, float]:
        """The budget; 0 = unlimited."""
        budget = self.budget()
        return {"tokens": budget.tokens_per_day, "money": budget.money_per_day}


@known_early
def spends(turn: Turn) -> bool:
    """The user has a budget, and this is not a test request, or one that asks a stored turn again."""
    return not turn.caller.sees_all and (not turn.request.is_test or turn.request.replays is not None)


def hold_of(turn: Turn, settings: Settings, spending: Callable[[], Spending]) -> Hold | None:
    """The reservation of this turn in its user's budget; None = there is no budget."""
    user_id = turn.caller.user_id
    budget = settings.budget.of(user_id)
    return Hold(spending(), user_id, budget, settings.llm) if spends(turn) and limits_of(budget) else None


async def check_budget(turn: Turn, *, hold: Hold | None, budget: Budget) -> Turn:
    """Reserves the usual usage of a turn, and sets `turn.plan.allowance` by the share of the budget that is spent or reserved without
    it."""
    if hold is None:
        return turn
    share = await hold.open()
    allowance: Allowance = "full" if share < budget.cheaper_at else "cheaper" if share < 1 else "search"
    if allowance == "full":
        return turn
    plan = turn.plan.without("answer_cache", "the user's daily budget is short")  # a cheaper model's answer is not given to others
    return replace(turn, plan=replace(plan, allowance=allowance))


def may_be_short(turn: Turn) -> bool:
    """The user's daily budget is nearly or completely used up, or something stood in for the model, for which it may be the cause."""
    replaced = any(span.stage is Stage.ANSWER and span.status == "fallback" for span in turn.trace.spans)
    return turn.answer is not None and (turn.plan.allowance != "full" or replaced)


async def warn_of_budget(turn: Turn, *, llm: LLM, hold: Hold | None) -> Turn:
    """Adds the warning `budget_cheaper` if the cheaper model wrote the answer, or `budget_search` if none was used, or none any more."""
    answer = turn.answer
    if answer is None:
        return turn
    if turn.plan.allowance == "search" or (hold is not None and hold.refused and answer.model is None):
        said = "budget_search"
    elif turn.plan.allowance == "cheaper" and answer.model is not None and answer.model == llm.cheaper_model:
        said = "budget_cheaper"
    else:
        return turn
    return replace(turn, answer=replace(answer, warnings=(*answer.warnings, said)))


async def spend(turn: Turn, *, hold: Hold | None, llm: LLM, checkpoint: TurnCheckpoint | None) -> Turn:
    """Counts the turn's usage, even if it failed, and releases its reservation. Of a resumed request, only the usage since the last
    attempt."""
    if hold is None:
        return turn
    spent, calls = {"tokens": 0, "money": 0}, turn.trace.calls
    try:
        if turn.trace.usage.total_tokens:
            used = amounts_of(calls, llm)
            before = (await checkpoint.mark("spent", used) or {}) if checkpoint is not None else {}
            spent = {unit: amount - before.get(unit, 0) for unit, amount in used.items()}
    finally:
        await hold.settle(spent, calls)
    return turn
