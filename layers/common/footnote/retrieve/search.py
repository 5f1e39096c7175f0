"""Searches the index: a lexical and a dense list for each query."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from footnote.errors import SearchTimeout, SearchUnavailable
from footnote.ports import Embedder, Index, embedded_languages
from footnote.retrieve.derived import is_derived
from footnote.retrieve.fuse import vectors_count
from footnote.settings import Rag
from footnote.types import Candidates, Query, RankedList, Search, Turn, lists_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def wants_vector(turn: Turn) -> bool:
    """The retriever uses vectors, and queries have none yet."""
    return turn.request.retriever != "bm25" and any(map(_lacks_vector, turn.queries))


def wants_derived_vector(turn: Turn) -> bool:
    """The retriever uses vectors, and queries that were derived from the question have none yet."""
    return wants_vector(turn) and any(_lacks_vector(query) and is_derived(query) for query in turn.queries)


def _lacks_vector(query: Query) -> bool:
    return query.vector is None and query.kind != "feedback"


async def embed_query(turn: Turn, *, embedder: Embedder | None, rag: Rag) -> Turn:
    """Embeds the queries that have no vector yet, if the dense list would have weight. A hypothetical text is embedded as a passage."""
    if embedder is None or (turn.request.retriever != "knn" and not vectors_count(embedder, turn.lang, rag)):
        return turn
    made: dict[str, npt.NDArray[np.float32]] = {}
    for as_query in (True, False):
        texts = [query.text for query in turn.queries if _lacks_vector(query) and (query.kind != "hypothetical") is as_query]
        if texts:
            made |= dict(zip(texts, await embedder.embed(texts, query=as_query), strict=True))
    queries = (replace(query, vector=made[query.text], embedder=embedder.name) if _lacks_vector(query) else query for query in turn.queries)
    return replace(turn, queries=tuple(queries))


async def search(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> Turn:
    """Adds the lists of each query that has none yet to `turn.evidence.lists`, each with at most `rag.candidates` entries.

    One call serves both lists. If it fails, each list is requested alone; if only one of them fails, it is left out and the turn is
    marked as degraded. SearchUnavailable if `knn` is requested and there is no embedder."""
    if turn.request.retriever == "knn" and not turn.vectors:
        raise SearchUnavailable("The retriever knn needs an embedder. Run `make setup`, set EMBEDDING__BASE_URL, or use bm25.")
    searched = {found.query for found in turn.evidence.lists}
    wanted = [query for query in turn.queries if query.text not in searched and (query.kind != "hypothetical" or query.vector is not None)]
    once = {query.text: query for query in reversed(wanted)}  # branches may have derived the same text; the first kind counts
    made = await asyncio.gather(*(_search_one(turn, query, index, embedder, rag) for query in reversed(once.values())))
    lists = chain.from_iterable(found for found, _ in made)
    turn = replace(turn, evidence=replace(turn.evidence, lists=(*turn.evidence.lists, *lists)))
    return replace(turn, record=replace(turn.record, degraded=True)) if any(missing for _, missing in made) else turn


async def _search_one(turn: Turn, query: Query, index: Index, embedder: Embedder | None, rag: Rag) -> tuple[Sequence[RankedList], bool]:
    """The lists of one query, and whether one of them is missing."""
    request = turn.request
    asked = Search(
        collection=request.collection,
        text="" if request.retriever == "knn" or query.kind == "hypothetical" else query.text,
        lang=query.lang,
        vector=query.vector,
        embedder=query.embedder,
        languages=embedded_languages(embedder) if embedder else None,
        limit=rag.candidates,
        levels=request.levels,
        filters=request.filters,
        conditions=request.conditions,
    )
    try:
        return lists_of(query.text, await index.candidates(turn.caller, asked)), False
    except SearchTimeout:  # no time left for another call
        raise
    except SearchUnavailable:
        if not asked.text or asked.vector is None:
            raise
    words, near = await asyncio.gather(
        index.candidates(turn.caller, replace(asked, vector=None)),
        index.candidates(turn.caller, replace(asked, text="")),
        return_exceptions=True,
    )
    failed = [each for each in (words, near) if isinstance(each, BaseException)]
    if len(failed) == 2 or any(not isinstance(each, SearchUnavailable) for each in failed):
        raise failed[-1]
    lexical, dense = (each if isinstance(each, Candidates) else Candidates() for each in (words, near))
    return (lists_of(query.text, lexical)[0], lists_of(query.text, dense)[1]), bool(failed)


def has_hits(turn: Turn) -> bool:
    """Something has been found."""
    return bool(turn.evidence.hits)


def has_no_hits(turn: Turn) -> bool:
    """Nothing has been found in other systems."""
    return not turn.evidence.hits
