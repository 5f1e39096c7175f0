"""Which language a text is in."""

from __future__ import annotations

import pytest

from footnote.text.language import detect_language

GENOME = "ATG CCG TTA GGC " * 10


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("What is the capital of France?", "en"),
        ("Was ist die Hauptstadt von Frankreich?", "de"),
        ("프랑스의 수도는 어디인가요?", "ko"),
        ("GPT-4 Turbo API 사용법 알려줘", "ko"),
        ("フランスの首都はどこですか", "ja"),
        ("法国的首都是哪里", "zh"),
        ("Какой город столица?", "mis"),
        ("Какой город столица Франции: Paris или Lyon?", "mis"),
        (GENOME, "und"),
        ("٤٢ هي الإجابة", "mis"),
        ("Grüße aus München", "de"),
        ("SAP", "en"),
        ("42", "en"),
        ("🙂", "en"),
        ("", "en"),
    ],
)
def test_a_text_is_told_by_its_script_and_its_commonest_words(text: str, lang: str) -> None:
    assert detect_language(text) == lang


def test_a_short_text_that_does_not_tell_counts_as_what_is_expected_most() -> None:
    assert detect_language("SAP", {"en": 3, "de": 5}) == "de"
    assert detect_language("SAP", {"en": 5, "de": 3}) == "en"
    assert detect_language("SAP", {"de": 4, "en": 4}) == "de"  # equal weights: by name, not by chance
    assert detect_language("SAP", {"ko": 9, "de": 1}) == "de"  # Latin letters are no Korean
    assert detect_language("SAP", {"ko": 9}) == "en"
    assert detect_language("SAP", {}) == "en"
    assert detect_language("SAP", ("de", "en")) == "de"


def test_what_the_text_tells_stands_against_what_is_expected() -> None:
    assert detect_language("Where is the station?", {"de": 1000}) == "en"
    assert detect_language("역은 어디에 있습니까", {"en": 1000}) == "ko"


def test_a_long_text_that_does_not_tell_takes_the_language_of_what_it_stands_in() -> None:
    names = "Politics: John Hancock, John Adams, John Quincy Adams, Rutherford Hayes, Theodore Roosevelt, Franklin Roosevelt, " * 3
    assert [detect_language(names, {lang: 1}) for lang in ("en", "de", "und")] == ["en", "de", "und"]
    assert [detect_language(names, {lang: 1}) for lang in ("ko", "mis")] == ["und", "und"]  # Latin letters are neither
    assert detect_language(names) == "und"


def test_a_few_borrowed_words_do_not_make_a_text_theirs() -> None:
    assert detect_language("The band 방탄소년단 was founded in Seoul and has seven members, all of them from Korea.") == "en"
