"""Distinguishes documents with the same title: the file's name is added if the reader may read another document with the title."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from footnote.ports import Index
from footnote.types import EXTERNAL_IDS, Caller, Chunk, Document, Turn
from footnote.types.copies import replace


async def tell_titles_apart(turn: Turn, *, index: Index) -> Turn:
    """Sets `file_label` of the hits' passages whose title several documents have that the caller may read in the collection."""
    hits = turn.evidence.hits
    chunks = await with_file_labels([hit.chunk for hit in hits], turn.caller, turn.request.collection, index)
    labelled = tuple(hit if hit.chunk is chunk else replace(hit, chunk=chunk) for hit, chunk in zip(hits, chunks, strict=True))
    return replace(turn, evidence=replace(turn.evidence, hits=labelled))


async def with_file_labels(chunks: Sequence[Chunk], caller: Caller, collection: str, index: Index) -> list[Chunk]:
    """The passages with their `file_label`. Passages of other systems keep their titles."""
    own = {chunk.doc_id: chunk for chunk in chunks if not chunk.chunk_id.startswith(EXTERNAL_IDS)}
    titled = await index.titled(caller, collection, list({chunk.title: None for chunk in own.values()}))
    documents = {title: set(doc_ids) for title, doc_ids in titled.items()}
    for doc_id, chunk in own.items():
        documents.setdefault(chunk.title, set()).add(doc_id)
    names = Counter((chunk.title, _file_name(chunk)) for chunk in own.values())

    def label(chunk: Chunk) -> str:
        if chunk.doc_id not in own or len(documents[chunk.title]) < 2:
            return ""
        name = _file_name(chunk)
        return name if names[chunk.title, name] == 1 else f"{name}, {chunk.doc_id}"

    labels = map(label, chunks)
    return [chunk if chunk.file_label == name else replace(chunk, file_label=name) for chunk, name in zip(chunks, labels, strict=True)]


async def title_among(document: Document, caller: Caller, index: Index) -> str:
    """The document's title, with its file's name in brackets where several documents have it that the caller may read."""
    titled = await index.titled(caller, document.collection, [document.title])
    several = titled.get(document.title, frozenset()) - {document.doc_id}
    return f"{document.title} ({document.file_name})" if several else document.title


def _file_name(chunk: Chunk) -> str:
    """The document's id where it has none."""
    return str(chunk.metadata.get("file_name") or chunk.doc_id)
