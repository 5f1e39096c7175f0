"""Words of questions, of files' names and of their texts."""

from __future__ import annotations

import pytest

from footnote.answer.unread import share_covered, share_named, words_of_name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hr/Travel-Policy_2024.final.pdf", "Travel Policy 2024 final"),
        ("C:\\docs\\OnboardingGuide.docx", "Onboarding Guide"),
        ("Q3 report.xlsx", "Q3 report"),
        ("휴가규정(최종).hwp", "휴가규정 최종"),
        (".pdf", "pdf"),
    ],
)
def test_the_words_of_a_name_are_divided(name: str, words: str) -> None:
    assert words_of_name(name) == words


@pytest.mark.parametrize(
    ("question", "words", "lang", "share"),
    [
        ("What do our travel policies say?", "Travel Policy 2024 final", "en", 0.5),
        ("Wie viel Urlaub habe ich?", "Urlaubsregelung", "de", 1),
        ("휴가는 며칠인가요?", "휴가 규정", "ko", 0.5),
        ("What is in scan_0007.pdf?", "scan 0007", "en", 1),
        ("Who wrote it?", "Travel Policy", "en", 0),
        ("Is the arm long?", "army alarm", "en", 0),
        ("Who?", "", "en", 0),
    ],
)
def test_a_question_has_a_share_of_a_names_words(question: str, words: str, lang: str, share: float) -> None:
    assert share_named(question, words, lang) == share


def test_a_question_of_one_word_is_about_no_text() -> None:
    assert share_covered("Which limit of hotels?", "hotel limits berlin", "en") == 1
    assert share_covered("Hotels?", "hotel limits berlin", "en") == 0
