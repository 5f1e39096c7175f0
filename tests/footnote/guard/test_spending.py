"""What turns hold of a budget while they run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.store import open_store
from footnote.errors import StoreUnavailable
from footnote.guard.held_models import HeldModels
from footnote.guard.spending import DAY_S, FIRST, HOLD_S, BudgetSpent, Hold, Spending, amounts_of
from footnote.ports import Cache, Delta
from footnote.settings import LLM, Budget, Price
from footnote.types import Message, ModelCall, Usage
from tests.conftest import HandClock
from tests.fakes import FakeModel, FakeModels

NOON = 1_700_000_000.0 // DAY_S * DAY_S + DAY_S / 2
PRICED = LLM(prices={"big": Price(input=10, output=100)}, input_price=1, output_price=1)
TEN_TURNS = Budget(tokens_per_day=10 * FIRST.total_tokens)


class Outage:
    """`ports.Cache` that can be down."""

    def __init__(self, cache: Cache) -> None:
        self.cache, self.is_down = cache, False

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any) -> Any:
            if self.is_down:
                raise StoreUnavailable("The cache is down.")
            return await getattr(self.cache, name)(*args)

        return call


@pytest.fixture
def clock() -> HandClock:
    return HandClock(NOON)


@pytest.fixture
def spending(cache: SqliteCache, clock: HandClock) -> Spending:
    return Spending(cache, clock)


def hold(spending: Spending, budget: Budget, user: str = "ann", llm: LLM = PRICED) -> Hold:
    return Hold(spending, user, budget, llm)


def called(prompt: int, written: int, model: str = "small") -> list[ModelCall]:
    return [ModelCall("answer", model, Usage(prompt, written), 1.0)]


async def settle(held: Hold, calls: Sequence[ModelCall]) -> None:
    await held.settle(amounts_of(calls, PRICED), calls)


async def test_reserved_tokens_count_as_spent_until_settled(spending: Spending) -> None:
    one, two = hold(spending, TEN_TURNS), hold(spending, TEN_TURNS)
    assert (await one.open(), await two.open()) == (0.0, 0.1)
    assert await spending.share("ann", TEN_TURNS) == 0, "held is not spent"
    await settle(one, called(1000, 0))
    assert await hold(spending, TEN_TURNS, "eva").open() == 0
    assert await hold(spending, TEN_TURNS).open() == pytest.approx(0.15)
    await settle(two, [])
    assert await spending.share("ann", TEN_TURNS) == pytest.approx(0.05)


@pytest.mark.parametrize("budget", [TEN_TURNS, Budget(money_per_day=10 * (1500 * 10 + 500 * 100) / 1e6)], ids=["tokens", "money"])
async def test_of_many_turns_at_once_no_more_are_let_in_than_the_budget_holds(tmp_path: Path, clock: HandClock, budget: Budget) -> None:
    databases = [open_store(tmp_path) for _ in range(2)]
    processes = [Spending(SqliteCache(database, clock), clock) for database in databases]
    holds = [hold(processes[number % 2], budget) for number in range(70)]
    shares = await asyncio.gather(*(each.open() for each in holds))
    assert sum(share < 1 for share in shares) == 10
    for each in holds:
        await settle(each, [])
    assert await hold(processes[0], budget).open() == 0, "nothing is held any more"
    for database in databases:
        database.close()


async def test_the_only_turn_is_let_in_however_small_the_budget_is(spending: Spending) -> None:
    one, two = hold(spending, Budget(tokens_per_day=5)), hold(spending, Budget(tokens_per_day=5))
    assert await one.open() == 0
    assert await two.open() >= 1
    await settle(one, called(3, 1))
    assert await hold(spending, Budget(tokens_per_day=5)).open() == pytest.approx(0.8)


async def test_later_turns_hold_what_earlier_ones_took(spending: Spending) -> None:
    budget = Budget(tokens_per_day=1_000_000)
    for taken in (40_000, 200):
        one = hold(spending, budget)
        await one.open()
        await settle(one, called(taken, taken))
    await hold(spending, budget).open()
    assert await hold(spending, budget).open() == pytest.approx((80_400 + (9 * 80_000 + 400) // 10) / 1_000_000)


async def test_reservations_of_a_dead_process_end_after_two_slots(spending: Spending, cache: SqliteCache, clock: HandClock) -> None:
    clock.advance(HOLD_S - NOON % HOLD_S)
    budget = Budget(tokens_per_day=FIRST.total_tokens)
    await hold(spending, budget).open()
    after = Spending(cache, clock)
    clock.advance(2 * HOLD_S - 1)
    assert await hold(after, budget).open() >= 1
    clock.advance(1)
    assert await hold(after, budget).open() == 0


async def test_a_turn_that_settles_after_its_slot_has_expired_returns_nothing(spending: Spending, clock: HandClock) -> None:
    late = hold(spending, TEN_TURNS)
    await late.open()
    clock.advance(3 * HOLD_S)
    await hold(spending, TEN_TURNS).open()
    await settle(late, called(2000, 0))
    assert await hold(spending, TEN_TURNS).open() == pytest.approx(0.2)


async def test_a_call_that_needs_more_than_is_held_takes_it_or_is_refused(spending: Spending) -> None:
    budget = Budget(tokens_per_day=10_000)
    one, two = hold(spending, budget), hold(spending, budget)
    await one.open()
    await two.open()
    await one.extend("small", 9_600, None)
    with pytest.raises(BudgetSpent):
        await two.extend("small", 9_000, None)
    assert (one.refused, two.refused) == (False, True)
    await two.extend("small", 500, 100)
    await settle(one, called(500, 0))
    await two.extend("small", 9_000, None)


async def test_calls_of_one_turn_are_held_together(spending: Spending) -> None:
    budget = Budget(tokens_per_day=10_000)
    one = hold(spending, budget)
    await one.open()
    for _ in range(4):
        one.correct("small", await one.extend("small", 2_000, 100), Usage(2_000, 900))
    assert await hold(spending, budget).open() >= 1


async def test_before_a_turn_is_opened_or_without_limits_nothing_is_refused(spending: Spending) -> None:
    await hold(spending, Budget(tokens_per_day=1)).extend("small", 9_000, None)
    free = hold(spending, Budget())
    assert await free.open() == 0
    await free.extend("small", 9_000, None)
    await settle(free, called(9_000, 1))


async def test_without_the_counters_a_process_holds_within_its_tenth(cache: SqliteCache, clock: HandClock) -> None:
    store = Outage(cache)
    spending, budget = Spending(store, clock), Budget(tokens_per_day=30 * FIRST.total_tokens)  # type: ignore[arg-type]
    store.is_down = True
    holds = [hold(spending, budget) for _ in range(10)]
    assert sum(share < 1 for share in [await each.open() for each in holds]) == 3
    for each in holds:
        await settle(each, [])
    assert await hold(spending, budget).open() == 0


async def test_reservations_before_an_outage_are_returned_after_it(cache: SqliteCache, clock: HandClock) -> None:
    store = Outage(cache)
    spending = Spending(store, clock)  # type: ignore[arg-type]
    one, two = hold(spending, TEN_TURNS), hold(spending, TEN_TURNS)
    await one.open()
    store.is_down = True
    assert await two.open() == pytest.approx(1 / 10 / 0.1)
    store.is_down = False
    await settle(one, [])
    await settle(two, [])
    assert await hold(spending, TEN_TURNS).open() == 0


@pytest.mark.parametrize("piece", [StoreUnavailable("down"), Delta("no usage")])
async def test_a_call_is_held_before_it_is_made(spending: Spending, piece: Any) -> None:
    budget = Budget(tokens_per_day=10_000)
    model = FakeModel([["Yes.", Delta(usage=Usage(7_000, 3_000))], [piece], ["Never."]])
    one, two = hold(spending, budget), hold(spending, budget)
    await one.open()
    await two.open()
    question = [Message("user", "word " * 100)]

    async def ask(held: Hold) -> AsyncIterator[Delta]:
        picked = await HeldModels(FakeModels(model), held).pick(None)
        async for delta in picked.stream(question, max_tokens=5_000):
            yield delta

    assert [delta.text async for delta in ask(one)] == ["Yes.", ""]
    with suppress(StoreUnavailable):
        assert [delta.text async for delta in ask(one)] == ["no usage"]
    with pytest.raises(BudgetSpent):
        await two.extend("fake", 9_000, None)
    assert len(model.sent) == 2
