"""How many messages that were not fitted are told, by their words and by their vectors, too."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from bench.message_kinds import WEIGHTS, measure
from bench.message_rows import rows_to_fit, rows_to_measure
from bench.request_grammar import made_from, read_grammar
from footnote.adapters.e5.embedder import E5


@cache
def told(*, by_vectors: bool) -> dict[tuple[str, str], Counter[str]]:
    """(set, kind) → what its messages are told to be after others came; those in English, German and Korean."""
    rows = [row for row in rows_to_measure() if row.lang in ("en", "de", "ko")]
    model = E5()
    vectors = list(model.across_languages(model.encode([row.text for row in rows], query=True))) if by_vectors else [None] * len(rows)
    counts: dict[tuple[str, str], Counter[str]] = {}
    for (source, _, kind, goes_on), count in measure(rows, vectors).items():
        if goes_on:
            counts.setdefault((source, kind), Counter()).update(count)
    return counts


@pytest.mark.slow("it embeds 1,400 messages")
@pytest.mark.parametrize(
    ("by_vectors", "questions", "follow_ups", "about_answer", "small_talk"),
    [(False, 0.97, 0.65, 0.73, 0.55), (True, 0.98, 0.76, 0.95, 0.72)],
    ids=["words", "vectors"],
)
def test_few_questions_are_taken_for_something_else(
    by_vectors: bool, questions: float, follow_ups: float, about_answer: float, small_talk: float
) -> None:
    counts = told(by_vectors=by_vectors)

    def share(source: str, *kinds: str) -> float:
        right = sum(counts[source, kind][kind] for kind in kinds)
        return right / sum(counts[source, kind].total() for kind in kinds)

    assert share("labels", "question") >= questions
    assert share("labels", "follow_up") >= follow_ups
    assert share("follow_ups", "about_answer") >= about_answer
    assert share("messages", "greeting", "thanks") >= small_talk


def test_the_file_is_small() -> None:
    assert WEIGHTS.stat().st_size < 200_000


def test_nothing_that_is_measured_is_fitted() -> None:
    assert not {row.text for row in rows_to_fit()} & {row.text for row in rows_to_measure()}


def test_templates_are_filled_completely() -> None:
    assert [text for _, _, text in made_from(read_grammar(), 3) if any(mark in text for mark in "{}|@")] == []
