"""Several ranked lists → one. The same for every engine.

A chunk is scored by the lists that could have held it: one without a vector by its words alone, in every fusion.

min-max: s' = (s − min) / (max − min) within each list, score = (1 − w) · bm25' + w · cosine'; what a
list could have held and does not counts 0 there. RRF: Σ weight / (k + rank), rank from 1, scaled so that the best
possible score is 1. Equal scores are ordered by chunk id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from footnote.ports import Embedder, speaks
from footnote.settings import Rag
from footnote.types import Candidate, Candidates, Ranked, Retriever, Turn

Weighted = tuple[Sequence[Candidate], float]
"""A list and its weight."""


async def fuse_lists(turn: Turn, *, embedder: Embedder | None, rag: Rag) -> Turn:
    """`turn.ranked`: everything that was found, best first; of what several queries found, the better place counts."""
    weight = rag.alpha if vectors_count(embedder, turn.lang, rag) else 0.0
    retriever = "rrf" if turn.retriever == "cc" and rag.fusion == "rrf" else turn.retriever
    lists = [fuse(found, retriever, weight=weight, rrf_k=rag.rrf_k) for found in turn.found if found is not None]
    return turn.with_(ranked=tuple(lists[0] if len(lists) == 1 else merge(lists)))


def vectors_count(embedder: Embedder | None, lang: str, rag: Rag) -> bool:
    """Where their maker speaks the language; a weight that was set by hand holds in every one."""
    return speaks(embedder, lang) or (embedder is not None and rag.fusion == "convex")


def fuse(candidates: Candidates, retriever: Retriever, *, weight: float, rrf_k: int = 30) -> list[Ranked]:
    """Best first. `weight` is the dense list's share, 0..1; it shrinks with the share of chunks that have no vector yet:
    the best of a few is not yet the best of all."""
    share = weight * min(1.0, candidates.coverage)
    match retriever:
        case "bm25":
            scores = _minmax(candidates.lexical)
        case "knn":
            scores = {entry.chunk_id: max(0.0, entry.score) for entry in candidates.dense}
        case "rrf":
            scores = _combine(candidates, share, partial(reciprocal_ranks, k=rrf_k))
        case "cc":
            scores = _combine(candidates, share, convex_combination)
    bm25 = {entry.chunk_id: entry.score for entry in candidates.lexical}
    cosine = {entry.chunk_id: entry.score for entry in candidates.dense}
    order = sorted(sorted(scores), key=scores.__getitem__, reverse=True)  # stable: equal scores stay in the order of their ids
    return [Ranked(chunk_id, scores[chunk_id], bm25.get(chunk_id), cosine.get(chunk_id)) for chunk_id in order]


def _combine(candidates: Candidates, share: float, combine: Callable[[Sequence[Weighted]], dict[str, float]]) -> dict[str, float]:
    both = combine([(candidates.lexical, 1 - share), (candidates.dense, share)])
    if not candidates.bare or not share:
        return both
    words = combine([(candidates.lexical, 1.0)])
    return both | {chunk_id: words[chunk_id] for chunk_id in candidates.bare}


def merge(lists: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """One list of several; each entry as it stands in the list where its score is highest."""
    best: dict[str, Ranked] = {}
    for entry in (entry for entries in lists for entry in entries):
        if entry.chunk_id not in best or best[entry.chunk_id].score < entry.score:
            best[entry.chunk_id] = entry
    return sorted(best.values(), key=lambda entry: (-entry.score, entry.chunk_id))


def convex_combination(lists: Sequence[Weighted]) -> dict[str, float]:
    """Σ weight · min-max score. The weights of empty lists go to the others."""
    lists = [(entries, weight) for entries, weight in lists if entries and weight > 0]
    total = sum(weight for _, weight in lists)
    scores: dict[str, float] = {}
    for entries, weight in lists:
        for chunk_id, score in _minmax(entries).items():
            scores[chunk_id] = scores.get(chunk_id, 0.0) + score * weight / total
    return scores


def reciprocal_ranks(lists: Sequence[Weighted], *, k: int) -> dict[str, float]:
    """Σ weight · (k + 1) / (k + rank) / Σ weight: 1 for what is first in every list."""
    lists = [(entries, weight) for entries, weight in lists if entries and weight > 0]
    total = sum(weight for _, weight in lists)
    scores: dict[str, float] = {}
    for entries, weight in lists:
        for rank, entry in enumerate(entries, start=1):
            scores[entry.chunk_id] = scores.get(entry.chunk_id, 0.0) + weight * (k + 1) / (k + rank) / total
    return scores


def _minmax(entries: Sequence[Candidate]) -> dict[str, float]:
    if not entries:
        return {}
    scores = [entry.score for entry in entries]
    highest, lowest = max(scores), min(scores)
    if highest == lowest:
        return {entry.chunk_id: 1.0 for entry in entries}
    return {entry.chunk_id: (entry.score - lowest) / (highest - lowest) for entry in entries}
