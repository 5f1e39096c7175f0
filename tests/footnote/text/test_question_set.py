"""Whether a question is in a set."""

from __future__ import annotations

import pytest

from footnote.text.normal_form import QuestionSet

FORBIDDEN = QuestionSet(["What does Kim earn?", "Was verdient Kim?", "김 씨의 연봉은 얼마입니까?"])


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("What does Kim earn?", "en"), ("what  does KIM earn?", "de"), ("What does Kim earn", "en"), ("What does Kim earn, please?", "en"),
        ("Was verdient Kim", "de"), ("Bitte, was verdient Kim?", "de"), ("김 씨의 연봉은 얼마입니까", "ko"),
    ],
)  # fmt: skip
def test_a_question_of_the_same_words_is_in_the_set_whatever_language_was_stored(question: str, lang: str) -> None:
    assert FORBIDDEN.holds(question, lang)


@pytest.mark.parametrize(("question", "lang"), [("What does Ann earn?", "en"), ("Was schreibt Kim?", "de"), ("", "en")])
def test_another_question_is_not(question: str, lang: str) -> None:
    assert not FORBIDDEN.holds(question, lang)
    assert not QuestionSet([]).holds(question, lang)
