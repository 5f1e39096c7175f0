"""Reads the question that is answered: the last step of understanding, and the first of a search of our own."""

from __future__ import annotations

from typing import Any

from footnote.text.question_kinds import asked_type_of
from footnote.types import Reading, Turn
from footnote.types.copies import replace


async def read_question(turn: Turn) -> Turn:
    """Adds the reading of the question's text to `turn.reading`."""
    return replace(turn, reading=reading_of(turn))


def reading_of(turn: Turn) -> Reading:
    """The turn's reading, completed from the text of the question and of each of its parts."""
    current, whole, answered = turn.reading, _read(turn.asked, turn.lang), turn.answered
    parts = tuple(replace(_read(query.text, turn.lang), scope=current.scope) for query in answered) if len(answered) > 1 else ()
    return replace(
        whole,
        parts=parts,
        classification=current.classification,
        scope=current.scope,
        divided=current.divided,
        unknown_words=current.unknown_words,
    )


def _read(question: str, lang: str) -> Reading:
    return Reading(question, lang, asked_type_of(question))


def reading_shown(turn: Turn) -> dict[str, Any]:
    """The reading of a question, without its words."""
    reading, scope = turn.reading, turn.reading.scope
    about = {"collection": scope.collection, "attached": scope.attached is not None, "period": scope.period is not None}
    return {
        "asked_type": reading.asked_type or "other",
        "parts": len(reading.parts),
        "scope": ", ".join(name for name, is_named in about.items() if is_named) or "any",
    }
