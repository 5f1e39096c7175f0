"""Scores voices that are in no index: by the words that they share with a query, and by their vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

from footnote.text.tokens import content_terms
from footnote.types import Candidate, Vector
from footnote.voices.voice import Voice


def score_by_words(query: str, lang: str, voices: Sequence[Voice]) -> tuple[list[Candidate], float]:
    """(the voices with a word of the query, best first, their scores; the score of all words of the query). A score is the sum of the
    weights of the words that both have; rare ones weigh more, as in BM25."""
    query_terms = frozenset(content_terms(query, lang))
    terms = [query_terms & frozenset(content_terms(voice.text, voice.lang)) for voice in voices]
    spread = Counter(term for voice_terms in terms for term in voice_terms)
    weights = {term: log(1 + len(voices) / (1 + spread[term])) for term in query_terms}
    scored = [
        Candidate(voice.voice_id, sum(map(weights.__getitem__, sorted(shared))))
        for voice, shared in zip(voices, terms, strict=True)
        if shared
    ]
    return _best_first(scored), sum(weights.values())


def score_by_vectors(query: Vector, voices: Sequence[Voice], vectors: Mapping[str, Vector]) -> list[Candidate]:
    """The voices that have a vector, by their cosine with the query's, best first. `vectors`: text → vector."""
    import numpy as np

    embedded = [voice for voice in voices if voice.text in vectors]
    if not embedded:
        return []
    cosines = np.stack([vectors[voice.text] for voice in embedded]) @ query
    return _best_first([Candidate(voice.voice_id, float(cosine)) for voice, cosine in zip(embedded, cosines, strict=True)])


def _best_first(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.chunk_id))
