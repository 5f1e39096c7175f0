"""Language detection."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.text.language import detect_language


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("What is the capital of France?", "en"),
        ("Was ist die Hauptstadt von Frankreich?", "de"),
        ("Quelle est la capitale de la France ?", "fr"),
        ("¿Cuál es la capital de Francia?", "es"),
        ("Wat is de hoofdstad van Frankrijk?", "nl"),
        ("Fransa'nın başkenti neresidir?", "tr"),
        ("프랑스의 수도는 어디인가요?", "ko"),
        ("GPT-4 Turbo API 사용법 알려줘", "ko"),
        ("フランスの首都はどこですか", "ja"),
        ("法国的首都是哪里", "zh"),
        ("เมืองหลวงของฝรั่งเศสคือเมืองอะไร", "th"),
        ("Какой город столица?", "ru"),
        ("Какой город столица Франции: Paris или Lyon?", "ru"),
        ("ما هي عاصمة فرنسا؟", "ar"),
        ("Ποια είναι η πρωτεύουσα της Γαλλίας;", "el"),
        ("फ्रांस की राजधानी क्या है?", "hi"),
        ("Grüße aus München", "de"),
        ("SAP", "en"),
        ("42", "en"),
        ("🙂", "en"),
        ("", "en"),
    ],
)
def test_a_language_is_detected_by_script_and_words(text: str, lang: str) -> None:
    assert detect_language(text) == lang


@pytest.mark.parametrize(
    ("text", "expected", "lang"),
    [
        ("SAP", {"en": 3, "de": 5}, "de"),
        ("SAP", {"en": 5, "de": 3}, "en"),
        ("SAP", {"ko": 9}, "ko"),
        ("SAP", {}, "en"),
        ("SAP", ("de", "en"), "de"),
        ("Passwort reset", {"de": 4, "en": 1}, "de"),
        ("reset password", {"en": 1}, "en"),
        ("reset password", None, "en"),
        ("Where is the station?", {"de": 1000}, "en"),
        ("역은 어디에 있습니까", {"en": 1000}, "ko"),
    ],
)
def test_the_most_expected_language_decides_where_a_text_is_inconclusive(text: str, expected: Any, lang: str) -> None:
    assert detect_language(text, expected) == lang


@pytest.mark.parametrize(
    "question",
    [
        "Was macht fuser?",
        "Was kostet AWS?",
        "was passiert bei Exit Code 0",
        "Was bedeutet PID?",
        "Was sind Cookies?",
        "Was tun bei Fehler 5?",
        "Worauf basiert Victorias Verfassung?",
        "Wie oft reist Doctor Who alleine?",
    ],
)
def test_a_german_question_word_decides_though_most_documents_are_english(question: str) -> None:
    assert detect_language(question, {"en": 900, "de": 40}) == "de"


@pytest.mark.parametrize(
    "question",
    [
        "Was the bridge built in 1900?",
        "Was Einstein born in Ulm?",
        "was it late?",
        "Was not the first?",
        "Was most of it lost?",
        "Was slate mined in Wales?",
        "Was wheat sold in Hamburg?",
        "What war in Ireland featured Huguenot regiments?",
        "Where was war?",
    ],
)
def test_an_english_question_with_was_is_english(question: str) -> None:
    assert detect_language(question, {"en": 900, "de": 40}) == "en"
    assert detect_language(question) == "en"


def test_a_table_or_list_of_names_gets_the_language_of_its_document() -> None:
    names = "Politics: John Hancock, John Adams, John Quincy Adams, Rutherford Hayes, Theodore Roosevelt, Franklin Roosevelt, " * 3
    assert [detect_language(names, [lang]) for lang in ("en", "de")] == ["en", "de"]
    prices = "| Sauna | 12 |\n| Hotel | 90 |"
    assert [detect_language(prices, [lang]) for lang in ("en", "de", "fr", "tr")] == ["en", "de", "fr", "tr"]


def test_a_few_foreign_words_do_not_change_the_language() -> None:
    assert detect_language("The band 방탄소년단 was founded in Seoul and has seven members, all of them from Korea.") == "en"
