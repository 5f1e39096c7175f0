"""Which words of a question name a thing, and which are its form."""

from __future__ import annotations

import pytest

from footnote.text.question_things import things
from footnote.text.tokens import content_terms


@pytest.mark.parametrize(
    ("lang", "question", "words"),
    [
        ("en", "How long does the ferry wait?", "ferry wait"),
        ("en", "Are dogs allowed on the ferry?", "dogs ferry"),
        ("en", "Am I permitted to bring unused tickets?", "tickets"),
        ("en", "May a title have 150 characters?", "characters title"),
        ("en", "how often must we paint the bridge", "bridge"),
        ("en", "What did Eiffel design in 1894?", "1894 Eiffel design"),
        ("en", "What is new in version 7?", "7 new version"),
        ("en", "What are 5 nights worth?", "nights worth"),
        ("en", "Compare the ferry and the bridge", "bridge ferry"),
        ("de", "Vergleiche die Fähre mit der Brücke", "Brücke Fähre"),
        ("ko", "페리와 다리를 비교해 줘", "다리를 페리와"),
        ("ko", "회사 주차 요금을 알려 주세요", "요금을 주차 회사"),
        ("de", "Darf ich Hunde auf die Fähre mitnehmen?", "Fähre Hunde"),
        ("de", "Wie lange gilt ein Ausweis höchstens?", "Ausweis"),
        ("de", "Taugt die Fähre für 90 Leute?", "Fähre Leute"),
        ("de", "gilt der ausweis auf der fähre?", "ausweis fähre gilt"),
        ("ko", "페리에 개를 데려가도 되나요?", "개를 페리에"),
        ("ko", "표를 며칠까지 써도 돼요?", "표를"),
        ("ko", "다리가 막히면 어디로 가야 하죠?", "다리가"),
        ("fr", "Combien de temps dure la traversée vers Calais ?", "Calais"),
    ],
)
def test_words_of_the_form_of_a_question_name_nothing(lang: str, question: str, words: str) -> None:
    assert sorted(word for word in things(question, lang) if content_terms(word, lang)) == sorted(words.split())
