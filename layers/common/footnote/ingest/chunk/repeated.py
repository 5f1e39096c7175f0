"""Leaves out passages that repeat an earlier one of their document, by the second term of MMR: at ingest no question tells their relevance,
so the first stays, and a later one stays if it is new.

A passage repeats another under the same headings if both have the same numbers, names and negations and nearly the same words. Tables
stay: equal rows count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from footnote.ingest.chunk.passages import Passage
from footnote.ingest.pieces import render
from footnote.text.particulars import particulars
from footnote.text.similarity import REPEATED, overlap, shingles
from footnote.text.tokens import content_terms

LEAST_TERMS = 5
"""A passage with fewer content words always stays."""


def drop_repeated(passages: Sequence[Passage], lang: str) -> list[Passage]:
    """The passages that are new, in their order."""
    kept: list[Passage] = []
    under = Counter(passage.headings for passage in passages)
    alike: dict[tuple[object, ...], list[frozenset[tuple[str, ...]]]] = defaultdict(list)
    for passage in passages:
        if under[passage.headings] > 1 and passage.kind != "table":
            text = render([piece for piece in passage.pieces if piece.kind != "heading"])
            terms = content_terms(text, lang)
            own, others = shingles(terms), alike[passage.headings, particulars(text, lang)]
            if len(terms) >= LEAST_TERMS and any(overlap(own, other) >= REPEATED for other in others):
                continue
            others.append(own)
        kept.append(passage)
    return kept
