"""Where might answers be? Two lists from the index, one order from `fuse`."""

from __future__ import annotations

from footnote.errors import SearchUnavailable
from footnote.ports import Embedder, Index
from footnote.retrieve.fuse import dense_weight
from footnote.settings import Rag
from footnote.types import Search, Turn


def wants_vector(turn: Turn) -> bool:
    return turn.retriever != "bm25" and turn.vector is None


async def embed_query(turn: Turn, *, embedder: Embedder | None, rag: Rag) -> Turn:
    """The question's vector, where it would count for something."""
    if embedder is None:
        return turn
    if turn.retriever != "knn" and rag.fusion != "convex" and dense_weight(embedder.languages, turn.lang) == 0:
        return turn
    return turn.with_(vector=(await embedder.embed([turn.question], query=True))[0], embedder=embedder.name)


async def search(turn: Turn, *, index: Index, rag: Rag) -> Turn:
    """`turn.candidates`: at most `rag.candidates` entries in each list."""
    if turn.retriever == "knn" and turn.vector is None:
        raise SearchUnavailable("Search by meaning needs an embedder. Run `make setup`, or set EMBEDDING__BASE_URL; or search by words.")
    asked = Search(
        collection=turn.collection,
        text="" if turn.retriever == "knn" else turn.question,
        lang=turn.lang,
        vector=turn.vector,
        embedder=turn.embedder,
        limit=rag.candidates,
        levels=turn.levels,
        filters=turn.filters,
    )
    return turn.with_(candidates=await index.candidates(turn.caller, asked))
