"""Ranking metrics: nDCG, recall and reciprocal rank at k, with bootstrap intervals.

Gains are linear: DCG@k = Σ gain_i / log2(i + 1), rank i from 1. Checked against ir-measures in the tests.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

Relevance = Mapping[str, int]
"""Document id → gain, > 0 = relevant."""


def ndcg(ranked: Sequence[str], relevance: Relevance, k: int = 10) -> float:
    """DCG@k divided by that of the ideal ranking, 0..1; 0 without relevant documents."""
    ideal = _dcg(sorted(relevance.values(), reverse=True)[:k])
    return _dcg([relevance.get(doc_id, 0) for doc_id in ranked[:k]]) / ideal if ideal else 0.0


def recall(ranked: Sequence[str], relevance: Relevance, k: int = 10) -> float:
    """Share of the relevant documents among the first k, 0..1."""
    relevant = {doc_id for doc_id, gain in relevance.items() if gain > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranked: Sequence[str], relevance: Relevance, k: int = 10) -> float:
    """1 / rank of the first relevant document among the first k; 0 if there is none."""
    return next((1 / rank for rank, doc_id in enumerate(ranked[:k], start=1) if relevance.get(doc_id, 0) > 0), 0.0)


def mean_interval(values: Sequence[float], *, rounds: int = 500) -> tuple[float, float, float]:
    """(mean, low, high): the mean with its 95 % bootstrap interval; zeros if there are no values."""
    if not values:
        return 0.0, 0.0, 0.0
    mean = sum(values) / len(values)
    if len(values) == 1:
        return mean, mean, mean
    rng = random.Random(7)  # noqa: S311 - a reproducible interval, not a secret
    means = sorted(sum(rng.choices(values, k=len(values))) / len(values) for _ in range(rounds))
    return mean, means[int(0.025 * rounds)], means[min(rounds - 1, int(0.975 * rounds))]


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` (0..1) of the values do not exceed, by nearest rank; 0 if there are none."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
