"""Questions that name the attached files are answered from these alone.

“What does the attached file say about leave?” is searched for without the words that name the file, and only the file's passages count.
“Summarise the attached file” names nothing to search for: passages from all parts of the files are taken. A comparison keeps the results of
the collection, because the files are compared with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress

from footnote.errors import NotFound
from footnote.ports import Index, Ledger
from footnote.text.attached_files import asks_for_whole, names_attached, without_reference
from footnote.types import BY_DOCUMENT, AttachedFiles, Candidate, Document, RankedList, Turn, make_chunk_id
from footnote.types.copies import replace


def may_name_attached(turn: Turn) -> bool:
    """The documents answer in a conversation, and the question names a file, or asks for a summary of nothing that was talked of."""
    kind = turn.reading.classification
    if turn.request.mode != "rag" or turn.request.room_id is None or (kind and kind.intent == "COMPARISON"):
        return False
    return names_attached(turn.asked) or (not turn.conversation.exchanges and asks_for_whole(turn.asked, turn.lang))


def names_attached_files(turn: Turn) -> bool:
    """An agent searches the attached files itself."""
    return turn.request.room_id is not None and names_attached(turn.asked)


async def name_attached(turn: Turn, *, index: Index) -> Turn:
    """Sets `scope.attached` of the reading, if there are any such files, and rewrites the question without the words that name them."""
    documents = (await index.view(turn.caller, turn.request.collection)).attached
    if not documents:
        return turn
    about = AttachedFiles(len(documents), whole=asks_for_whole(turn.asked, turn.lang))
    if not about.whole and len(turn.answered) == 1:
        about = replace(about, named=turn.asked)
        turn = turn.rewrite(without_reference(turn.asked, turn.lang)).with_notes(asked_of_attached=about.named)
    turn = replace(turn, reading=replace(turn.reading, scope=replace(turn.reading.scope, attached=about)))
    return turn.with_notes(attached={"documents": about.documents, "whole": about.whole})


def is_about_attached(turn: Turn) -> bool:
    """The question is about the attached files."""
    return turn.reading.scope.attached is not None and not turn.evidence.is_complete


def asks_for_overview(turn: Turn) -> bool:
    """The question is about all that the attached files say, and something of them was read."""
    attached = turn.reading.scope.attached
    return attached is not None and attached.whole and bool(turn.evidence.hits)


async def search_attached(turn: Turn, *, index: Index, ledger: Ledger) -> Turn:
    """Leaves only passages of the attached files in the lists. If there are none, or the question is about a whole file, passages from all
    parts of the files replace them."""
    documents = (await index.view(turn.caller, turn.request.collection)).attached
    prefixes = tuple(f"{doc_id}|" for doc_id in documents)
    kept = [
        replace(ranking, items=tuple(item for item in ranking.items if item.chunk_id.startswith(prefixes)))
        for ranking in turn.evidence.lists
    ]
    attached = turn.reading.scope.attached
    if not (attached and attached.whole) and any(ranking.items for ranking in kept):
        return replace(turn, evidence=replace(turn.evidence, lists=tuple(kept)))
    read = [
        document for document in await asyncio.gather(*(_document(turn, ledger, doc_id) for doc_id in documents)) if document is not None
    ]
    items = passages_of(read, turn.plan.limit)
    lists = tuple(RankedList(BY_DOCUMENT, query.text, items) for query in turn.answered)
    expansion = replace(turn.request.expansion, documents=len(read), least_score=0.0)
    return replace(turn, request=replace(turn.request, expansion=expansion), evidence=replace(turn.evidence, lists=lists))


async def _document(turn: Turn, ledger: Ledger, doc_id: str) -> Document | None:
    with suppress(NotFound):
        document = await ledger.get(turn.caller, doc_id)
        return document if document.active_generation else None
    return None


def passages_of(documents: Sequence[Document], limit: int) -> tuple[Candidate, ...]:
    """Passages from all parts of the documents, `limit` in all, or one of each if there are more documents."""
    share = max(1, limit // max(1, len(documents)))
    return tuple(Candidate(chunk_id, 1.0) for document in documents for chunk_id in _spread(document, share))


def _spread(document: Document, count: int) -> Iterator[str]:
    """Ids of passages from all parts of the document, the first one included. Passages have the first ordinals of a document."""
    count = min(count, document.chunks)
    for place in range(count):
        yield make_chunk_id(document.doc_id, document.active_generation, place * document.chunks // count)
