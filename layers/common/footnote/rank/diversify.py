"""Makes the hits differ: drops near-duplicates of better passages, and orders by maximal marginal relevance (MMR).

Two passages are near-duplicates if the cosine of their stored vectors is above COSINE or they share at least REPEATED of their shingles
(three terms in a row; shared / all), unless their numbers, names or negations differ: “500 euros” and “600 euros” stay side by side.

    MMR: the next passage is the one with the highest λ · score − (1 − λ) · similarity to the nearest passage before it

Similarity is the cosine, or without vectors the share of shared shingles.
"""

from __future__ import annotations

from functools import cached_property

from footnote.ports import Embedder, Index
from footnote.text.particulars import particulars
from footnote.text.similarity import REPEATED, overlap, shingles
from footnote.types import ChunkSentences, Hit, Turn, Vector
from footnote.types.copies import replace

COSINE = 0.95
LAMBDA = 0.7


def several_were_read(turn: Turn) -> bool:
    """Several passages of the index were read."""
    return len(turn.evidence.pool) > 1


async def drop_duplicates(turn: Turn, *, index: Index, embedder: Embedder | None) -> Turn:
    """Removes near-duplicates of better passages until `plan.limit` passages of the pool differ; notes their number as `duplicates`."""
    kept: list[_Passage] = []
    passages = await _passages(turn, index, embedder)
    for at, passage in enumerate(passages):
        if len(kept) == turn.plan.limit:
            kept += passages[at:]
            break
        if not any(passage.repeats(other) for other in kept):
            kept.append(passage)
    if len(kept) == len(passages):
        return turn
    turn = turn.with_notes(duplicates=len(passages) - len(kept))
    return replace(turn, evidence=replace(turn.evidence, pool=tuple(passage.hit for passage in kept)))


async def diversify(turn: Turn, *, index: Index, embedder: Embedder | None) -> Turn:
    """Orders the first `plan.limit` passages of the pool by MMR."""
    left = await _passages(turn, index, embedder)
    nearest = dict.fromkeys((passage.hit.chunk.chunk_id for passage in left), 0.0)
    chosen: list[Hit] = []
    while left and len(chosen) < turn.plan.limit:
        best = max(left, key=lambda passage: LAMBDA * passage.hit.score - (1 - LAMBDA) * nearest[passage.hit.chunk.chunk_id])
        left.remove(best)
        chosen.append(best.hit)
        for passage in left:
            key = passage.hit.chunk.chunk_id
            nearest[key] = max(nearest[key], passage.similarity(best))
    return replace(turn, evidence=replace(turn.evidence, pool=(*chosen, *(passage.hit for passage in left))))


async def _passages(turn: Turn, index: Index, embedder: Embedder | None) -> list[_Passage]:
    pool = turn.evidence.pool
    sentences = await index.sentences(turn.caller, [hit.chunk.chunk_id for hit in pool], embedder.name if embedder else "")
    return [_Passage(hit, sentences.get(hit.chunk.chunk_id, ChunkSentences(()))) for hit in pool]


class _Passage:
    """A hit with the values to compare, most of them computed at the first comparison that needs them."""

    def __init__(self, hit: Hit, sentences: ChunkSentences) -> None:
        self.hit = hit
        self._vector: Vector | None = sentences.passage
        self._terms = sentences.terms

    @cached_property
    def _shingles(self) -> frozenset[tuple[str, ...]]:
        return shingles(" ".join(self._terms).split())

    @cached_property
    def _particulars(self) -> frozenset[str]:
        return particulars(self.hit.chunk.text, self.hit.chunk.lang)

    def similarity(self, other: _Passage) -> float:
        """0..1, by vectors if both have one."""
        if self._vector is not None and other._vector is not None:
            return max(0.0, float(self._vector @ other._vector))
        return overlap(self._shingles, other._shingles)

    def repeats(self, other: _Passage) -> bool:
        """Whether they are near-duplicates."""
        by_vectors = self._vector is not None and other._vector is not None and self.similarity(other) > COSINE
        return (by_vectors or overlap(self._shingles, other._shingles) >= REPEATED) and self._particulars == other._particulars
