"""Puts the passage first that says what something is, where that is the question: “What is a portlet?” → “A portlet is a part of …”, “What
does ATO mean?” → “Authority to Operate (ATO)”. All passages about it have the words of the question, and most only use them."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports import Index
from footnote.rank.refine import is_fused
from footnote.text.definitions import patterns_of
from footnote.types import Ranked, Turn

LOOKED_AT = 100
"""How many of the ranked passages are read."""


def asks_for_definition(turn: Turn) -> bool:
    """The question asks what something is, and its passages may be ordered again."""
    return is_fused(turn) and turn.reading.definition is not None


async def put_definition_first(turn: Turn, *, index: Index) -> Turn:
    """Moves the best passage with the definition to the beginning of `turn.evidence.ranked`. It gets the score of the first one, so that an
    order by score stays."""
    ranked = turn.evidence.ranked
    if turn.reading.definition is None:
        return turn
    wanted = patterns_of(turn.reading.definition)
    chunks = await index.read(turn.caller, [entry.chunk_id for entry in ranked[:LOOKED_AT]])
    telling = {
        chunk.chunk_id
        for chunk in chunks
        if turn.request.admits(chunk) and wanted.is_in("\n".join((chunk.title, *chunk.headings, chunk.text)))
    }
    best = next((entry for entry in ranked if entry.chunk_id in telling), None)
    if best is None:
        return turn
    first = Ranked(best.chunk_id, ranked[0].score, best.query)
    ordered = (first, *(entry for entry in ranked if entry is not best))
    return replace(turn.with_notes(definition=True), evidence=replace(turn.evidence, ranked=ordered))
