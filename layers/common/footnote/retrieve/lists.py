"""Searches the further lists of a collection, beside words and vectors: late interaction, a summary tree, a graph.

They only propose passages. Each list is read through the index's permission gate first, so that unreadable passages take no rank.
`fuse_lists` adds the lists to the scores of the question's own results."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

from footnote.errors import FootnoteError
from footnote.knowledge.recipes import recipe_of
from footnote.ports import Embedder, Found, Index, RankedLists, Readable, Scope
from footnote.retrieve.fuse import fuse_queries
from footnote.retrieve.search import candidates_of, note_lists
from footnote.settings import Rag
from footnote.types import ATTACHED, FURTHER, Candidate, Chunk, Query, RankedList, Request, Turn
from footnote.types.conditions import values_of
from footnote.types.copies import replace

LIMIT_S = 3.0
"""Time limit of one list; a late list is left out."""


def wants_lists(turn: Turn) -> bool:
    """Further lists are wanted, both words and vectors were asked for, and nothing has been found in other systems."""
    return any(map(turn.plan.wants, FURTHER)) and turn.plan.retriever in ("cc", "rrf") and not turn.evidence.is_complete


async def search_lists(turn: Turn, *, index: Index, embedder: Embedder | None, ranked_lists: Mapping[str, RankedLists], rag: Rag) -> Turn:
    """Adds a list of each wanted source for each query that is answered to `turn.evidence.lists`. A source that fails or takes longer
    than LIMIT_S is left out and noted (`note_lists`)."""
    sources = {name: source for name in FURTHER if turn.plan.wants(name) and (source := ranked_lists.get(name))}
    made_by = (await index.view(turn.caller, turn.request.collection)).knowledge
    fused, gate = fuse_queries(turn, embedder, rag), gate_of(turn, index)
    searches = [(name, query) for name in sources for query in turn.answered]
    scopes = [
        Scope(
            turn.request.collection,
            turn.caller,
            gate,
            recipe_of(name, made_by.get(name, "rules"), embedder),
            tuple(Candidate(entry.chunk_id, entry.score) for entry in fused.get(query, ())),
            candidates_of(turn, rag),
        )
        for name, query in searches
    ]
    each = zip(searches, scopes, strict=True)
    replies = await asyncio.gather(*(_search_one(sources[name], query, scope) for (name, query), scope in each))
    results = [(name, query, result) for (name, query), (result, _) in zip(searches, replies, strict=True)]
    lists = [RankedList(name, query.text, result.items) for name, query, result in results if result is not None]
    evidence = replace(turn.evidence, lists=(*turn.evidence.lists, *lists))
    missing = {name for name, _, result in results if result is None}
    return note_lists(turn, evidence, missing, ((name, ms) for (name, _), (_, ms) in zip(searches, replies, strict=True)))


async def _search_one(source: RankedLists, query: Query, scope: Scope) -> tuple[Found | None, float]:
    """The source's results that the caller may read (None = it failed or was late), and the time in milliseconds."""
    clock = asyncio.get_running_loop().time
    started = clock()
    try:
        async with asyncio.timeout(LIMIT_S):
            result = await source.search(query, scope)
            seen = await scope.readable([entry.chunk_id for entry in result.items])
    except (FootnoteError, TimeoutError):
        return None, (clock() - started) * 1000
    items = tuple(entry for entry in result.items if entry.chunk_id in seen)
    return Found(items[: scope.limit]), (clock() - started) * 1000


def gate_of(turn: Turn, index: Index) -> Readable:
    """The gate for this turn: the passages of the collection that the caller may read, at the levels and under the conditions of the
    request."""
    request, readability = turn.request, dict[str, bool]()

    async def readable(chunk_ids: Collection[str]) -> frozenset[str]:
        new = sorted(set(chunk_ids) - readability.keys())
        chunks = {chunk.chunk_id: chunk for chunk in await index.read(turn.caller, new)} if new else {}
        collection = (await index.view(turn.caller, request.collection)).name or request.collection if chunks else ""
        for chunk_id in new:
            chunk = chunks.get(chunk_id)
            readability[chunk_id] = (
                chunk is not None
                and chunk.level in turn.plan.levels
                and (chunk.collection == ATTACHED or (chunk.collection == collection and _matches(request, chunk)))
            )
        return frozenset(chunk_id for chunk_id in chunk_ids if readability[chunk_id])

    return readable


def _matches(request: Request, chunk: Chunk) -> bool:
    has_values = all(set(values_of(chunk.metadata, name)) & set(accepted) for name, accepted in request.filters.items())
    return has_values and request.conditions.match(chunk.metadata)
