"""Questions made from passages, and the place that answers each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.learn.candidates import TEMPLATES, Candidate, make_candidates
from footnote.text.tokens import content_terms
from footnote.types import BlockKind, Chunk, Part
from tests.fakes import make_chunk, make_document

Blocks = tuple[tuple[BlockKind, str], ...]


def passage(*blocks: tuple[BlockKind, str], lang: str = "en", doc_id: str = "shop", headings: tuple[str, ...] = ()) -> Chunk:
    """A chunk of these blocks."""
    text, parts = "", []
    for number, (kind, said) in enumerate(blocks):
        text += "\n\n" if text else ""
        parts.append(Part(len(text), None, number, 0, kind))
        text += said
    return make_chunk(make_document(doc_id), text, lang=lang, headings=headings, parts=tuple(parts), kind=blocks[0][0])


def made(*blocks: tuple[BlockKind, str], lang: str = "en") -> dict[str, str]:
    """Question → the text that answers it."""
    found = make_candidates([passage(*blocks, lang=lang)])
    return {each.question: each.chunk.text[each.start : each.end].strip() for each in found}


@pytest.mark.parametrize(
    ("lang", "blocks", "question", "answer"),
    [
        ("en", (("heading", "Can I pay by card?"), ("paragraph", "Yes, at the desk and in the online shop.")), "Can I pay by card?",
         "Yes, at the desk and in the online shop."),
        ("en", (("heading", "Q: Can I pay by card?"), ("paragraph", "Yes, at the desk and in the online shop.")), "Can I pay by card?",
         "Yes, at the desk and in the online shop."),
        ("en", (("paragraph", "**Can I pay by card?**"), ("paragraph", "Yes, at the desk and in the online shop.")), "Can I pay by card?",
         "Yes, at the desk and in the online shop."),
        ("en", (("paragraph", "Q2: Do you ship abroad?\nA: Yes, to all of Europe."),), "Do you ship abroad?", "A: Yes, to all of Europe."),
        ("fr", (("paragraph", "Q : Puis-je payer par carte ?\nR : Oui, au guichet et en ligne."),), "Puis-je payer par carte ?",
         "R : Oui, au guichet et en ligne."),
        ("en", (("heading", "Orders"), ("paragraph", "Q: Do you ship abroad?\nA: Yes, to all of Europe.")), "Do you ship abroad?",
         "A: Yes, to all of Europe."),
        ("de", (("paragraph", "Frage: Kann ich mit Karte zahlen?\nAntwort: Ja, an der Kasse und im Laden."),), "Kann ich mit Karte zahlen?",
         "Antwort: Ja, an der Kasse und im Laden."),
        ("de", (("paragraph", "Wann kommt mein Paket?"), ("paragraph", "In der Regel nach zwei bis drei Werktagen.")),
         "Wann kommt mein Paket?", "In der Regel nach zwei bis drei Werktagen."),
        ("ko", (("paragraph", "질문: 카드로 결제할 수 있나요?\n답: 네, 카드로 결제하실 수 있습니다."),), "카드로 결제할 수 있나요?",
         "답: 네, 카드로 결제하실 수 있습니다."),
        ("ko", (("paragraph", "카드로 결제할 수 있나요?"), ("paragraph", "네, 카드로 결제하실 수 있습니다.")), "카드로 결제할 수 있나요?",
         "네, 카드로 결제하실 수 있습니다."),
    ],
)  # fmt: skip
def test_a_documents_own_questions_are_taken_as_they_are(lang: str, blocks: Blocks, question: str, answer: str) -> None:
    assert made(*blocks, lang=lang)[question] == answer


@pytest.mark.parametrize(
    ("blocks", "why"),
    [
        ((("heading", "How does it work?"), ("paragraph", "It turns, and the wheel turns with it.")), "it depends on what was said before"),
        ((("paragraph", "How are you?"), ("paragraph", "I am fine, thank you very much for asking.")), "it is small talk"),
        ((("paragraph", "Can I pay by card?"),), "nothing follows"),
        ((("list", "- Can I pay by card?"), ("paragraph", "Yes, at the desk and in the online shop.")), "it is an item of a list"),
        ((("paragraph", "Why not by card? Because we have no such machine."),), "it is asked and answered in passing"),
        (
            (("paragraph", "We are open."), ("paragraph", "Are you a member?"), ("paragraph", "Then come in.")),
            "it is in the middle of a text",
        ),
    ],
)
def test_a_question_that_a_newcomer_cannot_ask_is_left_out(blocks: Blocks, why: str) -> None:
    assert made(*blocks) == {}, why


BELOW = (
    "paragraph",
    "Press the bin beside the document in the list, and confirm it. 목록에서 문서 옆의 휴지통을 누르고 확인하십시오. Danach ist es weg.",
)


@pytest.mark.parametrize(
    ("lang", "heading", "question"),
    [
        ("en", "Delete a document", "What is there on “Delete a document”?"),
        ("en", "2.1 Document states", "What is there on “Document states”?"),
        ("en", "Sick leave:", "What is there on “Sick leave”?"),
        ("en", "Accessibility", "What is there on “Accessibility”?"),
        ("de", "IV) Kündigungsfristen", "Was gibt es zu „Kündigungsfristen“?"),
        ("ko", "문서 삭제하기", "문서 삭제하기"),
        ("fr", "Envoyer un colis", "Envoyer un colis"),
        ("es", "Días de vacaciones", "Días de vacaciones"),
    ],
)
def test_a_heading_is_quoted_in_its_question_and_the_text_below_it_answers(lang: str, heading: str, question: str) -> None:
    assert made(("heading", heading), BELOW, ("heading", "Other"), lang=lang) == {question: BELOW[1]}


def test_the_sentence_around_a_heading_adds_no_content_to_search_for() -> None:
    for lang, sentence in TEMPLATES.items():
        assert content_terms(sentence.format(topic=""), lang) == []


@pytest.mark.parametrize(
    ("lang", "heading", "why"),
    [
        ("en", "Logs", "it is too vague"),
        ("en", "Introduction", "it is generic"),
        ("en", "Sheet 12", "a program named it"),
        ("en", "What about it", "it points elsewhere"),
        ("en", "src/main.py and more", "it is a path"),
        ("en", "shop", "it is the title"),
        ("en", "TERMS AND CONDITIONS", "it is a label"),
        ("de", "Zusammenfassung", "it is generic"),
        ("ko", "옵션", "it is too vague"),
    ],
)
def test_a_heading_that_names_nothing_by_itself_is_not_asked_for(lang: str, heading: str, why: str) -> None:
    assert made(("heading", heading), BELOW, ("heading", "Other"), lang=lang) == {}, why


def test_headings_shared_by_documents_give_no_question() -> None:
    one, other = (passage(("heading", "Contact and hours"), BELOW, doc_id=doc_id) for doc_id in ("north", "south"))
    assert [each.question for each in make_candidates([one])] == ["What is there on “Contact and hours”?"]
    assert make_candidates([one, other]) == []


def test_a_heading_above_a_few_words_is_not_asked_for() -> None:
    assert made(("heading", "Document states"), ("paragraph", "Here is a lovely sentence."), ("heading", "Other")) == {}


def test_a_table_of_contents_is_not_asked_for() -> None:
    contents = replace(passage(("heading", "Chapters and pages"), BELOW), content_type="contents")
    assert make_candidates([contents]) == []


def test_a_section_that_is_longer_than_its_passage_answers_with_any_of_its_text() -> None:
    begins = passage(("heading", "Delete a document"), BELOW)
    goes_on = make_chunk(make_document("shop"), f"Deleting takes a moment. {BELOW[1]}", 1, headings=("Delete a document",))
    (task,) = make_candidates([begins, goes_on])
    assert task.places == (("shop|1|0", 19, len(begins.text)), ("shop|1|1", 0, len(goes_on.text)))


def test_a_documents_questions_are_in_its_main_language() -> None:
    german = passage(("heading", "Gültige Verträge"), ("paragraph", "Ein Vertrag ist eine Vereinbarung. " * 6), lang="de")
    table = passage(("heading", "Preise und Zeiten"), BELOW, lang="en")
    assert [(each.question, each.lang) for each in make_candidates([german, table])] == [
        ("Was gibt es zu „Gültige Verträge“?", "de"), ("Was gibt es zu „Preise und Zeiten“?", "de"),
    ]  # fmt: skip


def test_documents_for_newcomers_are_known_by_their_names() -> None:
    def rank(doc_id: str, **metadata: str) -> int:
        made_of = make_chunk(make_document(doc_id), "text", metadata=metadata)
        return Candidate("?", "topic", "en", made_of, 0, 4).rank

    assert [rank("quick-start"), rank("a", file_name="README.md"), rank("a", file_name="Handbuch.docx"), rank("이용 안내")] == [0] * 4
    assert [rank("report"), rank("a", file_name="prices.xlsx")] == [1] * 2
    assert [rank("changelog"), rank("a", file_name="decisions/0001-one-core.md"), rank("아키텍처")] == [2] * 3
