"""kill -9 at any moment of a roll-up: statistics are those of a recount at once, and after the next roll-up, too."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient

from bench.statistics import ADMIN, START, compare, generate
from footnote.turn_records.days import DAY_S, day_of
from footnote.types import Feedback
from tests.engines.fixtures import address
from tests.faults.rolling_up import Place, roll_up
from tests.nightly import DEEP

KILLS, TURNS = (20, 400) if DEEP else (3, 100)
DAYS = 10
FIRST, LAST = day_of(START), day_of(START + DAYS * DAY_S)


@pytest.fixture(params=["sqlite", pytest.param("mongodb", marks=pytest.mark.nightly)])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    if request.param == "sqlite":
        yield Place(tmp_path, START)
        return
    request.getfixturevalue("mongodb_url")
    name = f"footnote_rolling_{uuid4().hex[:12]}"
    yield Place(tmp_path, START, (address("mongodb"), name, f"{name}_statistics"))
    with MongoClient[Any](address("mongodb")) as client:
        client.drop_database(name)
        client.drop_database(f"{name}_statistics")


def run(place: Place, dies_after_s: float | None) -> tuple[dict[str, int] | None, float]:
    """(the days that were rolled up, None where the process was killed; seconds from the beginning)"""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.rolling_up"])
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=roll_up, args=(place, theirs))
    process.start()
    theirs.close()
    assert ours.recv() == "begins"
    begun = perf_counter()
    done = ours.recv() if ours.poll(dies_after_s) else None
    took = perf_counter() - begun
    if done is None:
        process.kill()
    process.join()
    ours.close()
    return done, took


@pytest.mark.timeout(600)
async def test_killed_at_any_moment_statistics_stay_those_of_a_recount(place: Place, seed: str) -> None:
    chance, made = random.Random(seed), {each.record["trace_id"]: each for each in generate(TURNS, DAYS, 3, users=20)}
    stores, close = place.open()
    for each in made.values():
        await stores.turns.save(each.record)
        for given in each.feedback:
            await stores.feedback.put(each.caller, given)
    later = replace(place, now=START + (DAYS + 1) * DAY_S)
    rating, close_rating = later.open()
    killed, finished, took = 0, 0, 1.0
    while killed < KILLS or not finished:
        # Every day changes, so that there is something to do.
        for each in list({each.record["created_at"][:10]: each for each in chance.sample(list(made.values()), TURNS)}.values()):
            given = Feedback(each.record["trace_id"], each.record["user_id"], chance.choice(("up", "down")), created_at=later.now)
            made[each.record["trace_id"]] = replace(each, feedback=(given,))
            await rating.feedback.put(each.caller, given)
        later = replace(later, now=later.now + 3600)
        done, seconds = await asyncio.to_thread(run, later, None if not finished or killed >= KILLS else chance.uniform(0, took))
        if done is None:
            killed += 1
        else:
            finished += 1
            took = seconds
            assert len(done) == DAYS
        assert await compare(stores.statistics, list(made.values()), ADMIN, FIRST, LAST) == []
        if finished and killed >= KILLS:
            break
    done, _ = await asyncio.to_thread(run, replace(later, now=later.now + 3600), None)
    assert await compare(stores.statistics, list(made.values()), ADMIN, FIRST, LAST) == []
    assert all(day.is_fresh for day in await stores.statistics.rolled_days(ADMIN, FIRST, LAST))
    await close()
    await close_rating()
