"""The search cache: chunk ids and scores. The texts are read again through the index's permission check."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from footnote.memory.scope import digest, search_scope
from footnote.memory.similar import cache_key, keep, look_up, search_queries
from footnote.ports import Cache, Clock, Embedder, Index
from footnote.settings import Settings
from footnote.types import Candidate, RankedList, Turn
from footnote.types.copies import replace


def may_use_search_cache(turn: Turn) -> bool:
    """External systems found nothing, and the turn is not a test."""
    return not turn.evidence.is_complete and not turn.request.is_test


async def recall_searches(
    turn: Turn, *, index: Index, optional_cache: Cache, embedder: Embedder | None, settings: Settings, clock: Clock
) -> Turn:
    """Sets `turn.evidence.lists` for the queries whose results are cached and notes the cache keys of the others."""
    caching = settings.cache
    view = await index.view(turn.caller, turn.request.collection)
    scope = digest(search_scope(turn, view, settings))
    queries = search_queries(turn, embedder)
    keys = [cache_key(scope, query, caching) for query in queries]
    hits = await asyncio.gather(*(look_up(optional_cache, key, query, caching, clock()) for key, query in zip(keys, queries, strict=True)))
    note: dict[str, Any] = {"hits": sum(hit is not None for hit in hits)}
    if note["hits"]:
        note |= {
            "age_s": round(max(hit.age_s for hit in hits if hit), 1),
            "similarity": round(min(hit.similarity for hit in hits if hit), 3),
        }
    lists = tuple(found for query, hit in zip(turn.answered, hits, strict=True) if hit for found in _lists(query.text, hit.value))
    free = tuple(key if hit is None else None for key, hit in zip(keys, hits, strict=True))
    trace = replace(turn.trace, search_cache_keys=free)
    return replace(turn, evidence=replace(turn.evidence, lists=lists), trace=trace).with_notes(search_cache=note)


async def keep_searches(turn: Turn, *, optional_cache: Cache, embedder: Embedder | None, clock: Clock) -> Turn:
    """Caches the results of the queries that were searched just now, unless the turn is degraded."""
    if not turn.trace.search_cache_keys or turn.trace.degraded:
        return turn
    queries = search_queries(turn, embedder)
    await asyncio.gather(
        *(
            keep(optional_cache, key, query, _value(found), turn.profile.search_cache_s, clock())
            for key, query in zip(turn.trace.search_cache_keys, queries, strict=True)
            if key is not None and (found := turn.evidence.lists_for(query.queries[0]))
        )
    )
    return turn


def _value(lists: Sequence[RankedList]) -> list[dict[str, Any]]:
    return [{"source": found.source, "items": found.items, "coverage": found.coverage, "absent": sorted(found.absent)} for found in lists]


def _lists(query: str, value: list[dict[str, Any]]) -> Iterator[RankedList]:
    """The cached lists, under the text of this query: it may have been worded differently when they were cached."""
    for found in value:
        items = tuple(Candidate(*entry) for entry in found["items"])
        yield RankedList(found["source"], query, items, found["coverage"], frozenset(found["absent"]))
