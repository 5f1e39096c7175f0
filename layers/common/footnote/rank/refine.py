"""The second stage: orders the first TOP passages of the fused list by their best sentence, word order and neighbours.

t = the distinct content terms of the query, w = their weights (inverse document frequency):

    s     = max over sentences( .5 · cov(t, sentence + headings) + .5 · cos(q, sentence) )
    ord   = Σ (w_a + w_b) · n/(n + 1) / Σ (w_a + w_b)     over adjacent terms a b of the query; n = places of “a b”
    uno   = the same, n = places of a with b at most NEAR terms away
    q2    = unit(q + .5 · Σ base_i · p_i / Σ base_i)      over the vectors p of the first three passages
    score = (base + .5 · s + .1 · ord + .1 · uno + .1 · min-max(cos(q2, p))) / 1.8

Without vectors: (base + .5 · max cov) / 1.5; pairs of terms do not help there. Dividing keeps scores in 0..1. cov divides by the
weight of all terms, at least 1.5 times that of an unknown term, so that a query of one common word is not fully covered by it.
Passages after the first TOP keep their order. The permission check of `Index.sentences` applies: a passage that the caller may not
read moves to the end of the first TOP, and is dropped when it is read.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from footnote.ports import Index
from footnote.text.grounding import UNSEEN, whole_weight
from footnote.text.tokens import content_terms
from footnote.types import ChunkSentences, Query, Ranked, Turn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TOP = 30
NEIGHBOURS = 3
"""Passages whose vectors move the query's vector."""
NEAR = 7
END = "."
"""Ends a sentence in a sequence of terms, which hold word characters only."""
SENTENCE, PAIR, NEIGHBOUR = 0.5, 0.1, 0.1
"""Weights of s, of ord and uno each, and of the cosine with q2."""
WITH_VECTORS = 1 + SENTENCE + 2 * PAIR + NEIGHBOUR
WITHOUT_VECTORS = 1 + SENTENCE


def is_fused_by_score(turn: Turn) -> bool:
    """Several passages were fused by their scores: a requested order of ranks or of one list stays."""
    return turn.request.retriever == "cc" and len(turn.evidence.ranked) > 1


async def refine(turn: Turn, *, index: Index) -> Turn:
    """Orders the first TOP entries of `turn.evidence.ranked` again."""
    first, rest = turn.evidence.ranked[:TOP], turn.evidence.ranked[TOP:]
    terms = {query.text: content_terms(query.text, query.lang) for query in turn.queries}
    wanted = {UNSEEN}.union(*terms.values())
    found, weights = await asyncio.gather(
        index.sentences(turn.caller, [entry.chunk_id for entry in first], turn.embedder),
        index.term_weights(turn.caller, turn.request.collection, sorted(wanted)),
    )
    scored: list[Ranked] = []
    for query in turn.queries:
        mine = [entry for entry in first if entry.query == query.text]
        made = second_stage(query, mine, [found.get(entry.chunk_id) for entry in mine], terms[query.text], weights)
        scored += [entry._replace(score=score) for entry, score in zip(mine, made, strict=True)]
    largest = WITH_VECTORS if turn.vectors else WITHOUT_VECTORS
    ranked = [*sorted(scored, key=lambda entry: (-entry.score, entry.chunk_id)), *rest]
    return replace(turn, evidence=replace(turn.evidence, ranked=tuple(entry._replace(score=entry.score / largest) for entry in ranked)))


def second_stage(
    query: Query, entries: Sequence[Ranked], passages: Sequence[ChunkSentences | None], terms: Sequence[str], weights: Mapping[str, float]
) -> list[float]:
    """The score of each entry, not divided yet. `passages`: those of the entries, None = it may not be read.
    `terms`: the content terms of the query."""
    asked = _Query(terms, weights)
    words = [_Words(asked, passage) if passage else None for passage in passages]
    if query.vector is None:
        return [entry.score + SENTENCE * (each.best if each else 0.0) for entry, each in zip(entries, words, strict=True)]
    best = _best_sentences(query.vector, passages, words)
    near = _neighbours(query.vector, entries, passages)
    return [
        entry.score + SENTENCE * sentence + PAIR * (each.ordered + each.unordered if each else 0.0) + NEIGHBOUR * neighbour
        for entry, each, sentence, neighbour in zip(entries, words, best, near, strict=True)
    ]


class _Query:
    """The terms of a query with their weights."""

    def __init__(self, terms: Sequence[str], weights: Mapping[str, float]) -> None:
        self.terms = frozenset(terms)
        self.marks = self.terms | {END}
        self.weights = {term: weights.get(term, 1.0) for term in terms}
        self.total = whole_weight(self.terms, weights)
        self.pairs = [(a, b, self.weights[a] + self.weights[b]) for a, b in pairwise(terms) if a != b]
        self.pairs_weight = sum(weight for _, _, weight in self.pairs)
        self._shares: dict[frozenset[str], float] = {}

    def share(self, held: frozenset[str]) -> float:
        """cov of a text with these terms of the query."""
        if held not in self._shares:
            self._shares[held] = sum(map(self.weights.__getitem__, held)) / self.total if self.total else 0.0
        return self._shares[held]


class _Words:
    """How the terms of the query occur in a passage."""

    def __init__(self, query: _Query, passage: ChunkSentences) -> None:
        heading = query.terms.intersection(passage.heading_terms.split())
        words, marks = f" {END} ".join((*passage.terms, "")).split(), query.marks
        places: dict[str, list[int]] = {}
        self.coverage: list[float] = []
        """Of each sentence with the headings."""
        held = heading
        for place in [place for place, word in enumerate(words) if word in marks]:
            if (word := words[place]) == END:
                self.coverage.append(query.share(held))
                held = heading
            else:
                held |= {word}
                # The ends of sentences count as places, too: words of two sentences are not adjacent.
                places.setdefault(word, []).append(place)
        self.best = max(self.coverage, default=0.0)
        pairs = [(weight, places[a], places[b]) for a, b, weight in query.pairs if a in places and b in places]
        self.ordered = sum(weight * _saturated(_adjacent(a, b)) for weight, a, b in pairs) / query.pairs_weight if pairs else 0.0
        self.unordered = sum(weight * _saturated(_near(a, b)) for weight, a, b in pairs) / query.pairs_weight if pairs else 0.0


def _saturated(count: int) -> float:
    return count / (count + 1)


def _adjacent(a: Sequence[int], b: Sequence[int]) -> int:
    return len({place + 1 for place in a}.intersection(b))


def _near(a: Sequence[int], b: Sequence[int]) -> int:
    """Places of `a` with a place of `b` at most NEAR away. Both are sorted."""
    return sum((i := bisect_left(b, place - NEAR)) < len(b) and b[i] <= place + NEAR for place in a)


def _best_sentences(
    vector: npt.NDArray[np.float32], passages: Sequence[ChunkSentences | None], words: Sequence[_Words | None]
) -> list[float]:
    """s of each passage. One without vectors gets the median of the others' cosines, so that it is not worse off for it."""
    import numpy as np

    vectors = [passage.vectors for passage in passages if passage is not None and passage.vectors is not None]
    cosines = (np.concatenate(vectors) @ vector / 127.0).tolist() if vectors else []
    median = sorted(cosines)[len(cosines) // 2] if cosines else 0.0
    best: list[float] = []
    at = 0
    for passage, each in zip(passages, words, strict=True):
        if passage is None or each is None:
            best.append(0.0)
        elif passage.vectors is None:
            best.append(0.5 * each.best + 0.5 * median)
        else:
            count = len(passage.vectors)
            best.append(max((0.5 * a + 0.5 * b for a, b in zip(each.coverage, cosines[at : at + count], strict=True)), default=0.0))
            at += count
    return best


def _neighbours(vector: npt.NDArray[np.float32], entries: Sequence[Ranked], passages: Sequence[ChunkSentences | None]) -> list[float]:
    """The min-max scaled cosine of each passage with the query's vector moved towards the first passages; a passage without a vector
    gets the mean of the others."""
    import numpy as np

    placed = [(i, passage.passage) for i, passage in enumerate(passages) if passage is not None and passage.passage is not None]
    scaled = np.zeros(len(entries), np.float32)
    if not placed:
        return scaled.tolist()
    matrix = np.stack([made for _, made in placed])
    base = np.array([entries[i].score for i, _ in placed[:NEIGHBOURS]], np.float32)
    if not base.any():
        base += 1
    moved = vector + 0.5 * (base @ matrix[:NEIGHBOURS]) / base.sum()
    cosines = matrix @ moved
    lowest, spread = cosines.min(), np.ptp(cosines)
    cosines = (cosines - lowest) / spread if spread else np.ones_like(cosines)
    scaled[:] = cosines.mean()
    scaled[[i for i, _ in placed]] = cosines
    return scaled.tolist()
