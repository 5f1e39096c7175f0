"""Scores voices that are in no index: by the words that they share with a query, and by their vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

from footnote.text.tokens import content_terms
from footnote.types import Candidate
from footnote.voices.voice import Voice

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def score_by_words(query: str, lang: str, voices: Sequence[Voice]) -> tuple[list[Candidate], float]:
    """(the voices with a word of the query, best first, their scores; the score of all words of the query). A score is the sum of the
    weights of the words that both have; rare ones weigh more, as in BM25."""
    asked = frozenset(content_terms(query, lang))
    terms = [asked & frozenset(content_terms(voice.text, voice.lang)) for voice in voices]
    spread = Counter(term for each in terms for term in each)
    weights = {term: log(1 + len(voices) / (1 + spread[term])) for term in asked}
    found = [
        Candidate(voice.voice_id, sum(map(weights.__getitem__, sorted(shared))))
        for voice, shared in zip(voices, terms, strict=True)
        if shared
    ]
    return _best_first(found), sum(weights.values())


def score_by_vectors(
    query: npt.NDArray[np.float32], voices: Sequence[Voice], vectors: Mapping[str, npt.NDArray[np.float32]]
) -> list[Candidate]:
    """The voices that have a vector, by their cosine with the query's, best first. `vectors`: text → vector."""
    import numpy as np

    known = [voice for voice in voices if voice.text in vectors]
    if not known:
        return []
    cosines = np.stack([vectors[voice.text] for voice in known]) @ query
    return _best_first([Candidate(voice.voice_id, float(cosine)) for voice, cosine in zip(known, cosines, strict=True)])


def _best_first(found: list[Candidate]) -> list[Candidate]:
    return sorted(found, key=lambda each: (-each.score, each.chunk_id))
