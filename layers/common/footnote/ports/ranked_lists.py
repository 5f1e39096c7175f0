"""Further ways to find passages, beside words and vectors: late interaction, a summary tree, a graph."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from footnote.types import Candidate, Fact, Query

Readable = Callable[[Collection[str]], Awaitable[frozenset[str]]]
"""Chunk ids → those of them that exist, that the caller may read now and that the request does not filter out."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where is searched, and for whom."""

    collection: str
    readable: Readable
    limit: int = 100
    """Entries of the list."""


@dataclass(frozen=True, slots=True)
class Found:
    """A list of passages, best first."""

    items: tuple[Candidate, ...] = ()
    facts: tuple[Fact, ...] = ()
    """What connects them, if the source knows."""


class RankedLists(Protocol):
    """Finds passages of a collection; it need not know who may read them.

    Nothing that `scope.readable` refuses may influence the result: neither the order of the others nor their number, nor which
    connections are followed. A summary counts only where every passage under it is readable."""

    async def search(self, query: Query, scope: Scope) -> Found:
        """At most `scope.limit` readable passages, best first, ties by chunk id; nothing for an unknown collection. Unavailable,
        or another FootnoteError, if it cannot be searched."""
