"""The labelled requests, and how many of them are recognised."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.request_grammar import made_requests
from bench.requests import labelled, main, measure, training_rows


def test_of_unseen_requests_95_in_100_are_right_and_few_searches_are_missed() -> None:
    counts = [count for (_, half), count in measure().items() if half == "test"]
    assert sum(count["requests"] for count in counts) == 100
    assert sum(count["right"] for count in counts) >= 95
    assert sum(count["missed"] for count in counts) <= 2


def test_the_halves_are_alike_in_every_language() -> None:
    assert Counter(half for _, half, _, _ in labelled()) == {"dev": 100, "test": 100}
    kinds = Counter((lang, search, half) for lang, half, _, search in labelled())
    assert len(kinds) == 12
    assert min(kinds.values()) >= 15


def test_nothing_of_the_labelled_set_is_fitted() -> None:
    rows = training_rows()
    assert not {text for _, _, text, _ in labelled()} & {text for text, _ in rows}
    assert {kind for _, kind in rows} == {"question", "keywords", "request"}


def test_templates_are_filled_completely() -> None:
    assert [text for _, text, _ in made_requests(3) if any(mark in text for mark in "{}|@")] == []


def test_figures_and_errors_of_the_seen_half_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines if line.startswith("all")] == [["all", "dev"], ["all", "test"]]
    assert not [line for line in lines if line.startswith("test")]
