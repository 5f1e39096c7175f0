"""What the queries find: lists of candidates, one order of them, and the chunks that may be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from footnote.types.documents import Chunk
from footnote.types.retrieval import Candidate, Candidates


@dataclass(frozen=True, slots=True)
class RankedList:
    """What one source finds for one query, best first. Scores are the source's own (higher = better)."""

    source: str
    """`bm25`, `cosine` or another: the name under which a hit carries the score."""
    query: str
    """The text of the query that it was made for."""
    items: tuple[Candidate, ...] = ()
    coverage: float = 1.0
    """Share of the chunks that were searched and could be in this list, 0..1: vectors are made after a document is READY."""
    absent: frozenset[str] = frozenset()
    """Chunks of the query's other lists that this one could not have held."""


def lists_of(query: str, found: Candidates) -> tuple[RankedList, RankedList]:
    """An index's answer to one query."""
    return RankedList("bm25", query, found.lexical), RankedList("cosine", query, found.dense, found.coverage, found.bare)


class Ranked(NamedTuple):
    """A fused entry, `score` 0..1, and the text of the query that it scored best for. A tuple: a search makes hundreds of them."""

    chunk_id: str
    score: float
    query: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that the index's gate has let this caller read, with its place in the result. `score` is 0..1 after min-max fusion."""

    chunk: Chunk
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    """By name, `bm25`, `cosine`: those of the lists that it came from, and of whatever ranked it since."""


@dataclass(frozen=True, slots=True)
class Evidence:
    lists: tuple[RankedList, ...] = ()
    ranked: tuple[Ranked, ...] = ()
    """Everything that was found, fused, best first; nothing of it has passed the gate."""
    pool: tuple[Hit, ...] = ()
    """The first of these, read through the gate: what rerankers see."""
    hits: tuple[Hit, ...] = ()
    """What the answer is made from and cites."""

    def lists_for(self, query: str) -> tuple[RankedList, ...]:
        """() = it has not been searched for."""
        return tuple(found for found in self.lists if found.query == query)

    @property
    def vectors_pending(self) -> bool:
        """Whether some of the passages that were searched have no vector yet: a search by meaning does not reach them."""
        return any(found.coverage < 1 for found in self.lists)
