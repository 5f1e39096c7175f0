"""The measurement of confidence; its figures are not tested here."""

from __future__ import annotations

import pytest

from bench.confidence import Given, figures


def test_unanswerable_questions_count_by_the_share_that_a_mixture_gives_them() -> None:
    given = [
        *(Given(True, "high", True) for _ in range(9)),
        *(Given(True, "medium", True) for _ in range(11)),
        Given(False, "high", True),
        *(Given(False, "high", False) for _ in range(5)),
        Given(False, "low", False),
    ]
    measured = [figure.value for figure in figures("set", given, asked=100, answerable=50)]
    assert measured == pytest.approx([45.0, 90.0, 900 / (10 + 5 / 4), 900 / 15])


def test_a_set_without_unanswerable_questions_has_one_mixture() -> None:
    names = [figure.name for figure in figures("set", [Given(True, "high", True)], asked=1, answerable=1)]
    assert names == ["set: right answers of high confidence", "set: answers of high confidence that are right, all answerable"]
