"""Finds passages by the summaries above them."""

from __future__ import annotations

from footnote.knowledge.tree import BEST, Summary, search_tree, unpack
from footnote.ports import Found, Index, KnowledgeReads, LayerScope, Scope
from footnote.types import Candidate, Query

AT_ONCE = 40
"""Summaries of which it is asked at once whether the caller may read all below them."""
MOST_KEPT = 8
"""Collections whose summaries are kept in memory, each for callers of the same groups."""
FEWEST = BEST + 1
"""Summaries of a tree that is searched: all of fewer are followed, which prefers nothing."""
Key = tuple[str, int, str, frozenset[str] | None]


class SummaryTree:
    """`ports.RankedLists` over the summary tree that a collection has built. A summary is followed only where the caller may read every
    passage below it: what it says is made of all of them."""

    def __init__(self, knowledge: KnowledgeReads, index: Index) -> None:
        self._knowledge, self._index = knowledge, index
        self._kept: dict[Key, list[Summary]] = {}

    async def search(self, query: Query, scope: Scope) -> Found:
        """The passages below the nearest summaries; none without a vector, or where so few summaries lead to most passages."""
        vector, summaries = query.vector, await self._summaries(scope) if query.vector is not None else []
        if vector is None or len(summaries) < FEWEST:
            return Found()
        near = sorted(summaries, key=lambda each: -float(vector @ each.vector))
        followed: list[Summary] = []
        while near and len(followed) < BEST:  # unreadable ones take no place of others
            some, near = near[:AT_ONCE], near[AT_ONCE:]
            seen = await scope.readable({chunk_id for each in some for chunk_id in each.chunk_ids})
            followed += (each for each in some if seen.issuperset(each.chunk_ids))
        scores = search_tree(vector, followed)
        order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))[: scope.limit]
        return Found(tuple(Candidate(chunk_id, scores[chunk_id]) for chunk_id in order))

    async def _summaries(self, scope: Scope) -> list[Summary]:
        """All of the collection whose own passages the caller may read. Kept until the collection changes."""
        caller = scope.caller
        view = await self._index.view(caller, scope.collection)
        key = view.stored or scope.collection, view.version, scope.recipe, None if caller.sees_all else caller.groups
        if key not in self._kept:
            layers = [LayerScope(scope.collection, layer, scope.recipe) for layer in ("tree", "themes")]
            read = [data for layer in layers for data in (await self._knowledge.built_in(caller, layer)).values()]
            if len(self._kept) >= MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = [each for data in read for each in unpack(data)]
        return self._kept[key]
