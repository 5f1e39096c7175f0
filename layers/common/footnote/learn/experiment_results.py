"""The results of an experiment so far, and the shares of a bandit's arms, which follow them.

A rating counts once per draw of an arm: for a cohort the first of each user, for a bandit the first of each user in each period. Later ones
depend on it and are only shown. A turn counts for the arm that it was given, even if a part of it failed."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from footnote.errors import Conflict
from footnote.learn.experiment_stats import Rate, Rated, Verdict, compare_arms, rate_of
from footnote.learn.experiments import Experiment, list_experiments, put_experiment
from footnote.ports import Clock, Records, StatisticsStore
from footnote.turn_records.days import DAY_S
from footnote.types import Caller, TurnFigures
from footnote.types.copies import replace

log = logging.getLogger(__name__)

LEAST_SHARE = 0.1
"""Minimum share of every arm of a bandit, so that the comparison continues."""
DRAWS = 2000
"""Samples of the rates from which the probability of being the best is estimated."""


@dataclass(frozen=True, slots=True)
class ArmResult:
    """One arm. `ups`, `downs`: all ratings; `rate`: of those that count; `share`: the current one."""

    arm: str
    share: float
    turns: int
    users: int
    ups: int
    downs: int
    rate: Rate


@dataclass(frozen=True, slots=True)
class Results:
    """All arms in the order of the experiment, and the verdict."""

    arms: tuple[ArmResult, ...]
    verdict: Verdict


def measure(experiment: Experiment, turns: Iterable[TurnFigures]) -> Results:
    """The results from these turns; those of other experiments are ignored."""
    own = [turn for turn in turns if turn.experiment is not None and turn.experiment["id"] == experiment.experiment_id]
    names = [arm.name for arm in experiment.arms]
    counting = ratings_of(own)
    results = []
    for name, share in zip(names, experiment.shares, strict=True):
        mine = [turn for turn in own if turn.experiment is not None and turn.experiment["arm"] == name]
        given = [feedback.rating for turn in mine for feedback in turn.feedback]
        rated = [rating.is_positive for rating in counting if rating.arm == name]
        users = len({turn.user_id for turn in mine})
        results.append(ArmResult(name, share, len(mine), users, given.count("up"), given.count("down"), rate_of(sum(rated), len(rated))))
    return Results(tuple(results), compare_arms(names, counting))


def ratings_of(turns: Iterable[TurnFigures]) -> list[Rated]:
    """The ratings that count, in the order in which they were given. The turns are of one experiment."""
    given = [(feedback, turn) for turn in turns for feedback in turn.feedback]
    first: dict[tuple[str, int], Rated] = {}
    for feedback, turn in sorted(given, key=lambda rating: (rating[0].created_at, rating[1].trace_id)):
        if turn.experiment is not None:
            key = (turn.user_id, turn.experiment["period"])
            first.setdefault(key, Rated(turn.experiment["arm"], feedback.rating == "up", turn.experiment["shares"]))
    return list(first.values())


def shares_for(ratings: Sequence[Rated], arms: Sequence[str], seed: str) -> tuple[float, ...]:
    """Thompson sampling: each arm's share is the probability that its rate is the highest, by beta posteriors on a uniform prior; none
    is below LEAST_SHARE. `seed`: the same ratings and seed give the same shares."""
    rng = random.Random(seed)  # noqa: S311 - not a secret
    ups = {arm: 1 + sum(rating.is_positive for rating in ratings if rating.arm == arm) for arm in arms}
    downs = {arm: 1 + sum(not rating.is_positive for rating in ratings if rating.arm == arm) for arm in arms}
    best = dict.fromkeys(arms, 0)
    for _ in range(DRAWS):
        best[max(arms, key=lambda arm: rng.betavariate(ups[arm], downs[arm]))] += 1
    rest = 1 - LEAST_SHARE * len(arms)
    return tuple(LEAST_SHARE + rest * best[arm] / DRAWS for arm in arms)


async def follow_ratings(caller: Caller, *, records: Records, statistics: StatisticsStore, clock: Clock) -> Mapping[str, int]:
    """Lets the shares of running bandits follow their ratings, where the period is over. → name: number of the new period.
    `caller`: an admin."""
    changed: dict[str, int] = {}
    now = clock()
    for experiment in await list_experiments(records) if await records.changes("experiment") else ():
        if experiment.kind != "bandit" or experiment.state != "RUNNING" or now - experiment.shares_at < DAY_S:
            continue
        ratings = ratings_of(await turns_of(experiment, caller, statistics, now))
        names = [arm.name for arm in experiment.arms]
        period = experiment.period + 1
        shares = shares_for(ratings, names, f"{experiment.experiment_id} {period}")
        try:
            await put_experiment(replace(experiment, shares=shares, period=period, shares_at=now), records, by=caller.user_id)
        except Conflict:  # it was stopped, or another process was first
            log.info("an experiment was changed meanwhile", extra={"experiment": experiment.name})
        else:
            changed[experiment.name] = period
    return changed


async def turns_of(experiment: Experiment, caller: Caller, statistics: StatisticsStore, now: float) -> list[TurnFigures]:
    """The turns of the experiment, oldest first. `caller`: an admin."""
    if experiment.started_at is None:
        return []
    figures = await statistics.figures(caller, experiment.started_at, now + 1)
    return [turn for turn in figures if turn.experiment is not None and turn.experiment["id"] == experiment.experiment_id]
