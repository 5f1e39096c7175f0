"""Which evidence is best? The fused order, read through the index's final gate."""

from __future__ import annotations

from footnote.ports import Index
from footnote.types import Hit, Turn


async def read_hits(turn: Turn, *, index: Index) -> Turn:
    """`turn.hits`: the best `turn.limit` chunks that exist, are active and visible at this moment. What a condition counts on may
    have changed since the search: it is asked again."""
    hits: list[Hit] = []
    for start in range(0, len(turn.ranked), turn.limit):
        batch = turn.ranked[start : start + turn.limit]
        read = await index.read(turn.caller, [entry.chunk_id for entry in batch])
        chunks = {chunk.chunk_id: chunk for chunk in read if turn.conditions.match(chunk.metadata)}
        hits += [Hit(chunks[entry.chunk_id], entry.score, entry.bm25, entry.cosine) for entry in batch if entry.chunk_id in chunks]
        if len(hits) >= turn.limit:
            break
    return turn.with_(hits=tuple(hits[: turn.limit]))
