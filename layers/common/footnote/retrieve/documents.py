"""Searches for documents first, then takes their passages: one more list beside words and vectors.

Documents are found by the words of their outlines and section openings (chunk levels 0 and 1). Their vectors are not used: the first search
with a vector at these levels starts embedding them for the whole collection. A document's passages are those in the question's own lists,
in that order, then its first ones. `fuse_lists` adds the list by its ranks, so results of the other lists are not lost."""

from __future__ import annotations

from collections import defaultdict

from footnote.ports import Embedder, Index
from footnote.retrieve.fuse import fuse_lists
from footnote.retrieve.lists import gate_of
from footnote.settings import Rag
from footnote.types import BY_DOCUMENT, Candidate, Query, RankedList, Search, Turn, make_chunk_id
from footnote.types.copies import replace

DOCUMENTS, PASSAGES = 3, 5
"""How many documents are taken, and passages of each."""
OPENINGS = 20
"""Outlines and section openings that are read to find the documents."""


def wants_documents_first(turn: Turn) -> bool:
    """Passages are searched for by words and vectors, and nothing has been found in other systems."""
    return turn.plan.retriever in ("cc", "rrf") and 2 in turn.plan.levels and not turn.evidence.is_complete


async def search_documents(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> Turn:
    """Adds a list of the passages of the best documents for each query that is answered. Unreadable passages take no rank."""
    fused = await fuse_lists(turn, embedder=embedder, rag=rag)
    own: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for entry in fused.evidence.ranked:
        own[_document_of(entry.chunk_id)].append(entry.chunk_id)
    readable = gate_of(turn, index)
    lists: list[RankedList] = []
    for query in turn.answered:
        items: list[Candidate] = []
        for document in await _find_documents(turn, query, index):
            first = [make_chunk_id(*document, ordinal) for ordinal in range(PASSAGES)]  # passages have the first ordinals of a document
            passages = list(dict.fromkeys((*own[document][:PASSAGES], *first)))
            seen = await readable(passages)
            items += [Candidate(chunk_id, 1.0) for chunk_id in [chunk_id for chunk_id in passages if chunk_id in seen][:PASSAGES]]
        lists.append(RankedList(BY_DOCUMENT, query.text, tuple(items)))
    return replace(turn, evidence=replace(turn.evidence, lists=(*turn.evidence.lists, *lists)))


async def _find_documents(turn: Turn, query: Query, index: Index) -> list[tuple[str, int]]:
    """(document, generation) of the best outlines and section openings that the caller may read, best first."""
    request = turn.request
    search = Search(
        collection=request.collection,
        text=query.text,
        lang=query.lang,
        spoken=frozenset(turn.languages),
        limit=OPENINGS,
        levels=(0, 1),
        filters=request.filters,
        conditions=request.conditions,
    )
    hits = (await index.candidates(turn.caller, search)).lexical
    chunks = await index.read(turn.caller, [entry.chunk_id for entry in hits])
    matching = (chunk for chunk in chunks if request.admits(chunk))
    return list(dict.fromkeys((chunk.doc_id, chunk.generation) for chunk in matching))[:DOCUMENTS]


def _document_of(chunk_id: str) -> tuple[str, int]:
    doc_id, generation, _ = chunk_id.rsplit("|", 2)
    return doc_id, int(generation)
