"""The second stage: orders the first TOP passages of the fused list by their best sentence, word order and neighbours.

t = the distinct content terms of the query, w = their weights (inverse document frequency):

    s     = max over sentences( .5 · cov(t, sentence + headings) + .5 · cos(q, sentence) )
    ord   = Σ (w_a + w_b) · n/(n + 1) / Σ (w_a + w_b)     over adjacent terms a b of the query; n = places of “a b”
    uno   = the same, n = places of a with b at most NEAR terms away
    q2    = unit(q + .5 · Σ base_i · p_i / Σ base_i)      over the vectors p of the first three passages
    score = (base + .5 · s + .1 · ord + .1 · uno + .1 · min-max(cos(q2, p))) / 1.8

base = the fused score; of a list fused by rank, scaled to 0..1 over the list.
A passage of a section that the query names by its number is raised most of the way to the highest score: no vector knows numbers. One of
another kind is, if there is none of its kind.
Without vectors: (base + .5 · max cov) / 1.5; pairs of terms do not help there. Dividing keeps scores in 0..1. cov divides by the
weight of all terms, at least 1.5 times that of an unknown term, so that a query of one common word is not fully covered by it.
Passages after the first TOP keep their order. The permission check of `Index.sentences` applies: a passage that the caller may not
read moves to the end of the first TOP, and is dropped when it is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from footnote.ports import Index
from footnote.text.grounding import UNSEEN, whole_weight
from footnote.text.section_numbers import sections_asked
from footnote.text.tokens import content_terms, other_forms
from footnote.types import ChunkSentences, Query, Ranked, Turn
from footnote.types.copies import replace

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TOP = 30
NEIGHBOURS = 3
"""Passages whose vectors move the query's vector."""
NEAR = 7
END = "."
"""Ends a line of terms, which consist of word characters only."""
RAISED = 0.9
SENTENCE, PAIR, NEIGHBOUR = 0.5, 0.1, 0.1
"""Weights of s, of ord and uno each, and of the cosine with q2."""
WITH_VECTORS = 1 + SENTENCE + 2 * PAIR + NEIGHBOUR
WITHOUT_VECTORS = 1 + SENTENCE


NO_FORMS: Mapping[str, str] = {}


def is_fused(turn: Turn) -> bool:
    """Several passages were found, and both lists were asked for: a requested order by one list stays."""
    return turn.plan.retriever in ("cc", "rrf") and len(turn.evidence.ranked) > 1


async def refine(turn: Turn, *, index: Index) -> Turn:
    """Orders the first TOP entries of `turn.evidence.ranked` again."""
    ranked: Sequence[Ranked] = turn.evidence.ranked
    if turn.plan.retriever == "rrf":
        ranked = _scaled(ranked)
    first, rest = ranked[:TOP], ranked[TOP:]
    terms = {query.text: content_terms(query.text, query.lang) for query in turn.answered}
    all_terms = {UNSEEN}.union(*terms.values())
    sentences, weights = await asyncio.gather(
        index.sentences(turn.caller, [entry.chunk_id for entry in first], turn.embedder),
        index.term_weights(turn.caller, turn.request.collection, sorted(all_terms)),
    )
    scored: list[Ranked] = []
    for query in turn.answered:
        mine = [entry for entry in first if entry.query == query.text]
        forms = other_forms(query.text, query.lang, turn.languages)
        new_scores = second_stage(query, mine, [sentences.get(entry.chunk_id) for entry in mine], terms[query.text], weights, forms)
        scored += [Ranked(entry.chunk_id, score, entry.query) for entry, score in zip(mine, new_scores, strict=True)]
    largest = WITH_VECTORS if turn.vectors else WITHOUT_VECTORS
    refined = [*sorted(scored, key=lambda entry: (-entry.score, entry.chunk_id)), *rest]
    scaled = tuple(Ranked(chunk_id, score / largest, query) for chunk_id, score, query in refined)
    return replace(turn, evidence=replace(turn.evidence, ranked=scaled))


def _scaled(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The entries with their scores scaled to 0..1: reciprocal ranks are too close together to be added to other scores."""
    highest, lowest = ranked[0].score, ranked[-1].score
    return [Ranked(chunk_id, (score - lowest) / ((highest - lowest) or 1.0), query) for chunk_id, score, query in ranked]


def second_stage(
    query: Query,
    entries: Sequence[Ranked],
    passages: Sequence[ChunkSentences | None],
    terms: Sequence[str],
    weights: Mapping[str, float],
    forms: Mapping[str, str] = NO_FORMS,
) -> list[float]:
    """The score of each entry, before the division. `passages`: those of the entries, None = unreadable. `terms`: the content terms of the
    query. `forms`: their forms in passages of other languages, as of `other_forms`."""
    import numpy as np

    scores = np.array([entry.score for entry in entries])
    at = [i for i, passage in enumerate(passages) if passage is not None]
    readable = [passage for passage in passages if passage is not None]
    if readable:
        words = _Words(terms, weights, readable, forms)
        if query.vector is None:
            scores[at] += SENTENCE * words.best(words.coverage)
        else:
            sentences = words.best(0.5 * words.coverage + 0.5 * words.cosines(query.vector))
            scores[at] += SENTENCE * sentences + PAIR * words.pairs() + NEIGHBOUR * _neighbours(query.vector, scores[at], readable)
    if asked := sections_asked(query.text):
        largest = WITHOUT_VECTORS if query.vector is None else WITH_VECTORS
        held = [frozenset(" ".join((passage.heading_terms, *passage.terms)).split()) for passage in readable]
        of_kind, of_number = (
            np.array([sum(section.heads(own, of_kind=strict) for section in asked) for own in held], float) for strict in (True, False)
        )
        share = of_kind if of_kind.any() else of_number
        scores[at] += RAISED * share / max(share.max(), 1.0) * (largest - scores[at])
    refined: list[float] = scores.tolist()
    return refined


class _Words:
    """How the terms of a query occur in passages.

    The passages are one text of lines: the headings of a passage, then its sentences. Looking for each term in this text takes a third
    of the time of splitting it into words."""

    def __init__(
        self, terms: Sequence[str], weights: Mapping[str, float], passages: Sequence[ChunkSentences], forms: Mapping[str, str]
    ) -> None:
        import numpy as np

        self._passages = passages
        self._sequence = terms
        self._weights = {term: weights.get(term, 1.0) for term in terms}
        lines = [1 + len(passage.terms) for passage in passages]
        self._first = np.cumsum([0, *lines[:-1]])
        """The line of each passage's headings."""
        self._passage = np.repeat(np.arange(len(passages)), lines)
        """The passage of each line."""
        text = " " + " ".join([f" {END} ".join((passage.heading_terms, *passage.terms, "")) for passage in passages])
        for form, term in forms.items():
            text = text.replace(f" {form} ", f" {term} ")
        occurrences = [_find(f" {term} ", text) for term in self._weights]
        self._at = np.array([at for places in occurrences for at in places], np.int64)
        """The position before each occurrence of a term; those of the first term come first."""
        self._term = np.repeat(np.arange(len(occurrences)), np.array([len(places) for places in occurrences], np.int64))
        self._codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        self._line = np.searchsorted(np.flatnonzero(self._codes == ord(END)), self._at)
        contained = np.zeros((len(self._passage), len(occurrences)), bool)
        contained[self._line, self._term] = True
        contained |= contained[self._first][self._passage]
        total = whole_weight(self._weights, weights)
        self.coverage: npt.NDArray[np.float64] = (
            contained @ np.array([*self._weights.values()]) / total if total else np.zeros(len(contained))
        )
        """cov of each line with the headings of its passage."""

    def best(self, of_lines: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The highest value among the lines of each passage."""
        import numpy as np

        return np.maximum.reduceat(of_lines, self._first)

    def cosines(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """The cosine of each sentence, below all for the headings. The lines of a passage without vectors get the median of the others, so
        that it has no disadvantage."""
        import numpy as np

        vectors = [passage.vectors for passage in self._passages if passage.vectors is not None]
        similarities = np.concatenate(vectors) @ vector / 127.0 if vectors else np.zeros(1)
        cosines = np.full(len(self._passage), np.partition(similarities, len(similarities) // 2)[len(similarities) // 2])
        if vectors:
            has_vectors = np.array([passage.vectors is not None for passage in self._passages])
            cosines[self._first[has_vectors]] = -1.0
            has_vectors = has_vectors[self._passage]
            has_vectors[self._first] = False
            cosines[has_vectors] = similarities
        return cosines

    def pairs(self) -> npt.NDArray[np.float64]:
        """ord + uno of each passage."""
        import numpy as np

        number = {term: i for i, term in enumerate(self._weights)}
        pairs = np.array([(number[a], number[b]) for a, b in pairwise(self._sequence) if a != b], np.int64).reshape(-1, 2)
        if not len(pairs):
            return np.zeros(len(self._first))
        weights = np.array([*self._weights.values()])[pairs].sum(1)
        in_sentence = self._line != self._first[self._passage[self._line]]
        passage = self._passage[self._line][in_sentence]
        # The number of spaces before it. The ends of sentences count as places, too: words of two sentences are not adjacent, and those
        # of two passages are not near.
        spaces = np.flatnonzero(self._codes == ord(" "))
        place = np.searchsorted(spaces, self._at[in_sentence]) + (NEAR + 1) * passage
        starts = np.searchsorted(self._term[in_sentence], np.arange(len(number) + 1))
        beyond = len(spaces) + (NEAR + 1) * (len(self._first) + 1)  # separates the places of one pair from those of the next
        pair, at = _ranges(starts, pairs[:, 0])
        firsts, cells = place[at] + pair * beyond, pair * len(self._first) + passage[at]
        pair, at = _ranges(starts, pairs[:, 1])
        seconds = np.append(place[at] + pair * beyond, len(pairs) * beyond)
        score = np.zeros(len(self._first))
        for nearest, farthest in ((1, 1), (-NEAR, NEAR)):
            is_near = seconds[np.searchsorted(seconds, firsts + nearest)] <= firsts + farthest
            counts = np.bincount(cells[is_near], minlength=len(pairs) * len(self._first)).reshape(len(pairs), -1)
            score += weights @ (counts / (counts + 1)) / weights.sum()
        return score


def _ranges(starts: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The indexes starts[i] … starts[i + 1] − 1 of each i in `groups`, one after the other: (position in `groups`, index)."""
    import numpy as np

    lengths = starts[groups + 1] - starts[groups]
    which = np.repeat(np.arange(len(groups)), lengths)
    return which, np.arange(len(which)) + (starts[groups] - np.cumsum(lengths) + lengths)[which]


def _find(word: str, text: str) -> list[int]:
    """Where the word stands in the text; it begins and ends with a space, which two of them may share."""
    positions: list[int] = []
    at = text.find(word)
    while at >= 0:
        positions.append(at)
        at = text.find(word, at + len(word) - 1)
    return positions


def _neighbours(
    vector: npt.NDArray[np.float32], base: npt.NDArray[np.float64], passages: Sequence[ChunkSentences]
) -> npt.NDArray[np.float64]:
    """The min-max scaled cosine of each passage with the query's vector moved towards the first passages; a passage without a vector
    gets the mean of the others."""
    import numpy as np

    vectors = [passage.passage for passage in passages if passage.passage is not None]
    if not vectors:
        return np.zeros(len(passages))
    has_vector = np.array([passage.passage is not None for passage in passages])
    matrix = np.concatenate(vectors).reshape(len(vectors), -1)
    first = base[has_vector][:NEIGHBOURS].astype(np.float32)
    if not first.any():
        first += 1
    cosines = matrix @ (vector + 0.5 * (first @ matrix[:NEIGHBOURS]) / first.sum())
    lowest, highest = cosines.min(), cosines.max()
    cosines = (cosines - lowest) / (highest - lowest) if highest > lowest else np.ones_like(cosines)
    scaled = np.full(len(passages), cosines.mean())
    scaled[has_vector] = cosines
    return scaled
