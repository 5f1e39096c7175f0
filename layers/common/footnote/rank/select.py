"""Reads the fused ranking through the index's permission gate and cuts it to the hits."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.ports import Index
from footnote.types import Chunk, Hit, Ranked, Turn
from footnote.types.copies import replace


async def read_pool(turn: Turn, *, index: Index) -> Turn:
    """Sets `turn.evidence.pool` to the best chunks that exist, are active and are visible to the caller now.

    The pool has `plan.pool_size` chunks, at least `plan.limit`; its first ones are the hits unless a later step
    re-ranks it. The request's conditions are checked again, because metadata may have changed since the search."""
    evidence, request = turn.evidence, turn.request
    size = max(turn.plan.limit, turn.plan.pool_size)
    read: list[tuple[Ranked, Chunk]] = []
    for start in range(0, len(evidence.ranked), size):
        batch = evidence.ranked[start : start + size]
        readable = await index.read(turn.caller, [entry.chunk_id for entry in batch])
        chunks = {chunk.chunk_id: chunk for chunk in readable if request.admits(chunk)}
        read += [(entry, chunks[entry.chunk_id]) for entry in batch if entry.chunk_id in chunks]
        if len(read) >= size:
            break
    pool = _with_scores(turn, read[:size])
    return replace(turn, evidence=replace(evidence, pool=pool, hits=pool[: turn.plan.limit]))


def was_reranked(turn: Turn) -> bool:
    """The pool has been re-ranked."""
    evidence = turn.evidence
    return bool(evidence.pool) and evidence.hits != evidence.pool[: turn.plan.limit]


async def cut(turn: Turn) -> Turn:
    """Sets `turn.evidence.hits` to the first `plan.limit` chunks of the pool."""
    return replace(turn, evidence=replace(turn.evidence, hits=turn.evidence.pool[: turn.plan.limit]))


def _with_scores(turn: Turn, pool: Sequence[tuple[Ranked, Chunk]]) -> tuple[Hit, ...]:
    """Hits with the score of each list that found them."""
    pool_ids = {entry.chunk_id for entry, _ in pool}
    scores = {
        (ranking.query, entry.chunk_id, ranking.source): entry.score
        for ranking in turn.evidence.lists
        for entry in ranking.items
        if entry.chunk_id in pool_ids
    }
    sources = tuple(dict.fromkeys(ranking.source for ranking in turn.evidence.lists))
    return tuple(
        Hit(
            chunk,
            entry.score,
            {source: scores[key] for source in sources if (key := (entry.query, entry.chunk_id, source)) in scores},
        )
        for entry, chunk in pool
    )
