"""Two questions ask the same if their normal forms are equal."""

from __future__ import annotations

import pytest

from footnote.text.normal_form import ask_the_same, normal_form
from tests.footnote.memory.pairs import DIFFERENT, read_fresh


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_no_question_asks_the_same_as_any_of_the_others(lang: str) -> None:
    questions = {question for pair in DIFFERENT if pair.lang == lang for question in (pair.asked, pair.other)}
    questions |= {question for each, first, other, _ in read_fresh() if each == lang for question in (first, other)}
    assert len(questions) > 150
    assert len({normal_form(question, lang) for question in questions}) == len(questions)


@pytest.mark.parametrize(
    ("lang", "asked", "other"),
    [
        ("en", "How do I open an account?", "  how do i open   an account "),
        ("en", "What’s the “usual” fee (for 2)?", "what's the usual fee, for 2"),
        ("en", "WHAT IS THE VPN ADDRESS?!", "What is the VPN address?"),
        ("en", "How Do I Get a Refund?", "how do i get a refund…"),
        ("de", "Wie hoch ist die Gebühr?", "wie hoch ist die gebühr"),
        ("ko", "비밀번호를 어떻게 재설정하나요?", "비밀번호를 어떻게 재설정 하나요"),
        ("fr", "Où est la gare ?", "où est la gare"),
        ("zh", "车站在哪里？", "车站 在哪里"),
    ],
)
def test_case_spaces_and_punctuation_do_not_matter(lang: str, asked: str, other: str) -> None:
    assert ask_the_same(asked, other, lang)


@pytest.mark.parametrize(
    ("lang", "asked", "other"),
    [
        ("en", "Is it sold in the US?", "Is it sold in the us?"),
        ("de", "Wie hoch sind die Maße?", "Wie hoch sind die Masse?"),
        ("de", "Wen haben Sie gefragt?", "Wen haben sie gefragt?"),
        ("de", "Wie viel sind 1.500 g?", "Wie viel sind 1,500 g?"),
        ("en", "What is C?", "What is C++?"),
        ("en", "What happens at -5 degrees?", "What happens at 5 degrees?"),
        ("ko", "방 1 2 층", "방 12 층"),
    ],
)
def test_signs_digits_and_names_do(lang: str, asked: str, other: str) -> None:
    assert not ask_the_same(asked, other, lang)


def test_a_question_without_words_has_no_form() -> None:
    assert normal_form(" ?! …", "en") == ""
