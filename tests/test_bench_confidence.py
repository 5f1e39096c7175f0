"""The measurement of confidence; its figures are not tested here."""

from __future__ import annotations

import pytest

from bench.confidence import Given, figures, half_of, with_hidden
from footnote.learn.golden import GoldenDocument, GoldenQuery, GoldenSet


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


def test_questions_about_documents_that_are_left_out_are_unanswerable() -> None:
    documents = tuple(GoldenDocument(f"d{number}", "", f"Text {number}.") for number in range(20))
    kept, hidden = ([each.doc_id for each in documents if half_of(each.doc_id) == half] for half in (0, 1))
    queries = (
        GoldenQuery("kept", "?", {kept[0]: 1, hidden[0]: 0}, ("a",)),
        GoldenQuery("hidden", "?", {hidden[0]: 1}, ("a",)),
        GoldenQuery("both", "?", {kept[0]: 1, hidden[0]: 1}, ("a",)),
    )
    made = with_hidden(GoldenSet("toy", documents, queries, "0" * 64))
    assert [document.doc_id for document in made.documents] == kept
    assert ([query.query_id for query in made.queries], [query.query_id for query in made.unanswerable]) == (["kept"], ["hidden"])
    assert made.digest != "0" * 64
