"""Sets the language of a turn."""

from __future__ import annotations

from footnote.ports import Index
from footnote.text.language import detect_language
from footnote.types import Turn
from footnote.types.copies import replace


async def set_language(turn: Turn, *, index: Index) -> Turn:
    """The languages expected of a question: its own, and those of the passages that the caller may read."""
    view = await index.view(turn.caller, turn.request.collection)
    return replace(_in_language(turn, detect_language(turn.request.question, view.languages)), languages=view.languages)


async def set_language_without_index(turn: Turn) -> Turn:
    """The question's language, detected from its words alone; used when the index is down."""
    return _in_language(turn, detect_language(turn.request.question))


def _in_language(turn: Turn, lang: str) -> Turn:
    return replace(turn, queries=tuple(replace(query, lang=lang) for query in turn.queries))
