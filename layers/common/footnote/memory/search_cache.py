"""What lasts between turns? What a question found: ids and scores, which the index's gate reads anew."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from footnote.memory.scope import digest, search_scope
from footnote.memory.similar import keep, look_up, place_of, searched_in
from footnote.ports import Cache, Clock, Embedder, Index
from footnote.settings import Settings
from footnote.types import Candidate, RankedList, Turn


def may_search_again(turn: Turn) -> bool:
    """Nothing was found elsewhere, and it is no test."""
    return not turn.evidence.hits and not turn.request.is_test


async def recall_searches(
    turn: Turn, *, index: Index, optional_cache: Cache, embedder: Embedder | None, settings: Settings, clock: Clock
) -> Turn:
    """`turn.evidence.lists` of each query that was searched for before; the keys of the others are noted, to be filled."""
    caching = settings.cache
    view = await index.view(turn.caller, turn.request.collection)
    scope = digest(search_scope(turn, view, settings))
    queries = searched_in(turn, embedder)
    keys = [place_of(scope, query, caching) for query in queries]
    hits = await asyncio.gather(*(look_up(optional_cache, key, query, caching, clock()) for key, query in zip(keys, queries, strict=True)))
    told: dict[str, Any] = {"hits": sum(hit is not None for hit in hits)}
    if told["hits"]:
        told |= {
            "age_s": round(max(hit.age_s for hit in hits if hit), 1),
            "similarity": round(min(hit.similarity for hit in hits if hit), 3),
        }
    lists = tuple(found for query, hit in zip(turn.queries, hits, strict=True) if hit for found in _lists(query.text, hit.value))
    free = tuple(key if hit is None else None for key, hit in zip(keys, hits, strict=True))
    record = replace(turn.record, search_cache_keys=free)
    return replace(turn, evidence=replace(turn.evidence, lists=lists), record=record).with_notes(search_cache=told)


async def keep_searches(turn: Turn, *, optional_cache: Cache, embedder: Embedder | None, clock: Clock) -> Turn:
    """What was searched for just now, where the search was whole."""
    if not turn.record.search_cache_keys or turn.record.degraded:
        return turn
    queries = searched_in(turn, embedder)
    await asyncio.gather(
        *(
            keep(optional_cache, key, query, _value(found), turn.profile.search_cache_s, clock())
            for key, query in zip(turn.record.search_cache_keys, queries, strict=True)
            if key is not None and (found := turn.evidence.lists_for(query.queries[0]))
        )
    )
    return turn


def _value(lists: Sequence[RankedList]) -> list[dict[str, Any]]:
    return [{"source": found.source, "items": found.items, "coverage": found.coverage, "absent": sorted(found.absent)} for found in lists]


def _lists(query: str, value: list[dict[str, Any]]) -> Iterator[RankedList]:
    """Whoever asked it in other words reads them as their own query's."""
    for found in value:
        items = tuple(Candidate(*entry) for entry in found["items"])
        yield RankedList(found["source"], query, items, found["coverage"], frozenset(found["absent"]))
