"""Divides a question that asks several things into sub-questions, by patterns (`text.question_parts`). Without a model."""

from __future__ import annotations

from dataclasses import replace

from footnote.text.question_parts import question_parts
from footnote.text.references import needs_rewriting
from footnote.text.tokens import BIGRAM_LANGUAGES, content_terms
from footnote.types import Exchange, Turn
from footnote.understand.complete import add_words

FEWEST = 2
"""Content terms of a part that finds something by itself."""


def asks_several(turn: Turn) -> bool:
    """The documents answer, and the question asks several things that are not divided yet."""
    return turn.request.mode == "rag" and len(turn.answered) == 1 and not turn.evidence.hits and bool(question_parts(turn.asked, turn.lang))


async def split_question(turn: Turn) -> Turn:
    """Replaces the question by its parts, each of which is searched for and answered. One that refers to those before it gets words of
    them, as a follow-up does. `turn.reading.divided` holds the question as it was."""
    parts = question_parts(turn.asked, turn.lang)
    texts = [_completed(part, parts[:at], turn.lang) for at, part in enumerate(parts)]
    if len(dict.fromkeys(texts)) < 2:
        return turn
    reading = replace(turn.reading, divided=turn.asked)
    return replace(turn.rewrite(*texts), reading=reading).with_notes(divided=turn.asked)


def _completed(part: str, before: tuple[str, ...], lang: str) -> str:
    """The part with words of those before it, if it cannot be understood alone or says too little."""
    says_little = lang not in BIGRAM_LANGUAGES and len(set(content_terms(part, lang))) < FEWEST
    if not before or not (says_little or needs_rewriting(part, lang)):
        return part
    return add_words(part, tuple(Exchange(each, "") for each in before), lang)
