"""How well a text supports a claim, and whether a sentence has the answer type that a question asks for."""

from __future__ import annotations

import pytest

from footnote.text.answer_types import answer_type_score
from footnote.text.grounding import best_support, covered_share, most_supporting
from footnote.text.question_kinds import asked_type_of

TEXT = "The bridge was built in 1894. It is painted dark red. Its architect was Horace Jones."


def test_a_share_counts_distinct_terms_by_their_weight() -> None:
    assert covered_share(["a", "b", "a"], {"a", "x"}) == 0.5
    assert covered_share(["a", "b"], {"a"}, {"a": 3.0, "b": 1.0}) == 0.75
    assert covered_share(["a", "b"], {"b"}, {"a": 3.0}) == 0.25  # a term without a weight weighs 1
    assert covered_share([], {"a"}) == 0.0
    assert covered_share([], {"a"}, {}) == 0.0
    assert covered_share(["a"], {"a"}, {"a": 0.0}) == 0.0


def test_the_sentence_that_supports_a_claim_is_found() -> None:
    share, (start, end) = best_support("The architect was Jones.", TEXT, "en")
    assert (share, TEXT[start:end]) == (1.0, "Its architect was Horace Jones.")
    share, (start, end) = best_support("It was built in 1894.", TEXT, "en")
    assert (share, TEXT[start:end]) == (1.0, "The bridge was built in 1894.")


def test_a_bare_yes_or_no_is_supported_by_an_answering_sentence() -> None:
    for claim in ("Yes.", "No, it is not."):
        share, (start, end) = best_support(claim, TEXT, "en", "Is it painted?")
        assert (share, TEXT[start:end]) == (0.0, "It is painted dark red.")


def test_a_pair_of_sentences_is_chosen_if_the_second_adds_enough() -> None:
    text = "Anna lives in Oslo. She owns a yellow boat. Nothing else is known."
    share, (start, end) = best_support("Anna owns a yellow boat.", text, "en")
    assert text[start:end] == "Anna lives in Oslo. She owns a yellow boat."
    assert share == pytest.approx(0.97)


def test_a_text_without_sentences_supports_nothing() -> None:
    assert best_support("Anything at all.", "  ", "en") == (0.0, (0, 2))
    assert best_support("", TEXT, "en")[0] == 0.0


def test_of_equally_supporting_texts_the_first_is_chosen() -> None:
    assert most_supporting("The bridge is red.", ["Cats sleep.", "A red bridge.", "The bridge is red."], "en") == 1


@pytest.mark.parametrize(
    ("question", "sentence", "score"),
    [
        ("When was it built?", "It was built in 1894.", 1.0),
        ("When was it built?", "It was built of stone.", 0.0),
        ("When was the 1894 bridge built?", "The 1894 bridge stands.", 0.0),  # named by the question itself
        ("How many people live there?", "About three million people do.", 1.0),
        ("Who built it?", "It was built by Horace Jones.", 1.0),
        ("Who built it?", "It was built by masons.", 0.0),
        ("Where does she live?", "She lives in Oslo.", 1.0),
        ("Why is it red?", "It is red because of rust.", 1.0),
        ("Wann wurde sie gebaut?", "Sie wurde im Mai gebaut.", 1.0),
        ("Wie viele Menschen leben dort?", "Dort leben Menschen.", 0.0),
        ("언제 지어졌나요?", "1894년에 지어졌다.", 1.0),
        ("언제까지 신청해야 하나요?", "접수: 3. 4.(수)까지", 1.0),
        ("타운홀 언제 해요?", "매주 월요일 14:00에 한다.", 1.0),
        ("Wann ist die Versammlung?", "Der Vorstand beruft sie einmal jährlich ein.", 1.0),
        ("When does it close?", "It closes at 5 pm.", 1.0),
        ("When was the program written?", "See 2.1. Where to get it.", 0.0),  # the number of a section
        ("How often is it painted?", "It is painted twice.", 1.0),
        ("Wie oft tagt er?", "Er tagt monatlich.", 1.0),
        ("Wie oft tagt er?", "5. Die Tagesordnung setzt eine Person fest.", 0.0),  # of an item; an article is no number
        ("Wie viele Beisitzer gibt es?", "Es gibt einundzwanzig.", 1.0),
        ("Wie viele Beisitzer gibt es?", "Sie werden einberufen.", 0.0),
        ("누가 지었나요?", "호러스 존스가 지었다.", 0.5),  # Hangul does not mark names
        ("Is it red?", "It is red.", 0.5),
    ],
)
def test_a_sentence_is_scored_by_the_answer_type_of_the_question(question: str, sentence: str, score: float) -> None:
    assert answer_type_score(asked_type_of(question), question, sentence) == score
