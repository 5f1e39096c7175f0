"""How well a text supports a claim: the share of the claim's terms that it contains."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from functools import lru_cache

from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms

UNSEEN = ""
"""A term that occurs nowhere: it has the highest weight in a collection."""


def whole_weight(terms: Collection[str], weights: Mapping[str, float]) -> float:
    """Σ weight of the distinct `terms`, at least 1.5 times that of an unknown term: a claim of one common word would otherwise count as
    fully covered."""
    return max(sum(weights.get(term, 1.0) for term in set(terms)), 1.5 * weights.get(UNSEEN, 0.0))


def covered_share(terms: Collection[str], covered: Set[str], weights: Mapping[str, float] | None = None) -> float:
    """Σ weight of the distinct `terms` that are `covered` / Σ weight of all; 0 without terms. Without `weights` all weigh 1."""
    distinct = set(terms)
    if weights is None:
        return len(distinct & covered) / len(distinct) if distinct else 0.0
    total = sum(weights.get(term, 1.0) for term in distinct)
    return sum(weights.get(term, 1.0) for term in distinct & covered) / total if total else 0.0


def best_support(claim: str, text: str, lang: str, question: str = "") -> tuple[float, tuple[int, int]]:
    """(share of the claim's terms, bounds) of the sentence, or pair of adjacent sentences, that supports the claim best. If none has a
    term of the claim, as none has of “Yes.”, it is the sentence with most terms of the `question`."""
    terms = frozenset(content_terms(claim, lang))
    bounds, sentence_terms = _sentences(text, lang)
    if not bounds:
        return 0.0, (0, len(text))
    # The penalty prefers one sentence where the second adds little.
    windows = [(covered_share(terms, own), bound) for own, bound in zip(sentence_terms, bounds, strict=True)]
    windows += [
        (covered_share(terms, sentence_terms[i] | sentence_terms[i + 1]) - 0.03, (bounds[i][0], bounds[i + 1][1]))
        for i in range(len(bounds) - 1)
    ]
    best = max(windows, key=lambda window: (window[0], -window[1][0]))
    return (0.0, best_support(question, text, lang)[1]) if question and best[0] == 0.0 else best


@lru_cache(maxsize=128)
def _sentences(text: str, lang: str) -> tuple[tuple[tuple[int, int], ...], tuple[frozenset[str], ...]]:
    """(bounds, terms) of the sentences: an answer cites a passage several times."""
    bounds = tuple(split_sentences(text, lang))
    return bounds, tuple(frozenset(content_terms(text[start:end], lang)) for start, end in bounds)


def most_supporting(claim: str, texts: Sequence[str], lang: str) -> int:
    """Index of the text that supports the claim best; the first one of several equal."""
    shares = [best_support(claim, text, lang)[0] for text in texts]
    return max(range(len(texts)), key=lambda i: (shares[i], -i))
