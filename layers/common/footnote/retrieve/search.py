"""Where might answers be? Two lists from the index for each query, one order from `fuse`."""

from __future__ import annotations

import asyncio

from footnote.errors import SearchUnavailable
from footnote.ports import Embedder, Index, embedded_languages
from footnote.retrieve.fuse import vectors_count
from footnote.settings import Rag
from footnote.types import Candidates, Search, Turn


def wants_vector(turn: Turn) -> bool:
    return turn.retriever != "bm25" and not turn.vectors


async def embed_query(turn: Turn, *, embedder: Embedder | None, rag: Rag) -> Turn:
    """The queries' vectors, where they would count for something."""
    if embedder is None or (turn.retriever != "knn" and not vectors_count(embedder, turn.lang, rag)):
        return turn
    return turn.with_(vectors=tuple(await embedder.embed(turn.searched_for, query=True)), embedder=embedder.name)


async def search(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> Turn:
    """`turn.found` of each query that has none yet: at most `rag.candidates` entries in each list."""
    if turn.retriever == "knn" and not turn.vectors:
        raise SearchUnavailable("Search by meaning needs an embedder. Run `make setup`, or set EMBEDDING__BASE_URL; or search by words.")
    known = turn.found or (None,) * len(turn.searched_for)
    open_ = [place for place, found in enumerate(known) if found is None]
    made = dict(zip(open_, await asyncio.gather(*(_search_one(turn, place, index, embedder, rag) for place in open_)), strict=True))
    return turn.with_(found=tuple(made.get(place, found) for place, found in enumerate(known)))


async def _search_one(turn: Turn, place: int, index: Index, embedder: Embedder | None, rag: Rag) -> Candidates:
    asked = Search(
        collection=turn.collection,
        text="" if turn.retriever == "knn" else turn.searched_for[place],
        lang=turn.lang,
        vector=turn.vectors[place] if turn.vectors else None,
        embedder=turn.embedder,
        languages=embedded_languages(embedder) if embedder else None,
        limit=rag.candidates,
        levels=turn.levels,
        filters=turn.filters,
        conditions=turn.conditions,
    )
    return await index.candidates(turn.caller, asked)


def has_no_hits(turn: Turn) -> bool:
    """False where another system has found some."""
    return not turn.hits
