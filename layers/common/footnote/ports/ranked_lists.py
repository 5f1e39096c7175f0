"""Further ways to find passages, beside words and vectors: late interaction, a summary tree, a graph."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from footnote.types import Caller, Candidate, Query

Readable = Callable[[Collection[str]], Awaitable[frozenset[str]]]
"""Chunk ids → those of them that exist, that the caller may read now and that the request does not filter out."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where is searched, and for whom. `recipe`: of the layer that is searched (`ports.LayerScope`). `seeds`: the results by words and
    vectors, best first, scores 0..1."""

    collection: str
    caller: Caller
    readable: Readable
    recipe: str = ""
    seeds: tuple[Candidate, ...] = ()
    limit: int = 100
    """Entries of the list."""


@dataclass(frozen=True, slots=True)
class Found:
    """A list of passages, best first."""

    items: tuple[Candidate, ...] = ()


class RankedLists(Protocol):
    """Finds passages of a collection.

    Nothing that `scope.caller` may not read may influence the result: neither the order of the others nor their number, nor which
    connections are followed. A summary counts only where every passage under it is readable."""

    async def search(self, query: Query, scope: Scope) -> Found:
        """At most `scope.limit` passages that `scope.readable` lets through, best first, ties by chunk id; nothing for an unknown
        collection. Unavailable, or another FootnoteError, if it cannot be searched."""
