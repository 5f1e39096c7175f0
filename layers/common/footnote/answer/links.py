"""Where a document opens, and a passage of it."""

from __future__ import annotations

from urllib.parse import quote

from footnote.types import Chunk


def document_url(origin: str, doc_id: str) -> str:
    """Where the file opens or is saved."""
    return f"{origin}/documents/{quote(doc_id, safe='')}/content"


def source_url(origin: str, chunk: Chunk, page: int | None = None) -> str:
    """The same at the page of a passage, if it has any. Each passage has its own address, so that clients which
    tell sources apart by their address show each of them."""
    place = f"{document_url(origin, chunk.doc_id)}?chunk_id={quote(chunk.public_id, safe='')}"
    page = page or chunk.page
    return f"{place}#page={page}" if page else place
