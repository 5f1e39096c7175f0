"""Messages about the last answer or the conversation are told from questions to the documents."""

from __future__ import annotations

import pytest

from footnote.text.about_last_answer import is_about_last_answer


@pytest.mark.parametrize(
    "text",
    [
        "show that as a table",
        "make that shorter",
        "are you sure?",
        "what did I ask before?",
        "zeig das als Tabelle",
        "mach das kürzer",
        "bist du sicher?",
        "was habe ich vorhin gefragt?",
        "woher weißt du das?",
        "표로 보여 줘",
        "더 짧게 써 줘",
        "정말이에요?",
        "아까 뭐라고 물어봤지?",
        "출처가 어디예요?",
    ],
)
def test_what_is_about_the_last_answer_is_recognised(text: str) -> None:
    assert is_about_last_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "show the prices of the lifts as a table",
        "summarise the fire regulations",
        "and for children?",
        "And who did that?",
        "what does that cost?",
        "does that apply to me?",
        "Wer hat das entschieden?",
        "그건 누가 했어요?",
        "Who is the owner of the table saw?",
        "Zeig die Preise der Aufzüge als Tabelle",
        "Fasse die Brandschutzordnung zusammen",
        "und für Kinder?",
        "Wem gehört die Tabelle?",
        "승강기 요금을 표로 보여 줘",
        "소방 규정을 요약해 줘",
        "아이는요?",
        "회의실 예약은 누가 승인하나요?",
        "?",
    ],
)
def test_what_is_asked_of_the_documents_is_not_about_the_last_answer(text: str) -> None:
    assert not is_about_last_answer(text)


@pytest.mark.parametrize("text", ["\ud800", "\x00" * 9, "가" * 100_000, "1 " * 9000])
def test_any_text_is_decided(text: str) -> None:
    assert is_about_last_answer(text) in (True, False)
