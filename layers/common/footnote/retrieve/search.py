"""Where might answers be? Two lists from the index for each query, one order from `fuse`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from footnote.errors import SearchUnavailable
from footnote.ports import Embedder, Index, embedded_languages
from footnote.retrieve.fuse import vectors_count
from footnote.settings import Rag
from footnote.types import Query, RankedList, Search, Turn, lists_of


def wants_vector(turn: Turn) -> bool:
    """The retriever compares meanings, and there is no vector yet."""
    return turn.request.retriever != "bm25" and not turn.vectors


async def embed_query(turn: Turn, *, embedder: Embedder | None, rag: Rag) -> Turn:
    """The queries' vectors, where they would count for something."""
    if embedder is None or (turn.request.retriever != "knn" and not vectors_count(embedder, turn.lang, rag)):
        return turn
    return turn.with_vectors(await embedder.embed(turn.searched_for, query=True), embedder.name)


async def search(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> Turn:
    """`turn.evidence.lists` of each query that has none yet: at most `rag.candidates` entries in each."""
    if turn.request.retriever == "knn" and not turn.vectors:
        raise SearchUnavailable("Search by meaning needs an embedder. Run `make setup`, or set EMBEDDING__BASE_URL; or search by words.")
    searched = {found.query for found in turn.evidence.lists}
    made = await asyncio.gather(*(_search_one(turn, query, index, embedder, rag) for query in turn.queries if query.text not in searched))
    return replace(turn, evidence=replace(turn.evidence, lists=(*turn.evidence.lists, *chain.from_iterable(made))))


async def _search_one(turn: Turn, query: Query, index: Index, embedder: Embedder | None, rag: Rag) -> Sequence[RankedList]:
    request = turn.request
    asked = Search(
        collection=request.collection,
        text="" if request.retriever == "knn" else query.text,
        lang=query.lang,
        vector=query.vector,
        embedder=query.embedder,
        languages=embedded_languages(embedder) if embedder else None,
        limit=rag.candidates,
        levels=request.levels,
        filters=request.filters,
        conditions=request.conditions,
    )
    return lists_of(query.text, await index.candidates(turn.caller, asked))


def has_hits(turn: Turn) -> bool:
    """Something was found."""
    return bool(turn.evidence.hits)


def has_no_hits(turn: Turn) -> bool:
    """No other system has found anything."""
    return not turn.evidence.hits
