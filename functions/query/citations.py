"""Citations for clients other than the page: with addresses of this server, which they can open."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from pydantic import BaseModel

from footnote.answer.messages import message
from footnote.types import Chunk, Turn


def document_url(origin: str, doc_id: str) -> str:
    """Where the file opens or is saved."""
    return f"{origin}/documents/{quote(doc_id, safe='')}/content"


def source_url(origin: str, chunk: Chunk, page: int | None = None) -> str:
    """The same at the page of a passage, if it has any. Each passage has its own address, so that clients which
    tell sources apart by their address show each of them."""
    place = f"{document_url(origin, chunk.doc_id)}?chunk_id={quote(chunk.public_id, safe='')}"
    page = page or chunk.page
    return f"{place}#page={page}" if page else place


def answer_text(turn: Turn) -> str:
    return turn.answer.text if turn.answer else message("blocked", turn.lang)


class SourceLink(BaseModel, defer_build=True):
    """A citation with the address at which its passage opens."""

    number: int
    doc_id: str
    chunk_id: str
    title: str
    page: int | None
    snippet: str
    url: str


def make_citations(turn: Turn, origin: str) -> list[dict[str, Any]]:
    return [
        {
            "number": citation.number,
            "doc_id": citation.hit.chunk.doc_id,
            "chunk_id": citation.hit.chunk.public_id,
            "title": citation.hit.chunk.title,
            "page": citation.page,
            "snippet": citation.snippet,
            "url": source_url(origin, citation.hit.chunk, citation.page),
        }
        for citation in (turn.answer.citations if turn.answer else ())
    ]
