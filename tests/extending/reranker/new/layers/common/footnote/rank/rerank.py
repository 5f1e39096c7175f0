"""Which evidence is best? Asked of somebody who reads question and passage together."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports import Index
from footnote.ports.reranker import Reranker
from footnote.rank.select import read_pool
from footnote.settings.rerank import Rerank
from footnote.types import Turn


async def rerank_pool(turn: Turn, *, index: Index, reranker: Reranker | None, rerank: Rerank) -> Turn:
    """`turn.evidence.hits`: the best of a pool of `rerank.pool_size`, which the index's gate has let through."""
    if reranker is None:
        return turn
    wide = await read_pool(replace(turn, request=replace(turn.request, limit=rerank.pool_size)), index=index)
    pool = wide.evidence.pool
    scores = await reranker.score(turn.asked, [hit.chunk.text for hit in pool])
    ranked = [replace(hit, score=score, scores={**hit.scores, "rerank": score}) for hit, score in zip(pool, scores, strict=True)]
    best = sorted(ranked, key=lambda hit: hit.score, reverse=True)[: turn.request.limit]
    return replace(turn, evidence=replace(turn.evidence, pool=pool, hits=tuple(best)))
