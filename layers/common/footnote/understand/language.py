"""What language is asked in? The question's own, or where it does not tell, that of most passages that the caller may read."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports import Index
from footnote.text.language import detect_language
from footnote.types import Turn


async def set_language(turn: Turn, *, index: Index) -> Turn:
    view = await index.view(turn.caller, turn.request.collection)
    return _in_language(turn, detect_language(turn.request.question, view.languages))


async def set_language_without_index(turn: Turn) -> Turn:
    """By the question's own words."""
    return _in_language(turn, detect_language(turn.request.question))


def _in_language(turn: Turn, lang: str) -> Turn:
    return replace(turn, queries=tuple(replace(query, lang=lang) for query in turn.queries))
