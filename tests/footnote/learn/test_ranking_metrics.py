"""Ranking metrics against values computed by hand."""

from __future__ import annotations

from math import log2

import pytest

from footnote.learn.ranking_metrics import mean_interval, ndcg, percentile, recall, reciprocal_rank

RELEVANCE = {"a": 3, "b": 1, "c": 0, "d": 2}


def test_ndcg_discounts_linear_gains_by_the_logarithm_of_the_rank() -> None:
    best = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert ndcg(["a", "d", "b"], RELEVANCE) == 1.0
    assert ndcg(["c", "b", "a"], RELEVANCE) == pytest.approx((1 / log2(3) + 3 / log2(4)) / best)
    assert ndcg(["b", "a", "d"], RELEVANCE, k=1) == pytest.approx(1 / 3)
    assert ndcg(["x", "y"], RELEVANCE) == 0.0
    assert ndcg(["a"], {}) == 0.0
    assert ndcg([], RELEVANCE) == 0.0


def test_recall_counts_the_relevant_within_k() -> None:
    assert recall(["a", "x", "b"], RELEVANCE) == pytest.approx(2 / 3)
    assert recall(["a", "x", "b"], RELEVANCE, k=2) == pytest.approx(1 / 3)
    assert recall(["c"], RELEVANCE) == 0.0
    assert recall(["a"], {"a": 0}) == 0.0


def test_the_reciprocal_rank_is_that_of_the_first_relevant() -> None:
    assert reciprocal_rank(["x", "c", "d"], RELEVANCE) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x", "c", "d"], RELEVANCE, k=2) == 0.0
    assert reciprocal_rank([], RELEVANCE) == 0.0


def test_the_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    values = [0.0, 1.0] * 50
    mean, low, high = mean_interval(values)
    assert mean == 0.5
    assert 0.38 < low < 0.45 < 0.55 < high < 0.62  # ± 1.96 · .5 / √100
    assert mean_interval(values) == (mean, low, high)
    assert mean_interval([]) == (0.0, 0.0, 0.0)
    assert mean_interval([0.7]) == (0.7, 0.7, 0.7)
    assert mean_interval([1.0] * 9) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(("share", "value"), [(0.5, 3), (0.95, 5), (0.2, 1), (0.21, 2), (0.0, 1), (1.0, 5)])
def test_a_percentile_is_a_value_that_was_measured(share: float, value: float) -> None:
    assert percentile([5, 1, 4, 2, 3], share) == value
    assert percentile([], share) == 0.0
