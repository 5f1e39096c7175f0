"""Which evidence is best? Asked of somebody who reads question and passage together."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports.reviewer import Reviewer
from footnote.settings.review import Review
from footnote.types import Turn


async def review_pool(turn: Turn, *, reviewer: Reviewer | None, review: Review) -> Turn:
    """`turn.evidence.pool` by the reviewer's scores; those below `review.least` are left out."""
    if reviewer is None:
        return turn
    pool = turn.evidence.pool
    scores = await reviewer.score(turn.asked, [hit.chunk.text for hit in pool])
    ranked = [replace(hit, score=score, scores={**hit.scores, "review": score}) for hit, score in zip(pool, scores, strict=True)]
    best = sorted((hit for hit in ranked if hit.score >= review.least), key=lambda hit: hit.score, reverse=True)
    return replace(turn, evidence=replace(turn.evidence, pool=tuple(best)))
