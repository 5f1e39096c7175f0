"""Statistics of experiments that are valid however often they are looked at.

**Verdict.** Two arms are compared by a bet against the hypothesis that the arm makes no difference to what users do. Under it, a rating
contains no information about the arm of its turn: that arm was drawn with known probabilities, the shares. Before each rating, an estimate
of both arms' positive rates is made from the ratings before it. The rating multiplies the capital by θ_arm(rating) / Σ share · θ(rating),
which is 1 on average under the hypothesis, whatever the rates are, whether they change over time, and however the shares were chosen from
earlier ratings. So the capital is a test martingale, and by Ville's inequality it ever reaches 1/α with a probability of at most α. This is
the E-variable of a two-sample test (Turner, Ly, Grünwald: Generic E-variables for exact sequential k-sample tests that allow for optional
stopping, 2024) with drawn instead of fixed group sizes; Ramdas, Grünwald, Vovk, Shafer: Game-theoretic statistics and safe anytime-valid
inference, 2023. With more than two arms, α is divided by the number of pairs (Bonferroni).

It takes one rating per draw. Ratings of a user whose arm was drawn once depend on each other, so only the first of them counts.

**Intervals.** Each rate has a confidence sequence from the beta-binomial mixture (Robbins 1970; Howard, Ramdas, McAuliffe, Sekhon:
Time-uniform, nonparametric, nonasymptotic confidence sequences, 2021), with Jeffreys' prior. It is valid at all times together, also for
shares that follow ratings, as long as the arm's rate itself does not change."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

ALPHA = 0.05
"""Probability of ever naming a winner among equal arms, at most; and of an interval ever missing the rate."""
PRIOR = 50.0
"""Ratings with the common rate that are added to each arm's estimate, so that early bets are small."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating that counts. `shares`: arm → the probability with which it was drawn."""

    arm: str
    is_positive: bool
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Rate:
    """The positive rate of an arm with its interval, 0..1; the rate is None without ratings."""

    ratings: int
    positive: int
    rate: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """`winner`: the arm that is better than every other; None = undecided. `p_value`: always valid, for the pair that is least
    clear if there is a winner, otherwise for the clearest pair."""

    winner: str | None
    p_value: float


class Bet:
    """The comparison of two arms. `add` takes the ratings of these arms in the order in which they were given."""

    def __init__(self, first: str, second: str, level: float = ALPHA) -> None:
        self._arms = (first, second)
        self._threshold = -math.log(level)
        self._counts = {first: 0, second: 0}
        self._positive = {first: 0, second: 0}
        self._log = 0.0
        self.highest = 0.0
        """The logarithm of the highest capital so far; the capital is 1 at first."""
        self.better: str | None = None
        """The arm with the higher rate when the capital reached 1 / level; None = it has not. It stays when the capital falls."""

    def add(self, rating: Rated) -> None:
        """Bets on this rating with the estimates from earlier ones, then learns from it."""
        total = sum(self._counts.values())
        common = (sum(self._positive.values()) + 1) / (total + 2)
        rates = {arm: (self._positive[arm] + PRIOR * common) / (self._counts[arm] + PRIOR) for arm in self._arms}
        drawn = sum(rating.shares[arm] for arm in self._arms)
        expected = sum(rating.shares[arm] * rates[arm] for arm in self._arms) / drawn
        mine = rates[rating.arm]
        self._log += math.log(mine / expected if rating.is_positive else (1 - mine) / (1 - expected))
        self._counts[rating.arm] += 1
        self._positive[rating.arm] += rating.is_positive
        self.highest = max(self.highest, self._log)
        if self.better is None and self._log >= self._threshold:
            self.better = max(self._arms, key=lambda arm: self._positive[arm] / max(1, self._counts[arm]))


def compare_arms(arms: Sequence[str], ratings: Iterable[Rated]) -> Verdict:
    """The verdict on the ratings, in the order in which they were given. Ratings of other arms are ignored."""
    pairs = list(combinations(arms, 2))
    bets = {pair: Bet(*pair, level=ALPHA / len(pairs)) for pair in pairs}
    for rating in ratings:
        for pair, bet in bets.items():
            if rating.arm in pair:
                bet.add(rating)
    p_values = {pair: min(1.0, len(pairs) * math.exp(-bet.highest)) for pair, bet in bets.items()}
    for arm in arms:
        mine = [pair for pair in pairs if arm in pair]
        if mine and all(bets[pair].better == arm for pair in mine):
            return Verdict(arm, max(p_values[pair] for pair in mine))
    return Verdict(None, min(p_values.values(), default=1.0))


def rate_of(positive: int, ratings: int) -> Rate:
    """The positive rate with its confidence sequence."""
    if not ratings:
        return Rate(0, 0, None, 0.0, 1.0)
    negative, rate = ratings - positive, positive / ratings
    most = math.log(ALPHA) + _log_beta(positive + 0.5, negative + 0.5) - _log_beta(0.5, 0.5)

    def is_inside(value: float) -> bool:
        likelihood = positive * math.log(value) if positive else 0.0
        likelihood += negative * math.log1p(-value) if negative else 0.0
        return likelihood > most

    low = _edge(rate, 0.0, is_inside) if positive else 0.0
    high = _edge(rate, 1.0, is_inside) if negative else 1.0
    return Rate(ratings, positive, rate, low, high)


def _edge(inside: float, outside: float, is_inside: Callable[[float], bool]) -> float:
    """Where the interval ends between a value in it and one outside, by bisection."""
    for _ in range(50):
        middle = (inside + outside) / 2
        if is_inside(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
