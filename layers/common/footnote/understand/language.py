"""What language is asked in? The question's own, or where it does not tell, the collection's."""

from __future__ import annotations

from footnote.ports import Index
from footnote.text.language import detect_language
from footnote.types import Turn


async def tell_language(turn: Turn, *, index: Index) -> Turn:
    info = await index.info(turn.collection)
    return turn.with_(lang=detect_language(turn.question, info.languages if info else None))
