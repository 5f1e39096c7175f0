"""Simulated experiments: users with arms as the product draws them, and ratings with known rates."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from footnote.learn.experiment_results import shares_for
from footnote.learn.experiment_stats import Bet, Rated
from footnote.learn.experiments import Experiment, even_shares
from footnote.types import Arm

A_DAY = 100
"""Ratings between two changes of a bandit's shares."""


def simulate(seed: int, rates: Mapping[str, float], kind: Literal["cohort", "bandit"], ratings: int = 2000) -> tuple[str | None, int]:
    """The winner that anybody saw who looked after every rating, None = never one, and the number of ratings until then."""
    rng = random.Random(seed)
    names = list(rates)
    arms = tuple(map(Arm, names))
    experiment = Experiment("simulated", f"{seed:016x}", arms, even_shares(arms), kind=kind)
    bet, given = Bet(*names), []
    for number in range(ratings):
        if kind == "bandit" and number and number % A_DAY == 0:
            shares = shares_for(given, names, f"{seed} {number}")
            experiment = replace(experiment, period=experiment.period + 1, shares=shares)
        drawn = experiment.draw(f"user {number}")
        rating = Rated(drawn.arm.name, rng.random() < rates[drawn.arm.name], drawn.shares)
        bet.add(rating)
        given.append(rating)
        if bet.better is not None:
            return bet.better, number + 1
    return None, ratings
