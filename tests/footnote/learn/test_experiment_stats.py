"""The statistics of experiments hold while one looks after every rating."""

from __future__ import annotations

import math
import random
from typing import Literal

import pytest

from footnote.learn.experiment_stats import ALPHA, Bet, Rated, compare_arms, rate_of
from tests.footnote.learn.simulations import simulate
from tests.nightly import DEEP

EVEN = {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize("kind", ["cohort", "bandit"])
def test_the_better_arm_wins_and_equal_arms_do_not(kind: Literal["cohort", "bandit"]) -> None:
    """The full numbers of runs are in `python -m bench --only experiments`."""
    won = [simulate(seed, {"a": 0.60, "b": 0.75}, kind)[0] for seed in range(20 if DEEP else 5)]
    assert won.count("b") >= 0.95 * len(won)
    assert won.count("a") == 0
    equal = [simulate(seed, {"a": 0.6, "b": 0.6}, kind, ratings=800)[0] for seed in range(100, 200 if DEEP else 110)]
    assert sum(winner is not None for winner in equal) <= 0.05 * len(equal)


def test_a_factor_of_the_bet_is_one_on_average_whatever_the_shares_and_the_rating() -> None:
    """So the capital is a martingale, also if the rates change from day to day."""
    rng = random.Random(3)
    for _ in range(200):
        shares = {"a": (share := rng.uniform(0.1, 0.9)), "b": 1 - share}
        history = [Rated(arm, rng.random() < 0.6, shares) for arm in rng.choices("ab", k=rng.randrange(60))]
        for is_positive in (True, False):
            mean = 0.0
            for arm in "ab":
                bet = Bet("a", "b")
                for rating in history:
                    bet.add(rating)
                before = bet._log
                bet.add(Rated(arm, is_positive, shares))
                mean += shares[arm] * math.exp(bet._log - before)
            assert mean == pytest.approx(1.0)


def test_a_trend_that_both_arms_share_makes_no_winner() -> None:
    """The rate rises while the shares move to one arm: its own rate is then higher without its being better."""
    winners = 0
    for seed in range(60):
        rng, bet = random.Random(seed), Bet("a", "b")
        for number in range(1000):
            late = number >= 500
            shares = {"a": 0.1, "b": 0.9} if late else EVEN
            bet.add(Rated("b" if rng.random() < shares["b"] else "a", rng.random() < (0.9 if late else 0.3), shares))
        winners += bet.better is not None
    assert winners <= 3


def test_a_verdict_stays_and_needs_every_pair() -> None:
    ratings = [Rated("abc"[n % 3], n % 3 == 2 or n % 6 == 0, dict.fromkeys("abc", 1 / 3)) for n in range(600)]
    verdict = compare_arms("abc", ratings)
    assert (verdict.winner, verdict.p_value < ALPHA) == ("c", True)
    after = [Rated("c", False, dict.fromkeys("abc", 1 / 3))] * 5
    assert compare_arms("abc", [*ratings, *after]) == verdict
    two = [Rated("ab"[n % 2], n % 2 == 1, dict.fromkeys("abc", 1 / 3)) for n in range(400)]
    assert compare_arms("abc", two).winner is None  # c has no rating
    assert compare_arms("abc", []).p_value == 1.0


def first_verdict(arms: str, positive: str) -> tuple[int, str | None, float]:
    """After how many ratings there is a winner, if the arms get one in turn; those of `positive` are always positive, others now and then:
    every second one. Its name and its p value."""
    shares, ratings = dict.fromkeys(arms, 1 / len(arms)), []
    for number in range(600):
        arm = arms[number % len(arms)]
        ratings.append(Rated(arm, arm in positive or number % (2 * len(arms)) < len(arms), shares))
        verdict = compare_arms(arms, ratings)
        if verdict.winner is not None:
            return number + 1, verdict.winner, round(verdict.p_value, 4)
    return 600, None, verdict.p_value


def test_of_more_arms_a_winner_needs_more_evidence() -> None:
    """Each of three pairs could mislead, so each has a third of the probability; p values are comparable with ALPHA all the same."""
    assert first_verdict("ab", "b") == (55, "b", 0.0433)
    assert first_verdict("abc", "c") == (101, "c", 0.0372)


def test_a_winner_that_was_named_is_not_replaced_by_the_other_arm() -> None:
    """Who ended the experiment then was told so with a known probability of error; a later change of heart has none."""
    first = [Rated("ab"[n % 2], n % 2 == 1, EVEN) for n in range(100)]
    turned = [Rated("ab"[n % 2], n % 2 == 0, EVEN) for n in range(3000)]
    assert compare_arms("ab", first).winner == "b"
    assert compare_arms("ab", turned).winner == "a"
    assert compare_arms("ab", [*first, *turned]).winner == "b"


@pytest.mark.parametrize(
    ("positive", "ratings", "low", "high"),
    [(3, 4, 0.1310, 0.9980), (7, 10, 0.2524, 0.9675), (15, 20, 0.4111, 0.9527), (0, 20, 0.0, 0.2240), (60, 100, 0.4343, 0.7514)],
)
def test_an_interval_ends_where_the_mixture_is_twenty_times_as_likely(positive: int, ratings: int, low: float, high: float) -> None:
    """The mixture: all rates, weighted by Jeffreys' prior; integrated numerically for these figures."""
    rate = rate_of(positive, ratings)
    assert (round(rate.low, 4), round(rate.high, 4)) == (low, high)


def test_intervals_hold_the_rate_at_all_times() -> None:
    missed = 0
    for seed in range(100):
        rng, positive = random.Random(seed), 0
        for number in range(1, 301):
            positive += rng.random() < 0.7
            if number % 5 == 0:
                rate = rate_of(positive, number)
                if not rate.low <= 0.7 <= rate.high:
                    missed += 1
                    break
    assert missed <= 5


def test_the_interval_narrows_around_the_rate() -> None:
    assert (rate_of(0, 0).rate, rate_of(0, 0).low, rate_of(0, 0).high) == (None, 0.0, 1.0)
    assert rate_of(0, 20).low == 0.0
    assert rate_of(20, 20).high == 1.0
    small, large = rate_of(60, 100), rate_of(600, 1000)
    assert small.low < large.low < 0.6 < large.high < small.high
