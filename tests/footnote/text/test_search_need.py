"""Requests to translate, rewrite, calculate or write something new need no document; everything else may."""

from __future__ import annotations

import pytest

from footnote.text.search_need import needs_search, search_need


@pytest.mark.parametrize(
    "text",
    [
        "Translate this sentence into Dutch: The bridge is closed.",
        "2+2",
        "write a haiku",
        "What is 12% of 85?",
        "Übersetze den Satz ins Polnische: Die Brücke ist gesperrt.",
        "Wie viel ist 13 mal 7?",
        "Schreib ein Haiku über die Brücke",
        "이 문장을 독일어로 번역해 주세요: 다리가 닫혔습니다.",
        "13 곱하기 7은?",
        "다리에 대한 하이쿠를 써 주세요",
        "Rewrite this in a polite way:\n\n" + "Send the report and close the ticket, or else we will call your manager. " * 200,
    ],
)
def test_what_a_model_writes_by_itself_needs_no_search(text: str) -> None:
    assert not needs_search(text)


@pytest.mark.parametrize(
    "text",
    [
        "Summarize Project Osprey",
        "Compare Berlin and London",
        "How do I translate an invoice?",
        "What was 2+2 called in the report of 2021?",
        "Wer schrieb das Gedicht auf der Brücke?",
        "Fasse das Protokoll vom 3. Mai zusammen",
        "Wie berechne ich die Überstunden?",
        "보고서는 어떻게 작성하나요?",
        "오스프리 프로젝트를 요약해 주세요",
        "베를린 호텔의 한도는 얼마인가요?",
        "and after 400?",
        "",
        "?",
    ],
)
def test_what_documents_may_answer_is_searched_for(text: str) -> None:
    assert needs_search(text)


def test_the_probability_lies_between_0_and_1_for_any_text() -> None:
    assert all(0 <= search_need(text) <= 1 for text in ("", "\ud800", "\x00" * 9, "가" * 100_000, "1 " * 9000))


@pytest.mark.parametrize("words", ["401k match", "ISO 27001", "24/7 support", "2FA", "Windows 11", "Rechnung 4711", "write off"])
def test_keywords_with_numbers_are_searched_for(words: str) -> None:
    assert needs_search(words)
