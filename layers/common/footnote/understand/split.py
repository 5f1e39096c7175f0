"""Finds the questions of a message, without the story around them. Without a model."""

from __future__ import annotations

from dataclasses import replace

from footnote.text.message_kinds import needs_conversation
from footnote.text.question_parts import question_parts, says_little
from footnote.types import Exchange, Turn
from footnote.understand.complete import add_words


def asks_several(turn: Turn) -> bool:
    """The documents answer, and the message holds several questions, or a story, and is not divided yet."""
    return turn.request.mode == "rag" and len(turn.answered) == 1 and not turn.evidence.hits and bool(question_parts(turn.asked, turn.lang))


async def split_question(turn: Turn) -> Turn:
    """Replaces the message by its questions, each of which is searched for and answered. A question that refers to earlier ones gets words
    of them, as a follow-up does. `turn.reading.divided` is the original message, for the model's prompt. Without its story a question may
    be too short: then the whole message is the other reading."""
    parts = question_parts(turn.asked, turn.lang)
    texts = [_completed(part, parts[:at], turn.lang) for at, part in enumerate(parts)]
    reading = replace(turn.reading, divided=turn.asked)
    other_reading = turn.conversation.other_reading or (turn.asked if len(parts) == 1 else "")
    divided = replace(
        turn.rewrite(*dict.fromkeys(texts)), reading=reading, conversation=replace(turn.conversation, other_reading=other_reading)
    )
    return divided.with_notes(divided=turn.asked)


def _completed(part: str, before: tuple[str, ...], lang: str) -> str:
    """The part with words of the parts before it, if it cannot be understood alone or is too short."""
    if not before or not (says_little(part, lang) or needs_conversation(part)):
        return part
    return add_words(part, tuple(Exchange(question, "") for question in before), lang)
