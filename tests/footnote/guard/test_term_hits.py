"""Similarity of questions and terms."""

from __future__ import annotations

import numpy as np
import pytest

from footnote.guard.term_hits import asks_for_a_method, match_terms
from footnote.guard.terms import Match, Term, TermCopy


def similarity(question: str, term: str, threshold: float = 0.3, match: Match | None = None) -> float:
    hits = match_terms(question, None, TermCopy(1, (Term(term, match),), {}), threshold)
    return round(hits[0].similarity, 2) if hits else 0.0


@pytest.mark.parametrize(
    ("question", "term", "expected"),
    [
        ("임원", "임원", 1.0),
        ("임원이 누구야?", "임원", 1.0),
        ("우리 회사 임원들은 누구입니까?", "임원", 1.0),
        ("임원진 명단 보여줘", "임원", 0.5),
        ("회원 가입 방법", "임원", 0.0),
        ("인사평가 결과", "인사 평가", 1.0),
        ("인사 평가는 언제야?", "인사평가", 1.0),
        ("WHO IS THE EXECUTIVE?", "executive", 1.0),
        ("Who are the executives?", "executive", 0.86),
        ("What did the performance reviews say?", "performance review", 0.92),
        ("How is personal data stored?", "person", 0.5),
        ("What is the reason?", "person", 0.0),
        ("Wer ist der Vorstand?", "Vorstand", 1.0),
        ("Die Bezüge des Vorstands", "Vorstand", 0.84),
        ("Wie hoch ist das Vorstandsgehalt?", "Gehalt", 0.5),
        ("When does the office open?", "salary", 0.0),
        ("a b", "c", 0.0),
        ("Who repaid the loan?", "pai", 0.0),  # too short to mean anything inside of a word
        ("비상임원회", "임", 0.0),
    ],
)
def test_a_term_is_met_as_a_word_inflected_or_inside_of_one(question: str, term: str, expected: float) -> None:
    assert similarity(question, term) == expected


@pytest.mark.parametrize(
    ("match", "met"), [("exact", {"salary"}), ("synonym", {"salary", "salarys"}), ("contextual", {"salary", "salarys", "salaryman"})]
)
def test_a_terms_own_match_bounds_how_it_is_met(match: Match, met: set[str]) -> None:
    asked = ("salary", "salarys", "salaryman", "soap")
    assert {question for question in asked if similarity(question, "salary", match=match)} == met


def test_the_vectors_count_where_there_are_some() -> None:
    copy = TermCopy(1, (Term("pay"), Term("home address")), {0: np.array([1, 0], np.float32), 1: np.array([0.6, 0.8], np.float32)})
    hits = match_terms("What do they earn?", np.array([0.8, 0.6], np.float32), copy, 0.3)
    assert [(hit.term.text, round(hit.similarity, 2), hit.match) for hit in hits] == [
        ("home address", 0.96, "exact"),
        ("pay", 0.8, "synonym"),
    ]


def test_vectors_are_compared_by_how_they_differ_from_everyday_questions() -> None:
    copy = TermCopy(1, (Term("pay"),), {0: np.array([0.6, 0.8], np.float32)})
    vector, centre = np.array([0.8, 0.6], np.float32), np.array([0.7, 0.7], np.float32)
    (near,) = match_terms("What do they earn?", vector, copy, 0.3)
    assert round(near.similarity, 2) == 0.96
    assert match_terms("What do they earn?", vector, copy, 0.3, centre) == []


def test_particles_in_a_row_end() -> None:
    assert similarity("임원" + "이라" * 900 + "x", "임원") == 0.5


@pytest.mark.parametrize(
    "question",
    [
        "임원 선임 절차",
        "급여 신청 방법",
        "Executive appointment procedure",
        "How to apply for salary",
        "Verfahren zur Bestellung des Vorstands",
        "Wie beantrage ich Gehalt?",
        "Wo ist das Antragsformular?",
    ],
)
def test_a_question_asks_for_a_method(question: str) -> None:
    assert asks_for_a_method(question)


@pytest.mark.parametrize(
    "question", ["임원이 누구야?", "How much is the salary?", "How do I find out her salary?", "Wie hoch ist das Gehalt?"]
)
def test_a_question_asks_for_the_thing_itself(question: str) -> None:
    assert not asks_for_a_method(question)
