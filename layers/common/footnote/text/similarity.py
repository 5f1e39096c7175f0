"""Similarity of two short texts by character bigrams, for languages that the embedder does not support."""

from __future__ import annotations

from math import sqrt

from footnote.text.tokens import CJK, WORD, normalise


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
