"""Two questions agree if an answer to one also answers the other."""

from __future__ import annotations

from itertools import combinations

import pytest

from footnote.text.agreement import agree, agree_readings, bucket_key, is_particular, readings
from tests.footnote.memory.pairs import DIFFERENT, SAME, read_fresh

ELSEWHERE = ("groups", "conversation", "language")
"""Kinds of pairs whose questions are equal; they differ in something else."""


def test_questions_with_different_answers_do_not_agree() -> None:
    assert [pair for pair in DIFFERENT if pair.kind not in ELSEWHERE and agree(pair.asked, pair.other, pair.lang)] == []


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_no_question_agrees_with_any_of_the_others(lang: str) -> None:
    questions = {question for pair in DIFFERENT if pair.lang == lang for question in (pair.asked, pair.other)}
    assert len(questions) > 50
    known = {question: readings(question, lang) for question in questions}
    assert [two for two in combinations(sorted(questions), 2) if agree_readings(known[two[0]], known[two[1]])] == []


def test_more_than_half_of_the_same_questions_in_other_words_agree() -> None:
    assert sum(agree(pair.asked, pair.other, pair.lang) for pair in SAME) == 45
    assert len(SAME) == 60


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_of_independently_written_questions_only_equivalent_ones_agree(lang: str) -> None:
    fresh = [(first, other, same) for each, first, other, same in read_fresh() if each == lang]
    same = {frozenset((first, other)) for first, other, same in fresh if same}
    questions = sorted({question for first, other, _ in fresh for question in (first, other)})
    known = {question: readings(question, lang) for question in questions}
    agreeing = [two for two in combinations(questions, 2) if agree_readings(known[two[0]], known[two[1]])]
    assert [two for two in agreeing if frozenset(two) not in same] == []
    assert [two for two in agreeing if bucket_key(two[0], lang) != bucket_key(two[1], lang)] == []


@pytest.mark.parametrize(
    ("lang", "asked", "other"),
    [
        ("en", "How do I open an account?", "  how to open an account "),
        ("en", "What’s the fee for 5,000 euros?", "Could you tell me what the fee for 5000 euros is?"),
        ("en", "Who may enter room two?", "Hello! Who may enter room 2? Thank you."),
        ("en", "Am I allowed to smoke in the garage?", "Is smoking allowed in the garage?"),
        ("en", "Where is the first aid box kept?", "Where can I find the first aid box?"),
        ("en", "What is the fee in 2020?", "In 2020, what is the fee?"),
        ("en", "Which desk do I return the key to?", "To which desk do I return the key?"),
        ("en", "How do I cancel an order?", "I want to cancel an order, how do I do that?"),
        ("de", "Wann öffnet das Museum am Montag?", "Am Montag öffnet das Museum wann?"),
        ("de", "Wie richte ich einen Drucker ein?", "Wie kann man einen Drucker einrichten?"),
        ("de", "Wie hoch ist die Gebühr in der Nacht?", "wie hoch ist die gebühr in der nacht"),
        ("de", "Wo finde ich den Schlüssel der Garage?", "Wo kann man den Schlüssel von der Garage finden?"),
        ("ko", "도서관은 어디에 있나요?", "도서관 어디에 있어요?"),
        ("ko", "재고는 언제 확인하나요?", "언제 재고는 확인합니까?"),
        ("ko", "병원에 보험증을 가져가야 하나요?", "보험증을 병원에 가져가야 합니까?"),
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
        ("en", "What did Mr. Adams sign?", "What did Mr. Adam sign?"),
        ("en", "What is the term of the contract?", "What are the terms of the contract?"),
        ("en", "Can the manager of the team dismiss a clerk?", "Can the manager dismiss a clerk of the team?"),
        ("en", "How long does the train take?", "How long does the training take?"),
        ("en", "Can I book the room with a visa?", "Can I book the room without a visa?"),
        ("de", "Darf der Chef den Mieter anrufen?", "Darf den Chef der Mieter anrufen?"),
        ("de", "Was frisst der Hund?", "Was frisst den Hund?"),
        ("en", "Where can I park?", "Where should I park?"),
        ("en", "Who can I invite?", "Who should I invite?"),
        ("de", "Ruft die Mutter die Tochter an?", "Ruft die Tochter die Mutter an?"),
        ("de", "Darf nur der Mieter parken?", "Darf der Mieter nur parken?"),
        ("de", "Darf der Hund in den Garten?", "Darf der Hund in dem Garten?"),
        ("de", "Wie lange fährt der Zug von Ulm nach Bonn?", "Wie lange fährt der Zug von Bonn nach Ulm?"),
        ("de", "Braucht der Wagen 5 l je 100 km?", "Braucht der Wagen 100 l je 5 km?"),
        ("de", "dürfen hunde katzen jagen", "dürfen katzen hunde jagen"),
        ("ko", "선생님이 평가하나요?", "선생님을 평가하나요?"),
        ("ko", "선생님이 평가해도 되나요?", "선생님을 평가해도 되나요?"),
        ("ko", "고객이 직원을 고소했나요?", "직원이 고객을 고소했나요?"),
        ("ko", "회원에게 사서가 알리나요?", "사서에게 회원이 알리나요?"),
        ("de", "Hat der Hund den Mann gebissen?", "Hat den Hund der Mann gebissen?"),
        ("de", "Wie viel sind 1.500 g?", "Wie viel sind 1,500 g?"),
    ],
)
def test_small_words_and_their_order_matter(lang: str, asked: str, other: str) -> None:
    assert not agree(asked, other, lang)


def test_agreement_is_symmetric_and_transitive() -> None:
    questions = "What is the price of the ticket?", "how much does the ticket cost", "ticket price"
    assert {tuple(readings(question, "en")) for question in questions} == {("is what | the ticket price",)}


@pytest.mark.parametrize(
    ("lang", "question", "particular"),
    [
        ("en", "what is the notice period", False),
        ("en", "What do I need?", False),
        ("en", "Who led the Berlin office?", True),
        ("en", "who is on duty for two days", True),
        ("en", "is first class on trains allowed", False),
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


@pytest.mark.sample
@pytest.mark.timeout(30)  # a quadratic pattern takes an hour for the first, a linear one less than half a second
@pytest.mark.parametrize(
    "question",
    [
        ". " * 35_000 + "Aa " * 9_950,
        "," * 99_500 + " a",
        ", " * 49_500 + "a",
        "is " + "a allowed " * 10_000 + "? a",
        "is a" + "ing a" * 20_000,
        "Was im Haus " * 8_000,
        "나는 " * 33_000,
    ],
    ids=["capitals", "commas", "spaced", "allowed", "ing", "im", "나"],
)
@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_no_question_takes_more_than_linear_time(question: str, lang: str) -> None:
    readings(question, lang)
    bucket_key(question, lang)
