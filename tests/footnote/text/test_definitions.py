"""What a question wants defined, and what defines it."""

from __future__ import annotations

import time

import pytest

from footnote.text.definitions import DefiningPatterns, patterns_of
from footnote.text.reading import read


def patterns_for(question: str, lang: str = "en") -> DefiningPatterns | None:
    """How a text says what the question wants defined; None = it wants nothing defined."""
    wanted = read(question, lang).definition
    return patterns_of(wanted) if wanted else None


@pytest.mark.parametrize(
    ("question", "sentence", "defines"),
    [
        ("What does READY mean?", "| READY | its words can be searched |", True),
        ("What's a collection?", "A collection is a named set of documents.", True),
        ("what is a passage", "Passages are the pieces of a document.", True),
        ("What's a collection?", "The collection is optional.", False),
        ("What is the price of a kayak?", "A kayak is a boat.", False),
        ("Was ist eine Sammlung?", "Eine Sammlung ist eine Menge von Dokumenten.", True),
        ("Was ist eine Sammlung?", "Sammlungen kosten nichts.", False),
        ("컬렉션이 뭐예요?", "컬렉션은 문서의 모음입니다.", True),
        ("컬렉션이 뭐예요?", "문서는 컬렉션에 있습니다.", False),
    ],
)
def test_a_definition_begins_with_what_it_defines(question: str, sentence: str, defines: bool) -> None:
    wanted = patterns_for(question)
    assert wanted is not None
    assert wanted.may_be(sentence) == defines


@pytest.mark.parametrize("question", ["How do I connect it?", "Which files can it read?", "What was the best of all the many years there?"])
def test_what_asks_for_no_definition_has_no_form_of_one(question: str) -> None:
    assert patterns_for(question) is None


@pytest.mark.parametrize(
    ("question", "lang", "abbreviation"),
    [
        ("what does ato mean", "en", "ATO"),
        ("What is PII?", "en", "PII"),
        ("Was bedeutet DSGVO?", "de", "DSGVO"),
        ("L3 뜻", "ko", "L3"),
        ("What is a tidal mill?", "en", None),
        ("How do I get an ATO?", "en", None),
    ],
)
def test_a_question_may_ask_what_letters_stand_for(question: str, lang: str, abbreviation: str | None) -> None:
    wanted = patterns_for(question, lang)
    assert (wanted and wanted.abbreviation) == abbreviation


@pytest.mark.parametrize(
    ("question", "text", "does"),
    [
        ("What is a portlet?", "They are new. A portlet is a part of a page.", True),
        ("What is a portlet?", "Glossary\n\n- **Portlets** are the parts of a page.", True),
        ("What is a portlet?", "The portlet is the last step.", False),  # of a certain one
        ("What is the portlet?", "The portlet is the last step.", True),
        ("What is a portlet?", "Nobody knows what a portlet is the first time.", False),
        ("What is a portlet?", "Portlet: choose one.", False),
        ("What is a portlet?", "Terms\n\n- Portlet: A part of a page.", True),
        ("What is a portlet?", "| Portlet | a part of a page |", True),
        ("What does portlet mean?", "Portlet means a part of a page.", True),
        ("Was ist ein Portlet?", "Ein Portlet ist eine Komponente der Oberfläche.", True),
        ("Was ist ein Portlet?", "Das Portlet ist der letzte Schritt.", False),
        ("컬렉션이 뭐예요?", "컬렉션이란 문서의 모음이다.", True),
        ("컬렉션이 뭐예요?", "컬렉션은 문서의 모음을 말합니다.", True),
        ("컬렉션이 뭐예요?", "컬렉션은 무료이다.", False),
        ("What does ATO mean?", "They are granted an Authority to Operate (ATO).", True),
    ],
)
def test_a_text_defines_something_in_a_sentence_that_begins_with_it(question: str, text: str, does: bool) -> None:
    wanted = patterns_for(question)
    assert wanted is not None
    assert wanted.is_in(text) == does


@pytest.mark.parametrize(
    ("question", "text", "does"),
    [
        ("Who is the treasurer?", "Ask the treasurer (Jo Lee) first.", True),
        ("Who's our treasurer?", "Treasurer: Jo Lee", True),
        ("Who is the treasurer?", "| Treasurer | Jo Lee |", True),
        ("Who is the treasurer?", "Our treasurer is Jo van Lee.", True),
        ("Who is the treasurer?", "They are led by Jo Lee, founder and treasurer.", True),
        ("Who is the treasurer?", "Jo Lee is our treasurer.", True),
        ("Who is the treasurer?", "Treasurer Annual Meeting", False),
        ("Who is the treasurer?", "The treasurer is responsible for it.", False),
        ("Who is the treasurer?", "Jo Lee is not the treasurer.", False),
        ("Who is the treasurer?", "Jo Lee, assistant to the treasurer", False),
        ("Who is the treasurer?", "The role of the treasurer\n| Self-Awareness Level | Primary Leader |", False),
        ("Who is the release manager?", "Release Manager: Release Planning", False),
        ("Who is the CEO?", "Loop in: VP Legal, CEO", False),
        ("Who is Jo Lee?", "Jo Lee (Chief Executive) decides.", True),
        ("Wer ist der Kassenwart?", "Kassenwart: Jo Lee", True),
        ("Wer ist unser Kassenwart?", "Jo Lee ist seit Mai Kassenwart.", True),
    ],
)
def test_a_text_tells_who_holds_a_role_by_a_name_beside_it(question: str, text: str, does: bool) -> None:
    wanted = patterns_for(question)
    assert wanted is not None
    assert wanted.is_in(text) == does


def test_a_question_for_somebody_described_at_length_has_no_definition() -> None:
    assert patterns_for("Who is the one that opens the office on Mondays?") is None


@pytest.mark.parametrize("question", ["What is a portlet?", "Who is the treasurer?"])
@pytest.mark.parametrize(
    "text",
    [
        "\n" * 20_000,
        "- " * 20_000,
        "portlet" * 5_000,
        "portlet (" * 5_000,
        "portlet은" * 5_000,
        ". " * 20_000,
        "Aa-" * 9_000,
        "Aa " * 9_000,
        "Ab" * 9_000,
    ],
)
def test_text_that_goes_on_without_an_end_is_looked_through_in_linear_time(question: str, text: str) -> None:
    wanted = patterns_for(question)
    assert wanted is not None
    started = time.process_time()
    assert not wanted.is_in(text)
    assert time.process_time() - started < 2
