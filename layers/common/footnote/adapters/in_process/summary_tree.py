"""A tree of summaries (RAPTOR): a summary that is found leads to the passages under it.

Summaries of all heights are compared with the query at once: by vectors where both have one, else by the share of the query's terms.
A passage's score is the sum over the BEST summaries above it, so that the nearest of several passages under a general summary is the
one whose own section was found, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnote.ports import Found, Scope
from footnote.text.tokens import content_terms
from footnote.types import Candidate, Query

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BEST = 10
LEAST = 0.3
"""The lowest similarity of a summary that is followed."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of all passages under it, of whatever depth; `chunk_ids` in their order. `vector`: of the query's embedder."""

    text: str
    chunk_ids: tuple[str, ...]
    lang: str = "en"
    vector: npt.NDArray[np.float32] | None = None
    embedder: str = ""


class SummaryTree:
    """`ports.RankedLists` over `summaries`: collection → its summaries."""

    def __init__(self, summaries: Mapping[str, Sequence[Summary]]) -> None:
        self._summaries = {
            name: tuple((each, frozenset(content_terms(each.text, each.lang))) for each in made) for name, made in summaries.items()
        }

    async def search(self, query: Query, scope: Scope) -> Found:
        """Only summaries are followed under which every passage is readable: what they say is made of all of them."""
        terms = frozenset(content_terms(query.text, query.lang))
        near = [
            (similarity, each)
            for each, its in self._summaries.get(scope.collection, ())
            if (similarity := _similarity(query, terms, each, its)) >= LEAST
        ]
        seen = await scope.readable({chunk_id for _, each in near for chunk_id in each.chunk_ids})
        whole = sorted((found for found in near if seen.issuperset(found[1].chunk_ids)), key=lambda found: -found[0])[:BEST]
        scores: dict[str, float] = {}
        for similarity, each in whole:
            for chunk_id in each.chunk_ids:
                scores[chunk_id] = scores.get(chunk_id, 0.0) + similarity
        order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
        return Found(tuple(Candidate(chunk_id, scores[chunk_id]) for chunk_id in order[: scope.limit]))


def _similarity(query: Query, terms: frozenset[str], summary: Summary, its: frozenset[str]) -> float:
    if query.vector is not None and summary.vector is not None and query.embedder == summary.embedder:
        return float(query.vector @ summary.vector)
    return len(terms & its) / len(terms) if terms else 0.0
