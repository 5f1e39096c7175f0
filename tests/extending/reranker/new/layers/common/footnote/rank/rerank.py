"""Which evidence is best? Asked of somebody who reads question and passage together."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports.reranker import Reranker
from footnote.settings.rerank import Rerank
from footnote.types import Turn


async def rerank_pool(turn: Turn, *, reranker: Reranker | None, rerank: Rerank) -> Turn:
    """`turn.evidence.pool` by the reranker's scores; those below `rerank.least` are left out."""
    if reranker is None:
        return turn
    pool = turn.evidence.pool
    scores = await reranker.score(turn.asked, [hit.chunk.text for hit in pool])
    ranked = [replace(hit, score=score, scores={**hit.scores, "rerank": score}) for hit, score in zip(pool, scores, strict=True)]
    best = sorted((hit for hit in ranked if hit.score >= rerank.least), key=lambda hit: hit.score, reverse=True)
    return replace(turn, evidence=replace(turn.evidence, pool=tuple(best)))
