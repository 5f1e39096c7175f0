"""What lasts between turns? What a question found: ids and scores, which the index's gate reads anew."""

from __future__ import annotations

import asyncio
from typing import Any

from footnote.memory.scope import digest, search_scope
from footnote.memory.similar import Asked, asked_in, keep, look_up, place_of
from footnote.ports import Cache, Clock, Embedder, Index
from footnote.settings import Settings
from footnote.types import Candidate, Candidates, Turn


def may_search_again(turn: Turn) -> bool:
    return turn.profile.search_cache_s > 0 and not turn.hits and not turn.is_test


async def recall_searches(turn: Turn, *, index: Index, cache: Cache, embedder: Embedder | None, settings: Settings, clock: Clock) -> Turn:
    """`turn.found` of each query that was searched for before; the places of the others are noted, to be filled."""
    caching = settings.cache
    if not caching.enabled:
        return turn
    view = await index.view(turn.caller, turn.collection)
    scope = digest(search_scope(turn, view, settings))
    queries = _each(asked_in(turn, embedder))
    places = [place_of(scope, query, caching) for query in queries]
    hits = await asyncio.gather(*(look_up(cache, place, query, caching, clock()) for place, query in zip(places, queries, strict=True)))
    told: dict[str, Any] = {"hits": sum(hit is not None for hit in hits)}
    if told["hits"]:
        told |= {
            "age_s": round(max(hit.age_s for hit in hits if hit), 1),
            "similarity": round(min(hit.similarity for hit in hits if hit), 3),
        }
    free = tuple(place if hit is None else None for place, hit in zip(places, hits, strict=True))
    return turn.with_(found=tuple(hit and _candidates(hit.value) for hit in hits), search_places=free).noting(search_cache=told)


async def keep_searches(turn: Turn, *, cache: Cache, embedder: Embedder | None, clock: Clock) -> Turn:
    """What was searched for just now, where the search was whole."""
    if not turn.search_places or turn.degraded:
        return turn
    queries = _each(asked_in(turn, embedder))
    await asyncio.gather(
        *(
            keep(cache, place, query, _value(found), turn.profile.search_cache_s, clock())
            for place, query, found in zip(turn.search_places, queries, turn.found, strict=True)
            if place is not None and found is not None
        )
    )
    return turn


def _each(asked: Asked) -> list[Asked]:
    """The queries one by one: what one finds has nothing to do with the others."""
    return [Asked((query,), asked.lang, asked.vectors[i : i + 1]) for i, query in enumerate(asked.queries)]


def _value(found: Candidates) -> dict[str, Any]:
    return {"lexical": found.lexical, "dense": found.dense, "coverage": found.coverage, "bare": sorted(found.bare)}


def _candidates(value: dict[str, Any]) -> Candidates:
    lexical, dense = (tuple(Candidate(*entry) for entry in value[name]) for name in ("lexical", "dense"))
    return Candidates(lexical, dense, value["coverage"], frozenset(value["bare"]))
