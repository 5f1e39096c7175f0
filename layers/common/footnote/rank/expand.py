"""Adds further passages for a model to read beside the hits: passages around the best hits, and the first passages of the last answer,
whose surroundings a follow-up mostly asks for."""

from __future__ import annotations

from footnote.ports import Index
from footnote.types import EXTERNAL_IDS, Hit, Turn, make_chunk_id
from footnote.types.copies import replace

MOST_EARLIER = 3
"""Number of passages of the last answer; those that it cites come first."""


def may_be_expanded(turn: Turn) -> bool:
    """A language model answers, and something has been found."""
    return turn.plan.model is not None and bool(turn.evidence.hits)


async def expand_documents(turn: Turn, *, index: Index) -> Turn:
    """Sets `turn.evidence.added` to the passages nearest to the best hit of each of the best documents (`request.expansion`), read
    through the permission gate. They are no results of the search: their score is 0."""
    expansion, hits = turn.request.expansion, turn.evidence.hits
    best: dict[str, Hit] = {}
    for hit in hits:
        if hit.score >= expansion.least_score and not hit.chunk.chunk_id.startswith(EXTERNAL_IDS):
            best.setdefault(hit.chunk.doc_id, hit)
    shown = {hit.chunk.chunk_id for hit in hits}
    added: list[Hit] = []
    for hit in list(best.values())[: expansion.documents]:
        chunks = await index.read(
            turn.caller, [chunk_id for chunk_id in _around(hit, expansion.chunks + len(hits)) if chunk_id not in shown]
        )
        passages = [chunk for chunk in chunks if chunk.level == 2 and turn.request.admits(chunk)]
        added += [Hit(replace(chunk, file_label=hit.chunk.file_label), 0.0) for chunk in passages[: expansion.chunks]]
    return replace(turn, evidence=replace(turn.evidence, added=tuple(added)))


def _around(hit: Hit, count: int) -> list[str]:
    """Ids of possible chunks before and after this one, the nearest first. Passages have the first ordinals of a document."""
    chunk = hit.chunk
    places = sorted(range(max(0, chunk.ordinal - count), chunk.ordinal + count + 1), key=lambda place: abs(place - chunk.ordinal))
    return [make_chunk_id(chunk.doc_id, chunk.generation, place) for place in places]


def may_add_earlier(turn: Turn) -> bool:
    """A language model answers, something has been found, and passages of the last answer are known."""
    return turn.plan.model is not None and bool(turn.evidence.hits) and bool(turn.conversation.passages)


async def add_earlier(turn: Turn, *, index: Index) -> Turn:
    """Appends the passages to `turn.evidence.added`, read through the permission gate."""
    shown = {hit.chunk.chunk_id for hit in turn.evidence.sources}
    passages = [passage for passage in turn.conversation.passages[:MOST_EARLIER] if passage not in shown]
    chunks = await index.read(turn.caller, passages) if passages else ()
    added = (*turn.evidence.added, *(Hit(chunk, 0.0) for chunk in chunks))
    return replace(turn, evidence=replace(turn.evidence, added=added))
