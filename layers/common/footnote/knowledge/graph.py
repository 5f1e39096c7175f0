"""Finds passages by the entities that connect them with the first results: the second step of a question that needs two.

    first results → the entities that they name, but the question does not, and that they are not about → the passages about these

score = score of the result · weight of the entity. An entity weighs 1 if one passage names it, less the more do, and nothing if more
than MOST do. Passages that only mention it are not found by it: they are many, and cost questions that need one passage up to 0.016
nDCG@10.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from footnote.knowledge.entities import ABOUT, PassageGraph, unpack
from footnote.ports import Found, KnowledgeReads, LayerScope, Scope
from footnote.types import Candidate, Query

MOST = 60
"""Passages that name an entity that is followed."""
FIRST = 3
"""Results whose entities are followed."""


class Graph:
    """`ports.RankedLists` over the graph that a collection has built. The index gives nothing of what the caller may not read; what the
    request filters out is not found, and its entities are not followed."""

    def __init__(self, knowledge: KnowledgeReads) -> None:
        self._knowledge = knowledge

    async def search(self, query: Query, scope: Scope) -> Found:
        """The passages about what the first results name."""
        layer = LayerScope(scope.collection, "graph", scope.recipe)
        first = {entry.chunk_id: entry.score for entry in scope.seeds[:FIRST]}
        readable = await scope.readable(first.keys())
        built = await self._knowledge.built(scope.caller, layer, [chunk_id for chunk_id in first if chunk_id in readable])
        led = _led({chunk_id: unpack(data) for chunk_id, data in built.items()}, first, query.text.casefold())
        forms = [form for key in led for form in (key, ABOUT + key)]
        named = await self._knowledge.keyed(scope.caller, layer, forms, MOST + 1) if forms else {}
        scores: dict[str, float] = {}
        for key in led:
            about = named.get(ABOUT + key, ())
            weight = max(0.0, 1 - math.log(max(1, len({*about, *named.get(key, ())}))) / math.log(MOST + 1))
            for chunk_id in about:
                from_others = [score for source, score in led[key].items() if source != chunk_id]
                if weight and from_others:
                    scores[chunk_id] = max(scores.get(chunk_id, 0.0), weight * max(from_others))
        order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
        return Found(tuple([Candidate(chunk_id, scores[chunk_id]) for chunk_id in await _first(order, scope)]))


async def _first(order: Sequence[str], scope: Scope) -> list[str]:
    """As many as the list may have of those that the request lets through."""
    found: list[str] = []
    for at in range(0, len(order), scope.limit):
        if len(found) >= scope.limit:
            break
        some = order[at : at + scope.limit]
        readable = await scope.readable(some)
        found += (chunk_id for chunk_id in some if chunk_id in readable)
    return found[: scope.limit]


def _led(graphs: Mapping[str, PassageGraph], scores: Mapping[str, float], question: str) -> dict[str, dict[str, float]]:
    """Key of an entity → the passages that name it and are about something else → their scores."""
    led: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for chunk_id, graph in graphs.items():
        for entity in graph.entities:
            if entity.key not in question and entity.key not in graph.about:
                led[entity.key][chunk_id] = scores[chunk_id]
    return dict(led)
