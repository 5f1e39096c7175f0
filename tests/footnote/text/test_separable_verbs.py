"""German verbs that questions take apart."""

from __future__ import annotations

import pytest

from footnote.text.separable_verbs import join_verb
from footnote.text.tokens import query_tokens


@pytest.mark.parametrize(
    ("question", "joined"),
    [
        ("Wie füge ich einen Wunsch hinzu?", "Wie hinzufüge ich einen Wunsch"),
        ("wie melde ich mich an", "wie anmelde ich mich"),
        ("Wo lade ich das Bild vom Fest hoch ?", "Wo hochlade ich das Bild vom Fest"),
        ("Wie schaltet man es aus?", "Wie ausschaltet man es"),
        ("Wann gebt ihr die Schlüssel zurück?", "Wann zurückgebt ihr die Schlüssel"),
    ],
)
def test_a_verb_is_joined_with_its_particle(question: str, joined: str) -> None:
    assert join_verb(question) == joined


@pytest.mark.parametrize(
    "question",
    [
        "Wie kann ich mit?",  # kann is no verb of its own
        "Wie lösche ich einen Wunsch?",
        "Wann fand die Schlacht statt?",
        "Was ist neu an Bord?",
        "Wie wird man Mitglied ab 16?",
        "How do I sign up?",
        "",
    ],
)
def test_other_questions_stay_as_they_are(question: str) -> None:
    assert join_verb(question) is None


def test_both_forms_are_searched_for_in_german_alone() -> None:
    question = "Wie füge ich einen Wunsch hinzu?"
    assert {"fug", "hinzu", "hinzufug"} <= set(query_tokens(question, "de"))
    assert "hinzufuge" not in query_tokens(question, "en")
    assert "hinzufüge" not in query_tokens(question, "en")
