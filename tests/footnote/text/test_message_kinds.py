"""What kind of message it is, told by its words."""

from __future__ import annotations

import pytest

from footnote.text.message_kinds import is_small_talk, kind_of, needs_conversation, needs_search
from footnote.types import MessageKind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("How many days of leave do I get?", "question"),
        ("And on Sundays?", "follow_up"),
        ("Put that into a table", "about_answer"),
        ("What are these documents about?", "collection"),
        ("Hi", "greeting"),
        ("Thanks a lot!", "thanks"),
        ("write a haiku", "task"),
        ("Wer genehmigt Dienstreisen?", "question"),
        ("Und für Erwachsene?", "follow_up"),
        ("Bist du sicher?", "about_answer"),
        ("Worum geht es in den Dokumenten?", "collection"),
        ("Guten Morgen!", "greeting"),
        ("Danke!", "thanks"),
        ("Schreib ein Haiku über die Brücke", "task"),
        ("휴가는 며칠인가요?", "question"),
        ("그럼 주말에는요?", "follow_up"),
        ("표로 정리해 줘", "about_answer"),
        ("어떤 문서가 있나요?", "collection"),
        ("안녕하세요", "greeting"),
        ("감사합니다", "thanks"),
        ("다리에 대한 하이쿠를 써 주세요", "task"),
    ],
)
def test_the_kind_of_a_message_is_told_in_three_languages(text: str, kind: MessageKind) -> None:
    assert kind_of(text, goes_on=True) == kind


def test_where_nothing_was_said_before_nothing_goes_on() -> None:
    assert (kind_of("And on Sundays?"), kind_of("Put that into a table")) == ("question", "task")


@pytest.mark.parametrize(
    "text", ["Hi, when was the bridge built?", "Danke, wann ist sie fällig?", "안녕하세요, 휴가는 며칠인가요?", "Help desk hours", ""]
)
def test_a_question_after_a_greeting_is_searched_for(text: str) -> None:
    assert not is_small_talk(text)
    assert needs_search(text)


@pytest.mark.parametrize("words", ["401k match", "ISO 27001", "24/7 support", "2FA", "Windows 11", "Rechnung 4711"])
def test_keywords_are_a_question(words: str) -> None:
    assert needs_search(words)
    assert not needs_conversation(words)


def test_a_task_with_attached_files_is_searched_for() -> None:
    assert needs_search("Translate the attached file into German")


@pytest.mark.parametrize("text", ["\ud800", "\x00" * 9, "가" * 100_000, "1 " * 9000])
def test_any_text_has_a_kind(text: str) -> None:
    assert kind_of(text) in ("question", "collection", "greeting", "thanks", "task")
