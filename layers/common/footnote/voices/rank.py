"""Ranks voices that are in no index, by the words that they share with a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from footnote.text.language import detect_language
from footnote.text.tokens import content_terms
from footnote.voices.voice import Voice


def rank_by_words(query: str, voices: Sequence[Voice]) -> list[tuple[Voice, float | None]]:
    """The voices with a word of the query, with the share of its words that they have, 0 to 1, rare ones weighing more."""
    asked = frozenset(content_terms(query, detect_language(query)))
    terms = [asked & frozenset(content_terms(voice.text, voice.lang)) for voice in voices]
    spread = Counter(term for each in terms for term in each)
    weights = {term: log(1 + len(voices) / (1 + spread[term])) for term in asked}
    total = sum(weights.values())
    scored: list[tuple[Voice, float | None]] = [
        (voice, round(sum(weights[term] for term in shared) / total, 4)) for voice, shared in zip(voices, terms, strict=True) if shared
    ]
    return sorted(scored, key=lambda row: (-(row[1] or 0.0), row[0].voice_id))
