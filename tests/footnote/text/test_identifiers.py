"""Names of programs and settings are found by their words and as they are written."""

from __future__ import annotations

import pytest

from footnote.text.identifiers import divided, identifiers
from footnote.text.tokens import content_terms, index_tokens, query_tokens


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("LOCK_WAIT_SECONDS", ["lock", "wait", "second", "lock_wait_seconds"]),
        ("lock_wait", ["lock", "wait", "lock_wait"]),
        ("__lock__wait__", ["lock", "wait", "lock__wait"]),
        ("lockWaitSeconds", ["lockwaitsecond", "lock", "wait", "second"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("lock.wait-time", ["lock", "wait", "time"]),
    ],
)
def test_a_passage_has_the_words_of_a_name_and_the_name(name: str, words: list[str]) -> None:
    assert index_tokens(name, "en") == words


def test_a_question_has_the_words_of_a_name_with_underscores_only() -> None:
    assert query_tokens("LOCK_WAIT of PowerPoint", "en") == ("lock", "wait", "powerpoint", "lock_wait")
    assert content_terms("LOCK_WAIT of PowerPoint", "en") == ["lock", "wait", "powerpoint", "lock_wait"]


def test_underscores_for_emphasis_and_of_forms_are_no_part_of_a_word() -> None:
    assert index_tokens("_slowly_ Name: ______", "en") == ["slowli", "name"]


def test_german_and_korean_words_are_divided_at_underscores_too() -> None:
    assert content_terms("ABLAGE_ORT", "de") == ["ablag", "ort", "ablage_ort"]
    assert content_terms("MAX_크기", "ko") == ["크기", "max", "max_크기"]


@pytest.mark.parametrize("text", ["kWh mL pH iOS GmbH eBay", "A plain text. No names In It", "DNA and RNAs", ""])
def test_units_and_abbreviations_are_not_divided(text: str) -> None:
    assert divided(text) == text


def test_only_names_that_no_brand_has_are_taken_for_those_of_programs() -> None:
    assert identifiers("MAX_SIZE, pollInterval, GitHub, YouTube and iPhone") == ["max_size", "pollinterval"]


def test_a_long_text_of_capitals_or_underscores_takes_linear_time() -> None:
    assert divided("aB" * 50_000).startswith("aBaB")
    assert identifiers("_" * 100_000) == []
    assert len(identifiers("a_" * 50_000)) == 1
