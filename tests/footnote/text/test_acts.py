"""Verbs that say the same of something that is to be done."""

from __future__ import annotations

import pytest

from footnote.text.acts import same_acts
from footnote.text.tokens import content_terms


@pytest.mark.parametrize(
    ("asked", "lang", "said"),
    [
        ("make a schedule", "en", "Creating schedules"),
        ("remove a payee", "en", "Deleting a payee"),
        ("set up a goal", "en", "Configure goals"),
        ("Wie lösche ich ein Konto?", "de", "Konto entfernen"),
        ("Laptop bestellen", "de", "Laptop beantragen"),
    ],
)
def test_another_verb_stands_for_the_one_that_is_asked_for(asked: str, lang: str, said: str) -> None:
    terms = content_terms(asked, lang)
    same = same_acts(terms, lang)
    assert set(terms) <= {same.get(term, term) for term in content_terms(said, lang)}


@pytest.mark.parametrize(("asked", "lang", "said"), [("make a schedule", "en", "Deleting schedules"), ("일정 추가", "ko", "일정 삭제")])
def test_other_verbs_do_not(asked: str, lang: str, said: str) -> None:
    assert not set(content_terms(said, lang)).intersection(same_acts(content_terms(asked, lang), lang))


def test_a_term_of_the_question_stands_for_itself() -> None:
    assert "add" not in same_acts(["make", "add"], "en")
