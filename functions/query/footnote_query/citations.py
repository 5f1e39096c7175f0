"""Citations with links to this server, for clients other than the page."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from footnote.answer.links import source_url
from footnote.answer.messages import message
from footnote.memory.withdrawn import WITHDRAWN
from footnote.types import Chunk, Turn


def answer_text(turn: Turn) -> str:
    """The answer, or why there is none."""
    if turn.outcome == WITHDRAWN:
        return message(WITHDRAWN, turn.lang)
    return turn.answer.text if turn.answer else message("blocked", turn.lang)


def source_name(chunk: Chunk) -> str:
    """The title, with the heading above the passage, which tells several passages of one document apart."""
    return " › ".join((chunk.shown_title, *(heading for heading in chunk.headings[-1:] if heading != chunk.title)))


class SourceLink(BaseModel, defer_build=True):
    """A citation with a link that opens its passage."""

    number: int
    doc_id: str
    chunk_id: str
    title: str
    page: int | None
    snippet: str
    url: str


def make_citations(turn: Turn, origin: str) -> list[dict[str, Any]]:
    """The answer's citations, each with the address of its passage."""
    return [
        {
            "number": citation.number,
            "doc_id": citation.hit.chunk.doc_id,
            "chunk_id": citation.hit.chunk.public_id,
            "title": citation.hit.chunk.shown_title,
            "page": citation.page,
            "snippet": citation.snippet,
            "url": source_url(origin, citation.hit.chunk, citation.page),
        }
        for citation in (turn.answer.citations if turn.answer else ())
    ]
