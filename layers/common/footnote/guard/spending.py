"""The users' usage of today, and the reservations of running turns in their budgets.

A turn that only compared its budget with the usage so far would not see concurrent turns. So each reserves its probable usage before it
calls a model, and releases the reservation when its usage is known. A store only counts sums of reservations: they are kept in slots of
HOLD_S seconds that expire, so the reservations of a process that died are free again after 10 to 20 minutes."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.errors import ModelUnavailable, StoreUnavailable
from footnote.ports import Amount, Cache, Clock
from footnote.settings import LLM, Budget
from footnote.types import ModelCall, Usage

log = logging.getLogger(__name__)

DAY_S = 86_400
HOLD_S = 600
"""Length of a slot. A turn that takes longer than two of them may lose its reservation, not its usage."""
USUAL_S = 7 * DAY_S
"""How long the usual usage of a user's turns is remembered."""
MILLIONTHS = 1_000_000
"""Counters are integers, so money is counted in millionths."""
OUTAGE_SHARE = 0.1
"""Share of a budget that applies while the counters are unreachable and each process knows only its own spending."""
FIRST = Usage(1500, 500)
"""The assumed usage of a turn until it is known from the user's earlier ones."""


class BudgetSpent(ModelUnavailable):
    """The user's daily budget leaves nothing for another call of a model."""

    title = "Your budget for language models is used up for today"


@dataclass(frozen=True, slots=True)
class Usual:
    """The usage of the largest of a user's recent turns: `amounts` by unit, and the tokens that the model wrote in one call. Older turns
    count less and less."""

    amounts: Mapping[str, int]
    written: int

    def after(self, amounts: Mapping[str, int], written: int) -> Usual:
        """The same after another turn."""
        return Usual({unit: _fade(self.amounts.get(unit, 0), amount) for unit, amount in amounts.items()}, _fade(self.written, written))


@dataclass(frozen=True, slots=True)
class Taken:
    """`sums`: what of each unit is spent and reserved now. `kept`: key of a counter → the amount added to it. `portion`: the part of the
    budget that applies."""

    sums: Mapping[str, int]
    kept: Mapping[str, int]
    portion: float = 1.0


class Spending:
    """The users' usage of today (UTC) and their current reservations, counted in a store shared by all processes."""

    def __init__(self, cache: Cache, clock: Clock) -> None:
        self._cache = cache
        self._clock = clock
        self._own: Counter[str] = Counter()
        self._own_held: Counter[str] = Counter()
        self._day = 0

    async def share(self, user_id: str, budget: Budget) -> float:
        """Share of the budget that the user has spent; 1 = all of it. The higher one of tokens and money."""
        limits = {self._key(unit, user_id): limit for unit, limit in limits_of(budget).items()}
        try:
            spent = await asyncio.gather(*map(self._cache.get, limits))
        except StoreUnavailable:
            log.warning("counter store is down; budgets are counted per process")
            return max(self._own[key] / limit for key, limit in limits.items()) / OUTAGE_SHARE
        return max((amount or 0) / limit for amount, limit in zip(spent, limits.values(), strict=True))

    async def spent(self, user_id: str) -> dict[str, float]:
        """The user's usage: `tokens`, and `money` in the currency of the prices. As far as this process knows if the store is down."""
        keys = {unit: self._key(unit, user_id) for unit in ("tokens", "money")}
        try:
            amounts = dict(zip(keys, await asyncio.gather(*map(self._cache.get, keys.values())), strict=True))
        except StoreUnavailable:
            amounts = {unit: self._own[key] for unit, key in keys.items()}
        return {"tokens": amounts["tokens"] or 0, "money": (amounts["money"] or 0) / MILLIONTHS}

    async def settle(self, user_id: str, spent: Mapping[str, int], held: Mapping[str, int], kept: Mapping[str, int]) -> None:
        """Adds to the user's usage, and releases reservations after that, so that no other turn misses the amount. `spent`: unit → amount,
        money in millionths; `held`, `kept`: as in `give_back`."""
        used = {self._key(unit, user_id): amount for unit, amount in spent.items()}
        self._own.update(used)
        amounts = [*(Amount(key, amount, 2 * DAY_S) for key, amount in used.items()), *self._returned(user_id, held, kept)]
        if not amounts:
            return
        try:
            await self._cache.add_all(amounts)
        except StoreUnavailable:
            log.warning("what was held of a budget is returned when it expires")
            if used:
                raise

    async def take(self, user_id: str, amounts: Mapping[str, int]) -> Taken:
        """Adds to the user's reservations. Of concurrent calls, each sees all before it."""
        self._own_held.update({_own_key(unit, user_id): amount for unit, amount in amounts.items()})
        slot = int(self._clock() // HOLD_S)
        keys = {unit: _slot_key(unit, user_id, slot) for unit in amounts}
        added = await asyncio.gather(*(self._cache.add(keys[unit], amounts[unit], 2 * HOLD_S) for unit in amounts), return_exceptions=True)
        kept = {keys[unit]: amounts[unit] for unit, sum_ in zip(amounts, added, strict=True) if not isinstance(sum_, BaseException)}
        reserved: list[int] = []
        try:
            for sum_ in added:
                if isinstance(sum_, BaseException):
                    raise sum_
                reserved.append(sum_)
            # After what is held: a turn adds what it spent before it returns what it held, so nothing is missed.
            others = await asyncio.gather(
                *(self._cache.get(_slot_key(unit, user_id, slot - 1)) for unit in amounts),
                *(self._cache.get(self._key(unit, user_id)) for unit in amounts),
            )
        except StoreUnavailable:
            log.warning("counter store is down; budgets are counted per process")
            own = {unit: self._own[self._key(unit, user_id)] + self._own_held[_own_key(unit, user_id)] for unit in amounts}
            return Taken(own, kept, OUTAGE_SHARE)
        before, spent = others[: len(amounts)], others[len(amounts) :]
        sums = [max(0, now) + max(0, earlier or 0) + (used or 0) for now, earlier, used in zip(reserved, before, spent, strict=True)]
        return Taken(dict(zip(amounts, sums, strict=True)), kept)

    async def give_back(self, user_id: str, amounts: Mapping[str, int], kept: Mapping[str, int]) -> None:
        """Releases reservations: `amounts` by unit, `kept` as in `Taken`. Expired ones are left alone."""
        await self.settle(user_id, {}, amounts, kept)

    def _returned(self, user_id: str, amounts: Mapping[str, int], kept: Mapping[str, int]) -> list[Amount]:
        self._own_held -= Counter({_own_key(unit, user_id): amount for unit, amount in amounts.items()})  # zeros leave
        oldest = int(self._clock() // HOLD_S) - 1
        return [Amount(key, -amount, 2 * HOLD_S) for key, amount in kept.items() if amount and int(key.rpartition(":")[2]) >= oldest]

    async def usual(self, user_id: str) -> Usual | None:
        """The usual usage of the user's turns; None if it is unknown."""
        try:
            usual = await self._cache.get(_usual_key(user_id))
        except StoreUnavailable:
            return None
        return None if usual is None else Usual(usual["amounts"], usual["written"])

    async def learn(self, user_id: str, usual: Usual) -> None:
        """Remembers the usual usage of the user's turns."""
        await self._cache.put_later(_usual_key(user_id), {"amounts": dict(usual.amounts), "written": usual.written}, USUAL_S)

    def _key(self, unit: str, user_id: str) -> str:
        day = int(self._clock() // DAY_S)
        if day != self._day:
            self._own.clear()
            self._day = day
        return f"budget:{unit}:{user_id}:{day}"


class Hold:
    """The reservation of one turn in its user's budget for today, until it settles. Without limits it does nothing."""

    def __init__(self, spending: Spending, user_id: str, budget: Budget, llm: LLM) -> None:
        self.limits = limits_of(budget)
        self.refused = False
        """Whether a call was refused that the turn had begun to need."""
        self._spending, self._user_id, self._llm = spending, user_id, llm
        self._is_open = False
        self._known: Usual | None = None
        self._usual = Usual(_first_amounts(llm), FIRST.completion_tokens)
        self._needed: Counter[str] = Counter()
        self._held: Counter[str] = Counter()
        self._kept: Counter[str] = Counter()
        self._one_at_a_time = asyncio.Lock()

    async def open(self) -> float:
        """Reserves the usual usage of a turn → the share of the budget that is spent or reserved without it. From 1 on nothing is
        reserved."""
        self._is_open = bool(self.limits)
        if not self._is_open:
            return 0.0
        self._known = await self._spending.usual(self._user_id)
        self._usual = self._known or self._usual
        return await self._take({unit: max(1, self._usual.amounts.get(unit, 0)) for unit in self.limits})

    async def extend(self, model: str, prompt_tokens: int, most_written: int | None) -> Usage:
        """Reserves the usage of the turn's calls including this one, if that exceeds its reservation → the expected usage of this one.
        BudgetSpent if the rest of the budget is spent or reserved. Before `open` nothing is reserved, and nothing refused."""
        written = self._usual.written if most_written is None else min(self._usual.written, most_written)
        expected = Usage(prompt_tokens, written, estimated=True)
        if self._is_open:
            needed = self._amounts(model, expected)
            self._needed.update(needed)
            if await self._take(self._needed) >= 1:
                self._needed.subtract(needed)
                self.refused = True
                raise BudgetSpent
        return expected

    def correct(self, model: str, expected: Usage, used: Usage) -> None:
        """Reports the usage of a call. The next one reserves more, if that was more than expected."""
        if self._is_open:
            self._needed.subtract(self._amounts(model, expected))
            self._needed.update(self._amounts(model, used))

    async def settle(self, spent: Mapping[str, int], calls: Sequence[ModelCall] = ()) -> None:
        """Counts the usage, by unit, and releases the reservation. `calls`: those of the whole turn, from which later ones learn."""
        used = {unit: spent[unit] for unit in self.limits} if any(spent.values()) else {}
        reserved, kept = dict(self._held), dict(self._kept)
        self._held.clear()
        self._kept.clear()
        self._is_open = False
        if used or reserved:
            await self._spending.settle(self._user_id, used, reserved, kept)
        amounts = amounts_of(calls, self._llm)
        if self.limits and amounts["tokens"]:
            written = max(call.usage.completion_tokens for call in calls)
            await self._spending.learn(self._user_id, (self._known or Usual({}, 0)).after(amounts, written))

    async def _take(self, amounts: Mapping[str, int]) -> float:
        """The share of the budget that is taken without this turn; from 1 on its reservation stays the same."""
        async with self._one_at_a_time:
            more = {unit: max(0, amounts[unit] - self._held[unit]) for unit in self.limits}
            if not any(more.values()):
                return 0.0
            taken = await self._spending.take(self._user_id, more)
            others = {unit: taken.sums[unit] - self._held[unit] - more[unit] for unit in self.limits}
            share = max(others[unit] / (limit * taken.portion) for unit, limit in self.limits.items())
            if share >= 1:
                await self._spending.give_back(self._user_id, more, taken.kept)
            else:
                self._held.update(more)
                self._kept.update(taken.kept)
            return share

    def _amounts(self, model: str, usage: Usage) -> dict[str, int]:
        return amounts_of([ModelCall("", model, usage, 0.0)], self._llm)


def amounts_of(calls: Sequence[ModelCall], llm: LLM) -> dict[str, int]:
    """Unit → amount. Tokens without a price count only against the token budget."""
    cost = sum(llm.cost([call]) or 0.0 for call in calls)
    return {"tokens": sum(call.usage.total_tokens for call in calls), "money": round(cost * MILLIONTHS)}


def limits_of(budget: Budget) -> dict[str, float]:
    """Unit → limit, for those that are set."""
    limits = {"tokens": budget.tokens_per_day, "money": budget.money_per_day * MILLIONTHS}
    return {unit: limit for unit, limit in limits.items() if limit}


def _first_amounts(llm: LLM) -> dict[str, int]:
    """The amounts of FIRST, at the price of the dearest model."""
    amounts_by_model = [amounts_of([ModelCall("", model, FIRST, 0.0)], llm) for model in ("", *llm.prices)]
    return {unit: max(amounts[unit] for amounts in amounts_by_model) for unit in amounts_by_model[0]}


def _fade(before: int, now: int) -> int:
    return max(now, (9 * before + now) // 10)


def _own_key(unit: str, user_id: str) -> str:
    return f"{unit}:{user_id}"


def _slot_key(unit: str, user_id: str, slot: int) -> str:
    return f"budget:held:{unit}:{user_id}:{slot}"


def _usual_key(user_id: str) -> str:
    return f"budget:usual:{user_id}"
