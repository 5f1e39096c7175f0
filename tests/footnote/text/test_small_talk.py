"""Small talk is recognised in three languages; questions are not."""

from __future__ import annotations

import pytest

from footnote.text.small_talk import is_small_talk, is_thanks, language_of

GREETINGS = ["Hi", "Hello there!", "How are you?", "Guten Morgen!", "Wie geht's?", "안녕하세요", "안녕하세요!"]
THANKS = ["Danke!", "Thanks a lot.", "Vielen Dank für die Hilfe!", "감사합니다", "고마워요!", "Bye!", "Tschüss!"]
CHAT = [
    "Who are you?",
    "Hi, what can you do?",
    "Tell me a joke",
    "Wer bist du?",
    "Was kannst du alles?",
    "너는 누구야?",
    "농담 해줘",
    "뭐 해?",
]
QUESTIONS = [
    "Hi, when was the bridge built?", "What can you do with a lorry on the bridge?", "Who are you allowed to call?", "Help desk hours",
    "Tell me a story about the bridge", "Danke, wann ist sie fällig?", "Wer bist du laut Vertrag?", "다리는 언제 지어졌나요?",
    "안녕하세요, 휴가는 며칠인가요?", "joke", "",
]  # fmt: skip


@pytest.mark.parametrize("text", [*GREETINGS, *THANKS, *CHAT])
def test_small_talk_needs_no_search(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_no_small_talk(text: str) -> None:
    assert not is_small_talk(text)


@pytest.mark.parametrize(("texts", "thanks"), [(GREETINGS, False), (CHAT, False), (THANKS, True)])
def test_thanks_and_goodbyes_are_told_from_greetings(texts: list[str], thanks: bool) -> None:
    assert [text for text in texts if is_thanks(text) is not thanks] == []


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Danke!", "de"),
        ("Wer bist du?", "de"),
        ("Thanks!", "en"),
        ("Who are you?", "en"),
        ("고마워요!", "ko"),
        ("Hi", "usual"),
        ("Ciao!", "usual"),
    ],
)
def test_the_language_of_small_talk_is_that_of_its_words(text: str, lang: str) -> None:
    assert language_of(text, "usual") == lang
