"""Similarity of two vectors; of two texts without an embedder: by character bigrams for short ones, by shingles for passages."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt

from footnote.text.tokens import CJK, WORD, normalise
from footnote.types import Vector

SHINGLE = 3
"""Terms in a row."""
REPEATED = 0.9
"""The least overlap of two passages of which one repeats the other."""
NEARNESS, APART = 14.39, -10.46
"""Log-odds that two questions with the same particulars (`text.particulars`) ask the same: for a cosine of 1, and without it; fitted by
`bench.same_questions`."""


def vector_cosine(one: Vector, other: Vector) -> float:
    """Of vectors of any length, −1 to 1; 0 for a zero vector."""
    import numpy as np

    return float(one @ other) / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-9)


def same_chance(cosine: float) -> float:
    """How likely two questions with the same numbers, names and negations ask the same, 0 to 1, by the cosine of their vectors."""
    return 1 / (1 + exp(-NEARNESS * cosine - APART))


def bigrams(text: str) -> frozenset[str]:
    """Character bigrams of each word. Latin words get word boundary markers: `_is_` → _i, is, s_."""
    pairs: set[str] = set()
    for word in WORD.findall(normalise(text)):
        marked = word if CJK.search(word) else f"_{word}_"
        pairs.update(marked[i : i + 2] for i in range(max(1, len(marked) - 1)))
    return frozenset(pairs)


def bigram_cosine(one: frozenset[str], other: frozenset[str]) -> float:
    """|A ∩ B| / √(|A| |B|), 0 to 1."""
    return len(one & other) / sqrt(len(one) * len(other)) if one and other else 0.0


def shingles(terms: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """All runs of SHINGLE terms; of fewer terms, all of them."""
    return frozenset(tuple(terms[at : at + SHINGLE]) for at in range(max(1, len(terms) - SHINGLE + 1)))


def overlap(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """The share of two sets of shingles that they have in common, 0 to 1."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
