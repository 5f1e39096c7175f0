"""Two questions agree where an answer to one answers the other."""

from __future__ import annotations

from itertools import combinations

import pytest

from footnote.text.agreement import agree, is_particular, meaning
from tests.footnote.memory.pairs import DIFFERENT, SAME

ELSEWHERE = ("groups", "conversation", "language")
"""Kinds whose questions read alike: something else tells them apart."""


def test_questions_with_different_answers_do_not_agree() -> None:
    assert [pair for pair in DIFFERENT if pair.kind not in ELSEWHERE and agree(pair.asked, pair.other, pair.lang)] == []


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_no_question_agrees_with_any_of_the_others(lang: str) -> None:
    questions = {question for pair in DIFFERENT if pair.lang == lang for question in (pair.asked, pair.other)}
    assert len(questions) > 50
    assert [two for two in combinations(sorted(questions), 2) if agree(*two, lang)] == []


def test_more_than_half_of_the_same_questions_in_other_words_agree() -> None:
    assert sum(agree(pair.asked, pair.other, pair.lang) for pair in SAME) == 34
    assert len(SAME) == 60


@pytest.mark.parametrize(
    ("lang", "asked", "other"),
    [
        ("en", "How do I open an account?", "  how to open an account "),
        ("en", "What’s the fee for 5,000 euros?", "Could you tell me what the fee for 5000 euros is?"),
        ("en", "Who may enter room two?", "Hello! Who may enter room 2? Thank you."),
        ("de", "Wie hoch ist die Gebühr?", "Können Sie mir bitte sagen, wie hoch die Gebühr ist?"),
        ("de", "Wie hoch ist die Gebühr für 2 Personen?", "Wie hoch ist die Gebühr für zwei Personen"),
        ("de", "Wie kann ich kündigen?", "Wie kann man kündigen?"),
        ("ko", "보증 기간은 얼마인가요?", "보증 기간은 얼마입니까?"),
        ("ko", "출장비 규정은 무엇인가요?", "출장비 규정을 알려 주세요."),
        ("fr", "Où est la gare ?", "où est la gare"),
    ],
)
def test_politeness_spelling_and_usual_phrasings_do_not_matter(lang: str, asked: str, other: str) -> None:
    assert agree(asked, other, lang)


@pytest.mark.parametrize(
    ("lang", "asked", "other"),
    [
        ("en", "Is it sold in the US?", "Is it sold to us?"),
        ("en", "What is a deductible?", "What is the deductible?"),
        ("en", "What is deductible?", "What is the deductible?"),
        ("en", "Is Kim a director?", "Is Kim the director?"),
        ("en", "How old are the boats?", "How are the old boats?"),
        ("en", "What is in the box?", "What is the box?"),
        ("en", "How do I pay you?", "How do you pay me?"),
        ("de", "Hat der Hund den Mann gebissen?", "Hat den Hund der Mann gebissen?"),
        ("de", "Wie viel sind 1.500 g?", "Wie viel sind 1,500 g?"),
    ],
)
def test_small_words_and_their_order_matter(lang: str, asked: str, other: str) -> None:
    assert not agree(asked, other, lang)


def test_agreement_is_the_same_in_both_directions_and_passed_on() -> None:
    assert (
        meaning("What is the price of the ticket?", "en")
        == meaning("how much does the ticket cost", "en")
        == "is what | the price of ticket"
    )


@pytest.mark.parametrize(
    ("lang", "question", "particular"),
    [
        ("en", "what is the notice period", False),
        ("en", "What do I need?", False),
        ("en", "Who led the Berlin office?", True),
        ("en", "who is on duty for two days", True),
        ("en", "who doesn't pay", True),
        ("de", "was ist nicht erlaubt", True),
        ("de", "was ist erlaubt", False),
        ("ko", "무엇이 허용되나요", False),
        ("ko", "무엇이 허용되지 않나요", True),
        ("ko", "VPN 주소는", True),
        ("ko", "제3조는", True),
    ],
)
def test_numbers_names_and_negations_make_a_question_particular(lang: str, question: str, particular: bool) -> None:
    assert is_particular(question, lang) is particular


@pytest.mark.timeout(30)  # a quadratic pattern takes an hour for the first, a linear one less than half a second
@pytest.mark.parametrize(
    "question", [". " * 35_000 + "Aa " * 9_950, "," * 99_500 + " a", ", " * 49_500 + "a"], ids=["capitals", "commas", "spaced"]
)
@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_no_question_takes_more_than_linear_time(question: str, lang: str) -> None:
    meaning(question, lang)
