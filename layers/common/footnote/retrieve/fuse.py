"""Fuses several ranked lists into one, the same way for every engine.

A chunk is scored only by the lists that could have contained it. A chunk without a vector is therefore scored by the
lexical list alone, in every fusion.

min-max: s' = (s − min) / (max − min) within each list, score = (1 − w) · bm25' + w · cosine'. A chunk that a list could
have contained and does not scores 0 there. RRF: Σ weight / (k + rank), rank from 1, scaled so that the best possible
score is 1. Equal scores are ordered by chunk id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain

from footnote.ports import Embedder, speaks
from footnote.settings import Rag
from footnote.types import ASKED, BY_DOCUMENT, BY_RANK, MOST_DERIVED, Candidate, Query, Ranked, RankedList, Retriever, Turn
from footnote.types.copies import replace

Weighted = tuple[Sequence[Candidate], float]
"""A list and its weight."""


COMMON, INFORMATIVE = 50, 6.0
"""BM25 has its full weight if fewer passages than COMMON contain any of the terms, or if the best of them scores at least INFORMATIVE."""

FOREIGN = 0.8
"""Share of the dense list for passages in another language than the question, which shares only names and numbers with them."""

LIST_WEIGHT, MOST_LISTED = 0.3, 0.4
"""Weight of a list beside words and vectors, by its ranks, and of all of them together, for the same reason."""
BY_SCORE: Mapping[str, float] = {"graph": 0.8, "late_interaction": 0.75}
"""Weights of lists beside words and vectors whose scores, 0..1, say more than their ranks."""
DOCUMENT_WEIGHT = 0.5
"""The share of that weight that the passages of the best documents have: they are near the answer, and few of them are it."""


async def fuse_lists(turn: Turn, *, embedder: Embedder | None, rag: Rag) -> Turn:
    """Sets `turn.evidence.ranked` to all chunks, best first. A chunk found by several answered queries keeps its best score; `add_derived`
    adds the results of the other queries, and the lists beside words and vectors. Token vectors come first: they order what was found, and
    what is added to it afterwards weighs as much as without them."""
    fused = fuse_queries(turn, embedder, rag)
    own = [_weighted(entries, query.weight) for query, entries in fused.items() if query.kind in ASKED]
    total = sum(query.weight for query in fused if query.kind not in ASKED)
    share = min(1.0, MOST_DERIVED / total) if total else 1.0
    derived = [_weighted(entries, query.weight * share) for query, entries in fused.items() if query.kind not in ASKED]
    further = [ranking for ranking in turn.evidence.lists if ranking.source in BY_RANK]
    list_weight = min(LIST_WEIGHT, MOST_LISTED / max(1, len({ranking.source for ranking in further}))) / len(turn.answered)
    orders: list[list[Ranked]] = []
    for ranking in further:
        if ranking.source in BY_SCORE:
            entries = _by_score(ranking, BY_SCORE[ranking.source] / len(turn.answered))
            (orders if ranking.source == "late_interaction" else derived).append(entries)
        else:
            derived.append(_by_rank(ranking, rag.rrf_k, list_weight * (DOCUMENT_WEIGHT if ranking.source == BY_DOCUMENT else 1)))
    ranked: Sequence[Ranked] = own[0] if len(own) == 1 else merge(own)
    for lists in (orders, derived):
        ranked = add_derived(ranked, lists, turn.queries[0].text)
    return replace(turn, evidence=replace(turn.evidence, ranked=tuple(ranked)))


def fuse_queries(turn: Turn, embedder: Embedder | None, rag: Rag) -> dict[Query, list[Ranked]]:
    """Each query that was searched for → its results by words and vectors, best first."""
    weight = _weight(turn, embedder, rag)
    foreign = max(weight, FOREIGN) if weight and turn.request.alpha is None else weight
    return {
        query: fuse(lists, turn.plan.retriever, weight=weight, foreign=foreign, rrf_k=rag.rrf_k)
        for query in turn.queries
        if (lists := [ranking for ranking in turn.evidence.lists_for(query.text) if ranking.source not in BY_RANK])
    }


def _weight(turn: Turn, embedder: Embedder | None, rag: Rag) -> float:
    """The share of the dense list in the turn's search."""
    if not vectors_count(embedder, turn.lang, rag):
        return 0.0
    if not turn.plan.wants("hybrid"):
        return 1.0
    return rag.alpha if turn.request.alpha is None else turn.request.alpha


def lists_counted(turn: Turn, embedder: Embedder | None, rag: Rag) -> tuple[str, ...]:
    """The lists that have weight in the turn's search: words, vectors."""
    if turn.plan.retriever in ("bm25", "knn"):
        return ("words" if turn.plan.retriever == "bm25" else "vectors",)
    weight = _weight(turn, embedder, rag)
    return (*(["words"] if weight < 1 else []), *(["vectors"] if weight else []))


def vectors_count(embedder: Embedder | None, lang: str, rag: Rag) -> bool:
    """Whether the dense list has weight: if the embedder supports the language, or if `convex` fixes the weight."""
    return speaks(embedder, lang) or (embedder is not None and rag.fusion == "convex")


def fuse(
    lists: Sequence[RankedList], retriever: Retriever, *, weight: float, foreign: float | None = None, rrf_k: int = 30
) -> list[Ranked]:
    """Fuses the lists of one query, best first.

    `weight`: the share of the dense list, 0 to 1; the other lists have the rest. It is multiplied by the share of chunks
    that have a vector, because the best of a few vectors need not be the best of all."""
    foreign = weight if foreign is None else foreign
    match retriever:
        case "bm25":
            scores = _minmax([entry for ranking in lists if ranking.source == "bm25" for entry in ranking.items])
        case "knn":
            scores = {entry.chunk_id: max(0.0, entry.score) for ranking in lists if ranking.source == "cosine" for entry in ranking.items}
        case "rrf":
            scores = _by_language(lists, weight, foreign, partial(reciprocal_ranks, k=rrf_k))
        case "cc":
            scores = _by_language(lists, weight, foreign, convex_combination)
    order = sorted(sorted(scores), key=scores.__getitem__, reverse=True)  # stable: equal scores stay in the order of their ids
    query = lists[0].query if lists else ""
    return [Ranked(chunk_id, scores[chunk_id], query) for chunk_id in order]


def _by_language(
    lists: Sequence[RankedList], weight: float, foreign: float, combine: Callable[[Sequence[Weighted]], dict[str, float]]
) -> dict[str, float]:
    """Scores chunks in the query's language with one share of the dense list, and those in others with another."""
    scores = _combine(lists, weight, combine)
    others = {entry.chunk_id for ranking in lists for entry in ranking.items if entry.foreign}
    if others and foreign != weight:
        scores |= {chunk_id: score for chunk_id, score in _combine(lists, foreign, combine).items() if chunk_id in others}
    return scores


def _combine(lists: Sequence[RankedList], weight: float, combine: Callable[[Sequence[Weighted]], dict[str, float]]) -> dict[str, float]:
    """Scores a chunk that some lists could not have contained by the other lists alone."""
    dense = [ranking for ranking in lists if ranking.source == "cosine"]
    share = weight * min((1.0, *(ranking.coverage for ranking in dense))) if any(ranking.items for ranking in dense) else 0.0
    weights = {
        ranking.source: share if ranking.source == "cosine" else (1 - share) * (_informative(ranking) if share else 1) for ranking in lists
    }
    scores = combine([(ranking.items, weights[ranking.source]) for ranking in lists])
    if not share:
        return scores
    absences: dict[frozenset[str], set[str]] = {}
    for chunk_id in frozenset[str]().union(*(ranking.absent for ranking in lists)):
        absences.setdefault(frozenset(ranking.source for ranking in lists if chunk_id in ranking.absent), set()).add(chunk_id)
    for sources, chunk_ids in absences.items():
        others = [(ranking.items, weights[ranking.source] or 1.0) for ranking in lists if ranking.source not in sources]
        alone = combine(others)
        scores |= {chunk_id: alone[chunk_id] for chunk_id in chunk_ids}
    return scores


def _informative(ranking: RankedList) -> float:
    """How much of its weight a list of BM25 deserves."""
    return min(1.0, ranking.items[0].score / INFORMATIVE) if ranking.source == "bm25" and len(ranking.items) >= COMMON else 1.0


def _by_score(ranking: RankedList, weight: float) -> list[Ranked]:
    """The entries of a list with their weighted scores, which are 0..1."""
    return [Ranked(entry.chunk_id, entry.score * weight, ranking.query) for entry in ranking.items]


def _by_rank(ranking: RankedList, rrf_k: int, weight: float) -> list[Ranked]:
    """The entries of a list with the weighted scores of their ranks."""
    scores = reciprocal_ranks([(ranking.items, weight)], k=rrf_k)
    return [Ranked(chunk_id, score * weight, ranking.query) for chunk_id, score in scores.items()]


def _weighted(entries: list[Ranked], weight: float) -> list[Ranked]:
    return entries if weight == 1 else [entry._replace(score=entry.score * weight) for entry in entries]


def add_derived(ranked: Sequence[Ranked], derived: Sequence[Sequence[Ranked]], question: str) -> Sequence[Ranked]:
    """Adds the weighted scores of derived queries to those of the question's own results, best first.

    score = own + Σ derived, scaled so that the best score stays the same: the weights change the order, not how well the question is
    answered. A chunk found by derived queries only counts as a result of `question`, with own = 0."""
    if not derived:
        return ranked
    own = {entry.chunk_id: entry for entry in ranked}
    scores = {entry.chunk_id: entry.score for entry in ranked}
    for entry in chain.from_iterable(derived):
        scores[entry.chunk_id] = scores.get(entry.chunk_id, 0.0) + entry.score
    highest = max(scores.values(), default=0.0)
    scale = ranked[0].score / highest if ranked and highest else 1.0
    order = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
    return [Ranked(key, scores[key] * scale, own[key].query if key in own else question) for key in order]


def merge(lists: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """Merges several lists; each entry is taken from the list in which its score is highest."""
    best: dict[str, Ranked] = {}
    for entry in (entry for entries in lists for entry in entries):
        if entry.chunk_id not in best or best[entry.chunk_id].score < entry.score:
            best[entry.chunk_id] = entry
    return sorted(best.values(), key=lambda entry: (-entry.score, entry.chunk_id))


def convex_combination(lists: Sequence[Weighted]) -> dict[str, float]:
    """Σ weight · min-max score. The weights of empty lists are distributed to the others."""
    lists = [(entries, weight) for entries, weight in lists if entries and weight > 0]
    total = sum(weight for _, weight in lists)
    scores: dict[str, float] = {}
    for entries, weight in lists:
        for chunk_id, score in _minmax(entries).items():
            scores[chunk_id] = scores.get(chunk_id, 0.0) + score * weight / total
    return scores


def reciprocal_ranks(lists: Sequence[Weighted], *, k: int) -> dict[str, float]:
    """Σ weight · (k + 1) / (k + rank) / Σ weight; 1 for a chunk that is first in every list."""
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
