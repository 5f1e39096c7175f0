"""Orders the pool by a reranker, a model that reads the question and each passage together.

It sees only passages that the permission gate returned. Its score becomes the hit's score; the earlier one stays as
`Hit.scores["hybridScore"]`. Passages without a score follow in their earlier order, with a score no higher than the last one's.
"""

from __future__ import annotations

from footnote.ports import Reranker
from footnote.text.embedded_texts import passage_of
from footnote.types import HYBRID, Hit, Turn
from footnote.types.copies import replace

CHARACTERS = 1_500
"""Of a passage, its title and headings included: what most rerankers read."""


def may_rerank(turn: Turn) -> bool:
    """Several passages were read, and both lists were asked for: a requested order by one list stays."""
    return turn.plan.retriever in ("cc", "rrf") and len(turn.evidence.pool) > 1


async def rerank(turn: Turn, *, reranker: Reranker | None) -> Turn:
    """Orders `turn.evidence.pool` by the reranker's scores. Unavailable if it does not answer in time."""
    if reranker is None:
        return turn
    pool = turn.evidence.pool
    scores = await reranker.rerank(turn.asked, [whole_text(hit, CHARACTERS) for hit in pool])
    by_score = sorted(scores, key=lambda at: (-scores[at], at))
    first = [_scored(pool[at], scores[at]) for at in by_score]
    lowest = min(scores.values(), default=1.0)
    rest = [_scored(hit, min(hit.score, lowest)) for at, hit in enumerate(pool) if at not in scores]
    turn = turn.with_notes(reranked=len(first))
    return replace(turn, evidence=replace(turn.evidence, pool=(*first, *rest))) if first else turn


async def keep_order(turn: Turn) -> Turn:
    """The pool stays as it is because the reranker failed; noted for the turn's owner as `reranked`: 0."""
    return turn.with_notes(reranked=0)


def whole_text(hit: Hit, characters: int) -> str:
    """The first characters of a passage, with its title and headings before it."""
    chunk = hit.chunk
    return passage_of(chunk.title, chunk.headings, chunk.text, ()).text[:characters]


def _scored(hit: Hit, score: float) -> Hit:
    return replace(hit, score=score, scores={**hit.scores, HYBRID: hit.score})
