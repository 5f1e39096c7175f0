"""Questions about a collection as a whole name nothing to search for: “What are these documents about?”

Passages of a few of its documents replace the search results: first of documents for newcomers, recognised by their names, then of the
longest."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports import Index, Ledger
from footnote.retrieve.attached_alone import passages_of
from footnote.retrieve.lists import gate_of
from footnote.text.collection_questions import asks_about_collection
from footnote.text.document_names import reading_rank
from footnote.text.message_kinds import message_kind
from footnote.types import BY_DOCUMENT, WORDED_LANGUAGES, Document, RankedList, Turn, make_chunk_id

DOCUMENTS = 6
"""How many documents are taken."""
NO_PROSE = frozenset(("code", "json", "csv", "xlsx", "xls", "xlsb", "ods"))
"""Formats of documents that are taken last."""
LISTED = 200
"""How many documents, the newest ones, it chooses from."""


def may_be_about_collection(turn: Turn) -> bool:
    """The documents answer, and the question is about all of them; about those of the collection, if no files are attached."""
    may_be = turn.request.mode == "rag" and turn.reading.scope.attached is None
    if turn.lang in WORDED_LANGUAGES:
        return may_be and asks_about_collection(turn.asked, goes_on=bool(turn.conversation.exchanges))
    return may_be and message_kind(turn) == "collection"


async def note_collection(turn: Turn) -> Turn:
    """Sets `scope.collection` of the reading."""
    scope = replace(turn.reading.scope, collection=True)
    return replace(turn, reading=replace(turn.reading, scope=scope)).with_notes(about_collection={})


def is_about_collection(turn: Turn) -> bool:
    """The question is about the collection, and nothing was found for it earlier."""
    return turn.reading.scope.collection and not turn.evidence.is_complete


async def take_documents(turn: Turn, *, index: Index, ledger: Ledger) -> Turn:
    """Puts passages from all parts of some documents in place of the search results."""
    name = (await index.view(turn.caller, turn.request.collection)).name or turn.request.collection
    page = await ledger.list(turn.caller, collection=name, limit=LISTED)
    first = {make_chunk_id(document.doc_id, document.active_generation, 0): document for document in page.data if document.chunks}
    seen = await gate_of(turn, index)(list(first))
    taken = sorted((document for chunk_id, document in first.items() if chunk_id in seen), key=_order)
    taken = taken[: min(DOCUMENTS, turn.plan.limit)]
    if not taken:
        return turn
    items = passages_of(taken, turn.plan.limit)
    lists = tuple(RankedList(BY_DOCUMENT, query.text, items) for query in turn.answered)
    return replace(turn.with_notes(about_collection={"documents": len(taken)}), evidence=replace(turn.evidence, lists=lists))


def _order(document: Document) -> tuple[bool, int, int, str]:
    return document.format in NO_PROSE, reading_rank(f"{document.file_name} {document.title}"), -document.chunks, document.doc_id
