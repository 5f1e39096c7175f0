"""Daily budgets, and turns of users whose budget runs out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.errors import StoreUnavailable
from footnote.guard.budget import SharedBudget, check_budget, spend, spends, warn_of_budget
from footnote.guard.spending import DAY_S, FIRST, Hold, Spending
from footnote.settings import LLM, Budget, Price, Settings
from footnote.settings.budget import UserBudget
from footnote.types import Answer, Caller, ModelCall, Turn, Usage
from tests.conftest import HandClock
from tests.deps import FakeDeps, call_step
from tests.turns import HELD, ME, make_turn, with_

NOON = 1_700_000_000.0 // DAY_S * DAY_S + DAY_S / 2
TOKENS = Budget(tokens_per_day=1000)
MONEY = Budget(money_per_day=0.5)
LLM_ = LLM(prices={"big": Price(input=10, output=100)}, input_price=1, output_price=1)


class DownCache:
    def __getattr__(self, name: str) -> Any:
        async def fail(*args: Any, **options: Any) -> Any:
            raise StoreUnavailable("The cache is down.")

        return fail


class CountingCache:
    """An empty store that counts its calls."""

    calls = 0

    def __getattr__(self, name: str) -> Any:
        async def count(*args: Any, **options: Any) -> Any:
            self.calls += 1

        return count


@pytest.fixture
def clock() -> HandClock:
    return HandClock(NOON)


@pytest.fixture
def spending(cache: SqliteCache, clock: HandClock) -> Spending:
    return Spending(cache, clock)


def used(prompt: int, completion: int, *, model: str | None = "small", **changes: Any) -> Turn:
    answer = Answer("Yes.", model=model) if model else None
    return make_turn(answer=answer, usage=Usage(prompt, completion), **changes)


async def allowance(spending: Spending, budget: Budget, **changes: Any) -> str:
    """What a turn may do that is alone; it calls no model."""
    turn = make_turn(**changes)
    deps = FakeDeps(hold=hold_of(turn, spending, budget), budget=budget)
    found = (await call_step(check_budget, turn, deps)).plan.allowance
    await call_step(spend, turn, deps)
    return str(found)


def hold_of(turn: Turn, spending: Spending, budget: Budget) -> Hold:
    user_id = turn.caller.user_id
    return Hold(spending, user_id, budget.of(user_id), LLM_)


async def count(turn: Turn, spending: Spending, budget: Budget) -> None:
    """Counts what the turn used."""
    await call_step(spend, turn, FakeDeps(hold=hold_of(turn, spending, budget), llm=LLM_))


async def test_the_allowance_shrinks_with_the_days_usage(spending: Spending, clock: HandClock) -> None:
    seen = []
    for _ in range(6):
        seen.append(await allowance(spending, TOKENS))
        await count(used(150, 100), spending, TOKENS)
    assert seen == ["full", "full", "full", "full", "search", "search"]
    clock.advance(DAY_S / 2 - 1)
    assert await allowance(spending, TOKENS) == "search"
    clock.advance(1)
    assert await allowance(spending, TOKENS) == "full"


async def test_from_a_share_of_it_on_the_cheaper_model_answers(spending: Spending) -> None:
    await count(used(799, 0), spending, TOKENS)
    assert await allowance(spending, TOKENS) == "full"
    await count(used(1, 0), spending, TOKENS)
    assert await allowance(spending, TOKENS) == "cheaper"
    assert await allowance(spending, Budget(tokens_per_day=1000, cheaper_at=1)) == "full"


@pytest.mark.parametrize(("spent", "wanted"), [(0, True), (800, False), (1000, False)])
async def test_answers_on_a_short_budget_are_not_cached(spending: Spending, spent: int, wanted: bool) -> None:
    await count(used(spent, 0), spending, TOKENS)
    turn = make_turn(profile=replace(HELD, answer_cache_s=300, options={"answer_cache": True}))
    assert turn.plan.wants("answer_cache")
    checked = await call_step(check_budget, turn, FakeDeps(hold=hold_of(turn, spending, TOKENS), budget=TOKENS))
    assert checked.plan.wants("answer_cache") is wanted


async def test_money_is_counted_at_the_price_of_the_model_that_answered(spending: Spending) -> None:
    await count(used(10_000, 3_000, model="big"), spending, MONEY)  # .1 + .3
    assert await allowance(spending, MONEY) == "cheaper"
    await count(used(10_000, 3_000, model="small"), spending, MONEY)  # .013
    assert await allowance(spending, MONEY) == "cheaper"
    await count(used(0, 1_000, model="big"), spending, MONEY)
    assert await allowance(spending, MONEY) == "search"


async def test_the_tokens_of_each_model_are_counted_at_its_own_price(spending: Spending) -> None:
    calls = (ModelCall("rewrite", "big", Usage(0, 5_000), 1.0), ModelCall("answer", "small", Usage(0, 500), 1.0))
    turn = make_turn(answer=Answer("Yes.", model="small"), calls=calls)
    await count(turn, spending, MONEY)
    assert await allowance(spending, MONEY) == "search"


async def test_the_scarcer_of_tokens_and_money_counts(spending: Spending) -> None:
    both = Budget(tokens_per_day=1_000_000, money_per_day=0.1)
    await count(used(0, 1_000, model="big"), spending, both)
    assert await allowance(spending, both) == "search"
    assert await allowance(spending, Budget(tokens_per_day=2000)) == "full"


async def test_turns_that_failed_and_tokens_that_were_estimated_count_too(spending: Spending) -> None:
    failed = make_turn(usage=Usage(900, 100, estimated=True))
    await count(failed, spending, TOKENS)
    assert await allowance(spending, TOKENS) == "search"


async def test_every_user_has_a_budget_of_their_own(spending: Spending) -> None:
    await count(used(2000, 0), spending, TOKENS)
    assert await allowance(spending, TOKENS) == "search"
    assert await allowance(spending, TOKENS, caller=replace(ME, user_id="you")) == "full"


async def test_without_limits_nothing_is_read_or_written(clock: HandClock) -> None:
    cache = CountingCache()
    spending = Spending(cache, clock)  # type: ignore[arg-type]
    assert await allowance(spending, Budget()) == "full"
    await count(used(900, 900), spending, Budget())
    assert cache.calls == 0
    await count(used(0, 0), spending, TOKENS)
    assert cache.calls == 0


def test_tests_and_the_one_local_user_spend_nothing() -> None:
    assert spends(make_turn())
    assert not spends(make_turn(is_test=True))
    assert spends(make_turn(is_test=True, replays="t0"))
    assert not spends(make_turn(caller=replace(ME, sees_all=True)))


async def test_without_its_counters_each_process_allows_a_tenth(clock: HandClock) -> None:
    spending = Spending(DownCache(), clock)  # type: ignore[arg-type]
    seen = []
    for _ in range(5):
        seen.append(await allowance(spending, TOKENS))
        with pytest.raises(StoreUnavailable):
            await count(used(30, 0), spending, TOKENS)
    assert seen == ["full", "full", "full", "cheaper", "search"]
    clock.advance(DAY_S)
    assert await allowance(spending, TOKENS) == "full"


async def test_an_answer_says_that_it_was_made_with_less() -> None:
    turn = used(1, 1, allowance="cheaper")
    written = Answer("Yes.", model="thrifty", warnings=("uncited",))
    warned = await call_step(warn_of_budget, with_(turn, answer=written), FakeDeps(llm=LLM(cheaper_model="thrifty")))
    assert warned.answer == replace(written, warnings=("uncited", "budget_cheaper"))
    quoted = await call_step(warn_of_budget, with_(turn, allowance="search", answer=Answer("Yes.", extractive=True)), FakeDeps())
    assert quoted.answer == Answer("Yes.", extractive=True, warnings=("budget_search",))
    full, unanswered = used(1, 1), make_turn(allowance="search")
    assert await call_step(warn_of_budget, full, FakeDeps()) is full
    assert await call_step(warn_of_budget, unanswered, FakeDeps()) is unanswered


@pytest.mark.parametrize("answer", [Answer("Yes.", model="big"), Answer("Nothing was found.")], ids=lambda answer: answer.model)
@pytest.mark.parametrize("cheaper", ["thrifty", None])
async def test_only_answers_of_the_cheaper_model_are_marked(answer: Answer, cheaper: str | None) -> None:
    turn = make_turn(answer=answer, allowance="cheaper")
    assert await call_step(warn_of_budget, turn, FakeDeps(llm=LLM(cheaper_model=cheaper))) is turn


async def test_a_user_with_a_budget_of_their_own_has_that_one(spending: Spending) -> None:
    own = {"me": UserBudget(tokens_per_day=100), "free": UserBudget(tokens_per_day=0), "same": UserBudget(money_per_day=5)}
    budget = Budget(tokens_per_day=1000, users=own)
    everybody = Budget(tokens_per_day=1000)
    for user, tokens, money in (("me", 100, 0), ("free", 0, 0), ("same", 1000, 5), ("somebody", 1000, 0)):
        assert (budget.of(user).tokens_per_day, budget.of(user).money_per_day) == (tokens, money)
    for user in ("me", "free", "somebody"):
        turn = used(150, 0, caller=Caller(user))
        await count(turn, spending, budget)
    found = {user: await allowance(spending, budget, caller=Caller(user)) for user in ("me", "free", "somebody")}
    assert found == {"me": "search", "free": "full", "somebody": "full"}
    assert await spending.share("me", everybody) == 0.15
    assert await spending.share("free", everybody) == 0, "nothing is counted without a limit"
    alone = Budget(users={"me": UserBudget(tokens_per_day=100)})
    assert [await allowance(spending, alone, caller=Caller(user)) for user in ("me", "somebody")] == ["search", "full"]


async def test_background_work_shares_one_budget(spending: Spending) -> None:
    settings = Settings(budget=Budget(tokens_per_day=2 * FIRST.total_tokens))
    shared = SharedBudget(spending, "system", lambda: settings, lambda: settings.budget)
    held = [await shared.hold() for _ in range(3)]
    assert [each is None for each in held] == [False, False, True]
    assert held[0] is not None
    await shared.spend(held[0], [])
    assert await shared.hold() is not None
    free = SharedBudget(spending, "system", Settings, Budget)
    assert [await free.hold() is None for _ in range(3)] == [False, False, False]


def test_a_budget_of_a_user_with_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="tokens_a_day"):
        Budget.model_validate({"users": {"ann": {"tokens_a_day": 5}}})
