"""Which words of a question say what is to be done with its subject."""

from __future__ import annotations

import pytest

from footnote.text.instructions import instruction_words
from footnote.text.tokens import content_terms


@pytest.mark.parametrize(
    ("lang", "question", "words"),
    [
        ("en", "Compare Berlin and London", "Compare"),
        ("en", "Compare and contrast the two plans", "Compare contrast"),
        ("en", "Summarise Project Osprey", "Summarise"),
        ("en", "Please sum up the meeting", "sum"),
        ("en", "Outline onboarding", "Outline"),
        ("en", "Could you please visualise the onboarding process?", "visualise"),
        ("en", "I want you to translate our policy", "want translate"),
        ("en", "Write down the fees", "Write"),
        ("en", "Briefly explain how vacation works", "Briefly"),
        ("en", "Draft a summary of the policy", "Draft summary"),
        ("en", "What are the key points of the report?", "key points"),
        ("en", "What is the difference between Berlin and London?", "difference"),
        ("en", "Pros and cons of the ferry", "Pros cons"),
        ("en", "Tell me everything about the bridge", "everything"),
        ("en", "Explain the fees in simple terms", "simple terms"),
        ("en", "I need the fees as a table", "need table"),
        ("de", "Vergleiche Berlin und London", "Vergleiche"),
        ("de", "Erkläre mir ausführlich die Gebühren in drei Sätzen", "ausführlich drei Sätzen"),
        ("de", "Ich brauche Informationen über Hotels", "brauche Informationen"),
        ("de", "Fasse den Bericht zusammen.", "Fasse zusammen"),
        ("de", "Stelle die Pläne A und B gegenüber", "Stelle gegenüber"),
        ("de", "Erläutern Sie die Regeln für Hotels", "Erläutern"),
        ("de", "Könntest du die Pläne bitte aufbereiten?", "Könntest aufbereiten"),
        ("de", "Gib mir einen Überblick über die Parkregeln", "Überblick"),
        ("de", "Was ist der Unterschied zwischen Berlin und London?", "Unterschied"),
        ("ko", "베를린과 런던을 비교해 줘", "비교해 줘"),
        ("ko", "여행 정책을 간추려 주세요", "간추려 주세요"),
        ("ko", "다리에 대한 정보를 알려 주세요", "대한 정보를 알려 주세요"),
        ("ko", "요금을 표로 정리해 줘", "표로 정리해 줘"),
        ("ko", "다리 요금을 자세히 말해 줄 수 있나요?", "자세히 말해 줄 수 있나요"),
        ("ko", "온보딩 절차를 서술하시오", "서술하시오"),
        ("ko", "주차 규칙 요약 좀 해줘", "요약 좀 해줘"),
        ("ko", "비교 부탁드립니다", "비교 부탁드립니다"),
        ("ko", "보고서를 번역해줄래?", "번역해줄래"),
        ("ko", "베를린과 런던의 차이는 무엇인가요?", "차이는"),
    ],
)
def test_words_of_the_instruction_are_found(lang: str, question: str, words: str) -> None:
    assert sorted(word for word in instruction_words(question, lang) if content_terms(word, lang)) == sorted(words.split())


@pytest.mark.parametrize(
    ("lang", "question"),
    [
        ("en", "hotel limit Berlin"),
        ("en", "Parking permits cost"),
        ("en", "Fees for parking."),
        ("en", "Saving account"),
        ("en", "Employees may book hotels up to 120 euros."),
        ("en", "When was the bridge built by Eiffel?"),
        ("en", "Does Berlin have more inhabitants than London?"),
        ("en", "What are the opening hours?"),
        ("en", "What are the risks of the project?"),
        ("en", "Which fields are shown in the table?"),
        ("ko", "누가 한국 대표로 선출되었나요?"),
        ("de", "Kosten der Parkplätze"),
        ("de", "Urlaub im Sommer"),
        ("de", "Wie hoch ist die Grenze für Hotels in Berlin?"),
        ("ko", "다리는 언제 지어졌나요?"),
        ("ko", "휴가 신청은 언제 해"),
        ("ko", "호텔 한도"),
    ],
)
def test_words_of_the_subject_are_no_instruction(lang: str, question: str) -> None:
    assert [word for word in instruction_words(question, lang) if content_terms(word, lang)] == []


def test_a_language_without_patterns_has_only_what_all_share() -> None:
    assert instruction_words("Comparez Berlin et Londres", "fr") == frozenset()
