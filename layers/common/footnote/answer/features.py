"""The features by which an excerpt is judged: one row of numbers for each excerpt.

Covered shares and weights are those of `score_sentences`; an unknown term has the highest weight. `hits`: the passages of the excerpts, in
their order. Centred values are differences from the mean of the sentences of all hits, in units of their standard deviation. An unknown
value, such as a cosine without vectors, is 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from footnote.answer.choose import Quote
from footnote.answer.score_sentences import Question, Scored
from footnote.text.codes import codes_in
from footnote.text.values import values_in
from footnote.types import HYBRID, Hit, Matrix

OF_EXCERPT = {
    "cosine": "meaning",
    "cosine_centred": "meaning",
    "excerpt_centred": "meaning",  # the mean of its sentences
    "passage_cosine": "meaning",
    "passage_below": "meaning",  # how much below the nearest passage
    "total": "words",
    "near": "words",
    "passage": "words",
    "heading": "words",
    "covered": "words",  # by the excerpt with title and headings
    "covered_strictly": "words",
    "missing": "missing",  # weight of the rarest term that it lacks
    "missing_known": "missing",  # of the rarest one that the collection has
    "numbers_missing": "missing",
    "codes_missing": "missing",
    "names_missing": "missing",
    "above_others": "rivals",  # how much the best sentence scores above that of the next passage
    "above_own": "rivals",  # above the next excerpt of its own passage
    "above_mean": "rivals",  # above the mean of five others
    "fused": "place",
    "place": "place",
    "by_words": "place",
    "is_list": "form",
    "is_table": "form",
    "length": "form",
    "sentence_length": "form",
}
OF_SEARCH = {
    "highest_cosine": "search",
    "nearest": "search",
    "nearest_ahead": "search",  # of the last hit
    "words_ahead": "search",
    "words_reached": "search",  # the best score by words for each term
    "agreement": "search",  # share of the hits that both lists hold
    "same_first": "search",
    "spread": "rivals",  # how many excerpts score alike
    "terms": "search",
    "unknown": "missing",
}
GROUPS = OF_EXCERPT | OF_SEARCH
"""Column → its subject, as `Verdict.reasons` names it."""
NAMES = tuple(GROUPS)
"""The columns, in their order."""
SHARPNESS = 8.0
"""How fast an excerpt that scores less counts less in `spread`."""
SOFT = 0.02
"""Added to the deviation of cosines: a few sentences may all be alike."""


def describe(question: Question, quotes: Sequence[Quote], sentences: Sequence[Scored], hits: Sequence[Hit]) -> Matrix:
    """A row of NAMES for each quote. `sentences`: those of all hits."""
    import numpy as np

    search = _Search(question, quotes, sentences, hits)
    of_search = search.row()
    return np.array([[*search.of(quote), *of_search] for quote in quotes], np.float32)


def codes_missing(codes: frozenset[str], quotes: Iterable[Quote]) -> frozenset[str]:
    """The question's codes that are in none of the excerpts, nor in their headings."""
    return codes - codes_in(" ".join(quote.placed for quote in quotes)) if codes else codes


class _Search:
    """The features of a question's search results."""

    def __init__(self, question: Question, quotes: Sequence[Quote], sentences: Sequence[Scored], hits: Sequence[Hit]) -> None:
        cosines = [sentence.features.cosine for sentence in sentences]
        self._question = question
        self._quotes = quotes
        self._hits = hits
        self._highest = max(cosines)
        self._mean = sum(cosines) / len(cosines)
        self._deviation = math.sqrt(sum((cosine - self._mean) ** 2 for cosine in cosines) / len(cosines)) + SOFT
        self._scores = [hit.scores for hit in hits]
        if question.by_vectors and not any("cosine" in scores for scores in self._scores):  # their vectors were made after the search
            near = {sentence.hit.chunk.chunk_id: sentence.features.passage_cosine for sentence in sentences}
            self._scores = [{**hit.scores, "cosine": near.get(hit.chunk.chunk_id, 0.0)} for hit in hits]
        self._dense = self._of("cosine")
        self._lexical = self._of("bm25")
        self._most = question.most or 1.0
        self._numbers = values_in(question.text, question.lang)
        self._codes = codes_in(question.text)

    def row(self) -> list[float]:
        """The values of OF_SEARCH."""
        question = self._question
        both = [{"bm25", "cosine"} <= scores.keys() for scores in self._scores]
        first = self._first("bm25") == self._first("cosine")
        scores = [quote.best.score for quote in self._quotes]
        return [
            self._highest,
            self._dense[0],
            self._dense[0] - self._dense[-1],
            1 - self._lexical[-1] / (self._lexical[0] or 1.0) if len(self._lexical) > 1 else 1.0,
            self._lexical[0] / max(1, len(question.terms)) / self._most,
            sum(both) / len(both),
            float(first),
            math.log(sum(math.exp(SHARPNESS * (score - max(scores))) for score in scores)),
            math.log1p(len(question.terms)),
            question.unknown,
        ]

    def _of(self, source: str) -> list[float]:
        """The scores of a list, best first."""
        return sorted((scores[source] for scores in self._scores if source in scores), reverse=True) or [0.0]

    def _first(self, source: str) -> int:
        return max(range(len(self._scores)), key=lambda at: self._scores[at].get(source, 0.0))

    def of(self, quote: Quote) -> list[float]:
        """The values of OF_EXCERPT."""
        question, best, hit = self._question, quote.best, quote.hit
        features = best.features
        shown = [quote.sentences[number] for number in quote.excerpt.every]
        covered_terms = frozenset[str]().union(*(sentence.held for sentence in shown))
        covered = question.cov(covered_terms)
        lacked = [question.weights[term] for term in question.terms - covered_terms]
        known_weights = [weight for weight in lacked if weight < self._most]
        missing = question.words_without(covered_terms)
        excerpt = sum(sentence.features.cosine for sentence in shown) / len(shown)
        elsewhere = [other.best.score for other in self._quotes if other.hit is not hit]
        within = [other.best.score for other in self._quotes if other.hit is hit and other is not quote]
        highest = sorted([*elsewhere, *within], reverse=True)[:5] or [best.score - 1]
        kind = quote.excerpt.kind
        return [
            features.cosine,
            (features.cosine - self._mean) / self._deviation,
            (excerpt - self._mean) / self._deviation,
            features.passage_cosine,
            features.passage_cosine - self._dense[0],
            features.total,
            features.near,
            features.passage,
            features.heading,
            covered,
            question.strict(covered),
            max(lacked, default=0.0) / self._most,
            max(known_weights, default=0.0) / self._most,
            float(len(self._numbers - values_in(quote.placed, hit.chunk.lang)) if self._numbers else 0),
            float(len(codes_missing(self._codes, [quote]))),
            float(sum(question.is_name(word) for word in missing)),
            best.score - max(elsewhere, default=best.score - 1),
            best.score - max(within, default=best.score - 1),
            best.score - sum(highest) / len(highest),
            hit.scores.get(HYBRID, hit.score),
            math.log1p(self._hits.index(hit)),
            hit.scores.get("bm25", 0.0) / (self._lexical[0] or 1.0),
            float(kind == "list"),
            float(kind == "table"),
            math.log1p(len(quote.words)),
            math.log1p(len(best.text.split())),
        ]
