"""Puts the passage first that says what an abbreviation means which the question asks for: “What does ATO mean?” → “Authority to Operate
(ATO)”. The question has none of these words, so passages that only use the abbreviation rank as high."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports import Index
from footnote.rank.refine import is_fused
from footnote.text.abbreviations import abbreviation_of, spells_out
from footnote.types import Ranked, Turn

LOOKED_AT = 50
"""How many of the ranked passages are read."""


def asks_for_abbreviation(turn: Turn) -> bool:
    """The question asks what an abbreviation means, and its passages may be ordered again."""
    return is_fused(turn) and abbreviation_of(turn.asked, turn.lang) is not None


async def put_meaning_first(turn: Turn, *, index: Index) -> Turn:
    """Moves the best passage that spells the abbreviation out to the beginning of `turn.evidence.ranked`. It gets the score of the first
    one, so that an order by score stays."""
    ranked, abbreviation = turn.evidence.ranked, abbreviation_of(turn.asked, turn.lang) or ""
    chunks = await index.read(turn.caller, [entry.chunk_id for entry in ranked[:LOOKED_AT]])
    telling = {
        chunk.chunk_id
        for chunk in chunks
        if turn.request.admits(chunk) and spells_out("\n".join((chunk.title, *chunk.headings, chunk.text)), abbreviation)
    }
    best = next((entry for entry in ranked if entry.chunk_id in telling), None)
    if best is None:
        return turn
    first = Ranked(best.chunk_id, ranked[0].score, best.query)
    ordered = (first, *(entry for entry in ranked if entry is not best))
    return replace(turn.with_notes(abbreviation=True), evidence=replace(turn.evidence, ranked=ordered))
