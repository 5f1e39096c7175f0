"""Statistics by roll-ups are those of a recount, whatever happens to turns before, between and after the roll-ups."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest

from bench.statistics import ADMIN, START, Made, compare, generate
from footnote.learn.rollups import read_tallies, store_rollups
from footnote.learn.stats import figures_of
from footnote.ports import RolledDay, Rollup
from footnote.turn_records.days import DAY_S, SETTLE_S, day_of
from footnote.types import Answer, Caller, Feedback, Usage
from tests.nightly import DEEP
from tests.turns import make_turn, stored

FIRST, DAY = day_of(START), day_of(START + DAY_S)
AFTER = START + 2 * DAY_S + SETTLE_S
"""When DAY can be rolled up."""


async def save(store: Any, *made: Made) -> None:
    for each in made:
        await store.turns.save(each.record)
        for given in each.feedback:
            await store.feedback.put(each.caller, given)


async def one(store: Any, clock: Any, trace_id: str, at: float, caller: Caller, room_id: str = "r1", **changes: Any) -> None:
    clock.now = at + 0.1
    turn = make_turn(
        trace_id=trace_id, caller=caller, room_id=room_id, started_at=at, answer=Answer("Yes.", model="m"), usage=Usage(3, 1), **changes
    )
    await store.turns.save(stored(turn, ms=100))


async def turns_of(store: Any, caller: Caller, day: str = DAY, **options: Any) -> int:
    return figures_of(await read_tallies(caller, day, day, statistics=store.statistics, **options)).turns


@pytest.fixture
async def days(stores: Any, clock: Any, me: Caller, stranger: Caller) -> Any:
    """A store with two turns of mine and one of a stranger's on DAY, rolled up."""
    for trace_id, caller, room_id in (("t1", me, "r1"), ("t2", me, "r2"), ("s1", stranger, "r1")):
        await one(stores, clock, trace_id, START + DAY_S, caller, room_id)
    clock.now = AFTER
    assert await store_rollups(ADMIN, clock.now, statistics=stores.statistics) == {DAY: 3}
    return stores


async def is_fresh(store: Any) -> bool:
    return [day.is_fresh for day in await store.statistics.rolled_days(ADMIN, DAY, DAY)] == [True]


async def test_a_day_is_rolled_up_once_it_is_over_and_writes_have_settled(stores: Any, clock: Any, me: Caller) -> None:
    await one(stores, clock, "t1", START + DAY_S, me)
    for at, fresh in ((AFTER - 1, False), (AFTER, True)):
        assert await store_rollups(ADMIN, at, statistics=stores.statistics) == {DAY: 1}
        assert await is_fresh(stores) == fresh
    assert await store_rollups(ADMIN, AFTER, statistics=stores.statistics) == {}


async def test_a_fresh_day_is_not_read_turn_by_turn(days: Any, me: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    async def figures(*_: Any) -> Any:
        raise AssertionError("turns were read")

    monkeypatch.setattr(days.statistics, "figures", figures)
    assert await turns_of(days, ADMIN) == 3
    assert await turns_of(days, ADMIN, people=True) == 3
    assert await turns_of(days, me) == 2


@pytest.mark.engine
async def test_feedback_that_comes_late_counts_at_once_and_after_the_next_roll_up(days: Any, clock: Any, me: Caller) -> None:
    await days.feedback.put(me, Feedback("t1", "me", "down"))
    for now in (AFTER + 1, AFTER + SETTLE_S):
        assert not await is_fresh(days)
        assert figures_of(await read_tallies(ADMIN, DAY, DAY, statistics=days.statistics)).feedback_down == 1
        await store_rollups(ADMIN, now, statistics=days.statistics)
    assert await is_fresh(days)
    assert figures_of(await read_tallies(ADMIN, DAY, DAY, statistics=days.statistics)).feedback_down == 1


async def test_others_feedback_is_not_in_a_users_own_figures(days: Any, clock: Any, me: Caller) -> None:
    await days.feedback.put(Caller("local", sees_all=True), Feedback("t1", "local", "down"))
    await store_rollups(ADMIN, AFTER + SETTLE_S, statistics=days.statistics)
    assert await is_fresh(days)
    assert [figures_of(await read_tallies(who, DAY, DAY, statistics=days.statistics)).feedback_down for who in (ADMIN, me)] == [1, 0]


@pytest.mark.engine
async def test_a_turn_that_is_saved_late_counts(days: Any, clock: Any, me: Caller) -> None:
    await one(days, clock, "t3", START + DAY_S + 5, me)
    clock.now = AFTER + 5
    await days.turns.save(stored(make_turn(trace_id="t4", caller=me, room_id="r9", started_at=START + 2 * DAY_S - 1), ms=9000))
    assert not await is_fresh(days)
    assert await turns_of(days, ADMIN) == 5
    await store_rollups(ADMIN, clock.now + SETTLE_S, statistics=days.statistics)
    assert (await turns_of(days, ADMIN), await is_fresh(days)) == (5, True)


@pytest.mark.engine
async def test_figures_of_a_deleted_conversation_are_gone(days: Any, me: Caller) -> None:
    await days.turns.delete_room(me, "r1")
    assert [(each.user_id, each.room_id) for each in await days.statistics.rollups(ADMIN, DAY)] == [("me", "r2"), ("stranger", "r1")]
    assert [await turns_of(days, who) for who in (ADMIN, me)] == [2, 1]
    await store_rollups(ADMIN, AFTER + SETTLE_S, statistics=days.statistics)
    assert [await turns_of(days, who) for who in (ADMIN, me)] == [2, 1]


@pytest.mark.engine
async def test_figures_of_a_deleted_user_are_gone_and_their_feedback_too(days: Any, me: Caller, stranger: Caller) -> None:
    local = Caller("local", sees_all=True)
    await days.feedback.put(local, Feedback("s1", "local", "up"))
    await store_rollups(ADMIN, AFTER + SETTLE_S, statistics=days.statistics)
    assert figures_of(await read_tallies(ADMIN, DAY, DAY, statistics=days.statistics)).feedback_up == 1
    await days.turns.delete_all_of(local)
    await days.turns.delete_all_of(me)
    for now in (AFTER, AFTER + SETTLE_S):
        shown = figures_of(await read_tallies(ADMIN, DAY, DAY, statistics=days.statistics))
        assert (shown.turns, shown.feedback_up) == (1, 0)
        await store_rollups(ADMIN, now, statistics=days.statistics)
    assert [each.user_id for each in await days.statistics.rollups(ADMIN, DAY)] == ["stranger"]


@pytest.mark.engine
async def test_a_roll_up_that_others_overtook_is_not_used(days: Any, clock: Any, me: Caller, stranger: Caller) -> None:
    """It read the turns before they were deleted, and is written afterwards."""
    (before,) = await days.statistics.rolled_days(ADMIN, DAY, DAY)
    old = await days.statistics.rollups(ADMIN, DAY)
    await days.turns.delete_all_of(me)
    assert not await days.statistics.put_rollups(DAY, old, before)
    assert not await is_fresh(days)
    await store_rollups(ADMIN, AFTER + SETTLE_S, statistics=days.statistics)
    assert not await days.statistics.put_rollups(DAY, old, before)  # later still
    assert await is_fresh(days)
    assert [await turns_of(days, who, people=True) for who in (ADMIN, me, stranger)] == [1, 0, 1]


@pytest.mark.engine
async def test_a_change_while_a_day_is_read_makes_it_be_read_again(
    stores: Any, clock: Any, me: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    await one(stores, clock, "t1", START + DAY_S, me)
    clock.now = AFTER - 1000
    read, figures = [], stores.statistics.figures

    async def figures_then_change(*given: Any) -> Any:
        found = await figures(*given)
        if not read:
            clock.now = AFTER
            await stores.feedback.put(me, Feedback("t1", "me", "up"))
        read.append(len(found))
        return found

    monkeypatch.setattr(stores.statistics, "figures", figures_then_change)
    assert await store_rollups(ADMIN, AFTER, statistics=stores.statistics) == {DAY: 1}
    assert len(read) == 2
    await store_rollups(ADMIN, AFTER + SETTLE_S, statistics=stores.statistics)
    assert figures_of(await read_tallies(ADMIN, DAY, DAY, statistics=stores.statistics)).feedback_up == 1
    assert await is_fresh(stores)


@pytest.mark.engine
async def test_roll_ups_outlive_their_turns(forgetful_stores: Any, clock: Any, me: Caller, stranger: Caller) -> None:
    store = forgetful_stores  # keeps turns for 100 s
    for trace_id, caller in (("t1", me), ("t2", stranger)):
        await one(store, clock, trace_id, START + 2 * DAY_S - 50, caller)
    rows = [Rollup("me", "r1", "rag", {"turns": 1}), Rollup("stranger", "r1", "rag", {"turns": 1})]
    whole = await read_tallies(ADMIN, DAY, DAY, statistics=store.statistics, people=True)
    rows = [replace(row, tallies=tuple(each for each in whole if each.user_id == row.user_id)) for row in rows]
    sums = tuple(replace(each, user_id=None, room_id=None) for each in whole)
    await store.statistics.put_rollups(DAY, rows, RolledDay(DAY, tallies=sums))
    clock.now = START + 30 * DAY_S
    assert await store.statistics.figures(ADMIN, 0.0, 2e9) == []
    assert [await turns_of(store, who) for who in (ADMIN, me)] == [2, 1]
    await store.turns.delete_all_of(me)
    assert [await turns_of(store, who) for who in (ADMIN, me)] == [1, 0]
    await store_rollups(ADMIN, clock.now + SETTLE_S, statistics=store.statistics)
    assert [await turns_of(store, who) for who in (ADMIN, me)] == [1, 0]
    assert [day.is_fresh for day in await store.statistics.rolled_days(ADMIN, DAY, DAY)] == [True]


@pytest.mark.engine
async def test_only_admins_get_sums_over_everybody(days: Any, me: Caller) -> None:
    assert [len(day.tallies) for who in (ADMIN, me) for day in await days.statistics.rolled_days(who, DAY, DAY)] == [1, 0]
    days_ = await days.statistics.rolled_days(me, DAY, DAY)
    assert {tally.user_id for tally in await days.statistics.tallies(me, days_)} == {"me"}
    assert {tally.user_id for tally in await days.statistics.tallies(ADMIN, days_)} == {"me", "stranger"}


@pytest.mark.engine
async def test_turns_are_found_by_how_they_ended(stores: Any, clock: Any, me: Caller, stranger: Caller) -> None:
    outcomes = (("t1", me, "closest"), ("t2", stranger, "no_hits"), ("t3", me, None), ("t4", me, "forbidden"), ("t5", me, "closest"))
    for number, (trace_id, caller, outcome) in enumerate(outcomes):
        await one(stores, clock, trace_id, START + number, caller, outcome=outcome)

    async def found(caller: Caller, *options: Any) -> list[str]:
        return [each.trace_id for each in await stores.statistics.ended_as(caller, ("closest", "no_hits"), *options)]

    assert await found(ADMIN, 0.0, 2e9, 10) == ["t5", "t2", "t1"]
    assert await found(ADMIN, START + 1, START + 4, 10) == ["t2"]
    assert await found(ADMIN, 0.0, 2e9, 1) == ["t5"]
    assert await found(ADMIN, 0.0, 2e9, None) == ["t5", "t2", "t1"]
    assert await found(ADMIN, 0.0, math.inf, None) == ["t5", "t2", "t1"]
    assert await found(me, 0.0, 2e9, 10) == ["t5", "t1"]


# --- a recount -----------------------------------------------------------------------------------------


@pytest.mark.timeout(600)
async def test_statistics_are_those_of_a_recount_whatever_happens_between_roll_ups(stores: Any, clock: Any, seed: str) -> None:
    """Turns arrive late and twice, are rated late and deleted; roll-ups are made at any time, repeatedly and out of order."""
    chance, days = random.Random(seed), 12
    made = {each.record["trace_id"]: each for each in generate(3000 if DEEP else 200, days, chance.randrange(1 << 30), users=12)}
    late = chance.sample(sorted(made), len(made) // 20)
    there = {trace_id: each for trace_id, each in made.items() if trace_id not in late}
    clock.now = START
    await save(stores, *there.values())
    last = day_of(START + days * DAY_S)
    for step in range(steps := 60 if DEEP else 12):
        clock.now = START + (2 + days * step / steps) * DAY_S
        match chance.randrange(6):
            case 0 | 1:
                await store_rollups(ADMIN, clock.now - chance.choice((0, 0, 3600, 2 * DAY_S)), statistics=stores.statistics)
            case 2 if late:
                each = made[late.pop()]
                there[each.record["trace_id"]] = each
                await save(stores, each)
            case 3:
                each = there[chance.choice(sorted(there))]
                given = Feedback(each.record["trace_id"], each.record["user_id"], chance.choice(("up", "down")), created_at=clock.now)
                there[each.record["trace_id"]] = replace(each, feedback=(given,))
                await stores.feedback.put(each.caller, given)
            case 4:
                each = there[chance.choice(sorted(there))]
                user, room = each.record["user_id"], each.record["room_id"]
                await stores.turns.delete_room(Caller(user), room)
                there = {t: e for t, e in there.items() if (e.record["user_id"], e.record["room_id"]) != (user, room)}
            case 5 if step % 3 == 0 and len(there) > 100:
                user = there[chance.choice(sorted(there))].record["user_id"]
                await stores.turns.delete_all_of(Caller(user))
                there = {t: e for t, e in there.items() if e.record["user_id"] != user}
        if step % 8 == 0:
            assert await compare(stores.statistics, list(there.values()), ADMIN, FIRST, last) == []
    for ahead in (days + 1, days + 2):
        await store_rollups(ADMIN, START + ahead * DAY_S, statistics=stores.statistics)
        assert await compare(stores.statistics, list(there.values()), ADMIN, FIRST, last) == []
    assert all(day.is_fresh for day in await stores.statistics.rolled_days(ADMIN, FIRST, last))
    user = next(iter(there.values())).record["user_id"]
    own = [each for each in there.values() if each.record["user_id"] == user]
    assert await compare(stores.statistics, own, Caller(user), FIRST, last) == []
