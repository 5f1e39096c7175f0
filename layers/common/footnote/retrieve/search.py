"""Searches the index: a lexical and a dense list for each query."""

from __future__ import annotations

import asyncio
from asyncio import CancelledError
from collections.abc import Collection, Coroutine, Iterable, Sequence
from itertools import chain
from typing import Any

from footnote.errors import SearchTimeout, SearchUnavailable
from footnote.ports import Embedder, Index, embedded_languages
from footnote.retrieve.derived import is_derived
from footnote.retrieve.fuse import vectors_count
from footnote.settings import Rag
from footnote.text.embedded_texts import embed_questions
from footnote.types import FURTHER, Candidates, Evidence, Query, Search, Turn, Vector, lists_of
from footnote.types.copies import replace

SOURCES = ("bm25", "cosine", *FURTHER)
LATE_S = 1.0
"""How much longer to wait for derived queries than for those that are answered."""


def candidates_of(turn: Turn, rag: Rag) -> int:
    """Entries to take from each list: as configured, else as the API wants them."""
    return rag.candidates if "candidates" in rag.model_fields_set else turn.profile.candidates or rag.candidates


def wants_vector(turn: Turn) -> bool:
    """The retriever uses vectors, and queries have none yet."""
    return turn.plan.retriever != "bm25" and any(map(_lacks_vector, turn.queries))


def wants_derived_vector(turn: Turn) -> bool:
    """The retriever uses vectors, and queries that were derived from the question have none yet."""
    return wants_vector(turn) and any(_lacks_vector(query) and is_derived(query) for query in turn.queries)


def _lacks_vector(query: Query) -> bool:
    return query.vector is None and query.kind != "feedback"


def _embeds(turn: Turn, embedder: Embedder | None, rag: Rag) -> bool:
    """Whether the dense list would have weight."""
    return embedder is not None and (turn.plan.retriever == "knn" or vectors_count(embedder, turn.lang, rag))


async def embed_query(turn: Turn, *, embedder: Embedder | None, rag: Rag) -> Turn:
    """Embeds the queries that have no vector yet, if the dense list would have weight. A hypothetical text is embedded as a passage."""
    if embedder is None or not _embeds(turn, embedder, rag):
        return turn
    vectors: dict[str, Vector] = {}
    for as_query in (True, False):
        texts = [query.text for query in turn.queries if _lacks_vector(query) and (query.kind != "hypothetical") is as_query]
        if texts:
            embedded = embed_questions(turn, embedder, texts) if as_query else embedder.embed(texts)
            vectors |= dict(zip(texts, await embedded, strict=True))
    queries = (
        replace(query, vector=vectors[query.text], embedder=embedder.name) if _lacks_vector(query) else query for query in turn.queries
    )
    return replace(turn, queries=tuple(queries))


async def search(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> Turn:
    """Adds the lists of each query that has none yet to `turn.evidence.lists`, each with at most `candidates_of` entries.

    One call serves both lists. If it fails, each list is requested alone; if only one of them fails, it is left out. So are derived queries
    that fail or take LATE_S longer than the answered ones, and the dense list of a query that could not be embedded. `note_lists` notes the
    missing lists. SearchUnavailable if `knn` is requested and there is no embedder."""
    if turn.plan.retriever == "knn" and not turn.vectors:
        raise SearchUnavailable("The retriever knn needs an embedder. Run `make setup`, set EMBEDDING__BASE_URL, or use bm25.")
    searched = {ranking.query for ranking in turn.evidence.lists}
    missing_queries = [
        query for query in turn.queries if query.text not in searched and (query.kind != "hypothetical" or query.vector is not None)
    ]
    once = {query.text: query for query in reversed(missing_queries)}  # branches may have derived the same text; the first kind counts
    queries = list(reversed(once.values()))
    results = await _search_all([(query, _search_one(turn, query, index, embedder, rag)) for query in queries])
    lists = chain.from_iterable(lists_of(query.text, candidates) for query, candidates in results if candidates is not None)
    evidence = replace(turn.evidence, lists=(*turn.evidence.lists, *lists))
    missing: set[str] = {query.kind for query, candidates in results if is_derived(query) and (candidates is None or candidates.missing)}
    own = [candidates for query, candidates in results if candidates is not None and not is_derived(query)]
    if wants_vector(turn) and _embeds(turn, embedder, rag) and any(_lacks_vector(query) for query, _ in results if not is_derived(query)):
        missing.add("cosine")  # the embedder was late or failed
    left_out = missing.union(*(candidates.missing for candidates in own))
    return note_lists(turn, evidence, left_out, chain.from_iterable(candidates.ms.items() for candidates in own))


async def _search_all(searches: Sequence[tuple[Query, Coroutine[Any, Any, Candidates]]]) -> list[tuple[Query, Candidates | None]]:
    """Each query with its candidates; None = a derived query that failed or was late."""
    tasks = [(query, asyncio.ensure_future(search)) for query, search in searches]
    derived = [task for query, task in tasks if is_derived(query)]
    own = [task for query, task in tasks if not is_derived(query)]
    try:
        await asyncio.gather(*own)
        if derived:
            await asyncio.wait(derived, timeout=LATE_S if own else None)
    finally:
        for _, task in tasks:
            task.cancel()
        ended = await asyncio.gather(*(task for _, task in tasks), return_exceptions=True)
    unexpected = [
        result for result in ended if isinstance(result, BaseException) and not isinstance(result, SearchUnavailable | CancelledError)
    ]
    if unexpected:
        raise unexpected[0]
    return [(query, None if isinstance(result, BaseException) else result) for (query, _), result in zip(tasks, ended, strict=True)]


def note_lists(turn: Turn, evidence: Evidence, missing: Collection[str], ms: Iterable[tuple[str, float]]) -> Turn:
    """The turn with this evidence, and in it how many milliseconds lists took and which are left out; noted as `latency_map` and
    `lists_missing`. Where one is left out, the turn is degraded."""
    latency = dict(evidence.list_ms)
    for source, took in ms:
        latency[source] = round(max(took, latency.get(source, 0.0)), 2)
    notes: dict[str, Any] = {"latency_map": latency} if latency else {}
    if missing:
        left_out = sorted({*evidence.lists_missing, *missing})
        notes["lists_missing"] = left_out
        evidence = replace(evidence, lists_missing=tuple(left_out))
        turn = replace(turn, trace=replace(turn.trace, degraded=True))
    return replace(turn, evidence=replace(evidence, list_ms=latency) if latency else evidence).with_notes(**notes)


def lacks_lists(turn: Turn) -> bool:
    """There is an answer, and lists of its search were left out."""
    return turn.answer is not None and bool(turn.evidence.lists_missing)


async def warn_of_missing_lists(turn: Turn) -> Turn:
    """Adds a warning for each list that was left out: `missing_bm25`, `missing_cosine`, …; `missing_derived` for derived queries."""
    answer, names = turn.answer, turn.evidence.lists_missing
    if answer is None:
        return turn
    warnings = dict.fromkeys(f"missing_{name if name in SOURCES else 'derived'}" for name in names)
    return replace(turn, answer=replace(answer, warnings=(*answer.warnings, *warnings)))


async def _search_one(turn: Turn, query: Query, index: Index, embedder: Embedder | None, rag: Rag) -> Candidates:
    """The candidates of one query."""
    request = turn.request
    search = Search(
        collection=request.collection,
        text="" if turn.plan.retriever == "knn" or query.kind == "hypothetical" else query.text,
        lang=query.lang,
        spoken=frozenset(turn.languages),
        vector=query.vector,
        embedder=query.embedder,
        languages=embedded_languages(embedder) if embedder else None,
        limit=candidates_of(turn, rag),
        levels=turn.plan.levels,
        filters=request.filters,
        conditions=request.conditions,
    )
    try:
        return await index.candidates(turn.caller, search)
    except SearchTimeout:  # no time left for another call
        raise
    except SearchUnavailable:
        if not search.text or search.vector is None:
            raise
    words, near = await asyncio.gather(
        index.candidates(turn.caller, replace(search, vector=None)),
        index.candidates(turn.caller, replace(search, text="")),
        return_exceptions=True,
    )
    failed = [reply for reply in (words, near) if isinstance(reply, BaseException)]
    if len(failed) == 2 or any(not isinstance(error, SearchUnavailable) for error in failed):
        raise failed[-1]
    lexical, dense = (reply if isinstance(reply, Candidates) else Candidates() for reply in (words, near))
    missing = frozenset(source for source, reply in (("bm25", words), ("cosine", near)) if reply in failed)
    return replace(dense, lexical=lexical.lexical, missing=missing, ms={**lexical.ms, **dense.ms})


def has_hits(turn: Turn) -> bool:
    """Something has been found."""
    return bool(turn.evidence.hits)


def has_no_hits(turn: Turn) -> bool:
    """Nothing has been found in other systems."""
    return not turn.evidence.is_complete
