"""How many messages that were not fitted are told, by their words and by their vectors, too."""

from __future__ import annotations

from collections import Counter
from functools import cache

from bench.message_kinds import measure
from bench.message_rows import rows_to_measure
from footnote.adapters.e5.embedder import E5


@cache
def told(*, by_vectors: bool) -> dict[tuple[str, str], Counter[str]]:
    """(set, kind) → what its messages are told to be after others came; those in English, German and Korean."""
    rows = [row for row in rows_to_measure() if row.lang in ("en", "de", "ko")]
    model = E5()
    vectors = list(model.across_languages(model.encode([row.text for row in rows], query=True))) if by_vectors else [None] * len(rows)
    counts: dict[tuple[str, str], Counter[str]] = {}
    for (source, _, kind, goes_on), count in measure(rows, vectors).items():
        if goes_on:
            counts.setdefault((source, kind), Counter()).update(count)
    return counts
