"""The first passages of the last answer, for a model to read beside the hits: a follow-up mostly asks for their surroundings."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports import Index
from footnote.types import Hit, Turn

MOST = 3
"""Number of passages; those that the answer cites come first."""


def may_add_earlier(turn: Turn) -> bool:
    """A language model answers, something has been found, and passages of the last answer are known."""
    return turn.plan.model is not None and bool(turn.evidence.hits) and bool(turn.conversation.passages)


async def add_earlier(turn: Turn, *, index: Index) -> Turn:
    """Appends the passages to `turn.evidence.added`, read through the permission gate."""
    shown = {hit.chunk.chunk_id for hit in turn.evidence.sources}
    passages = [passage for passage in turn.conversation.passages[:MOST] if passage not in shown]
    chunks = await index.read(turn.caller, passages) if passages else ()
    added = (*turn.evidence.added, *(Hit(chunk, 0.0) for chunk in chunks))
    return replace(turn, evidence=replace(turn.evidence, added=added))
