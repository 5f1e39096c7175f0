"""URLs of documents and passages."""

from __future__ import annotations

from urllib.parse import quote

from footnote.types import Chunk


def document_url(origin: str, doc_id: str) -> str:
    """URL of the original file."""
    return f"{origin}/documents/{quote(doc_id, safe='')}/content"


def source_url(origin: str, chunk: Chunk, page: int | None = None) -> str:
    """URL of the file at a passage's page. It contains the chunk id, because some clients deduplicate sources by URL."""
    place = f"{document_url(origin, chunk.doc_id)}?chunk_id={quote(chunk.public_id, safe='')}"
    page = page or chunk.page
    return f"{place}#page={page}" if page else place
