"""Sentences of different documents that say the same with different numbers."""

from __future__ import annotations

import pytest

from footnote.answer.choose import conflicting
from footnote.answer.score_sentences import Scored
from tests.fakes import make_hit
from tests.footnote.answer.passages import scored


def said(text: str, doc_id: str) -> Scored:
    return scored(make_hit(text, doc_id), {})[0]


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ("The bridge was built in 1894.", "The bridge was built in 1931.", True),
        ("The bridge was built in 1894.", "In 1894 the bridge was built.", False),
        ("The bridge was built in 1894.", "The bridge was built long ago.", False),
        ("The bridge was built in 1894.", "The ferry costs 4 euros.", False),
        ("A lorry of 12 tonnes may cross the old bridge.", "A lorry of 16 tonnes may cross the old bridge.", True),
        ("In 1894.", "In 1931.", False),  # nothing else is said
    ],
)
def test_sentences_on_the_same_with_other_numbers_conflict(one: str, other: str, conflict: bool) -> None:
    assert conflicting(said(one, "a"), said(other, "b"), "en") is conflict


def test_sentences_of_one_document_do_not_conflict() -> None:
    assert not conflicting(said("The bridge was built in 1894.", "a"), said("The bridge was built in 1931.", "a"), "en")
