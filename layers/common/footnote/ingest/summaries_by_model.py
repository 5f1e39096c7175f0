"""Lets a language model summarise a document and its long sections, for the levels above passages.

A section that fits into a passage needs no summary: it is its own. What the model does not give is quoted from the text.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from footnote.ingest.chunk.passages import Path, Section
from footnote.ingest.describe_by_model import DocumentModel, excerpt, plain
from footnote.ingest.pieces import size
from footnote.text.language import detect_language
from footnote.text.untrusted import untrusted, untrusted_title
from footnote.types import Block, Document, Parsed

log = logging.getLogger(__name__)

MOST = 12
"""Sections of a document that are summarised, the first ones that are longer than a passage."""
CALLS = 3
"""Calls at the same time."""
LIMIT_S = 120.0
"""For all calls of a document."""
LONGEST = 600
"""Characters of a summary."""
REPLY_TOKENS = 1000


class Summary(BaseModel, defer_build=True):
    """The model's reply."""

    summary: str = Field(description="a text, the summary in two or three sentences")


async def summarise(
    model: DocumentModel,
    document: Document,
    parsed: Parsed,
    sections: Sequence[Section],
    max_tokens: int,
    written: Mapping[str, Any] | None,
) -> dict[Path, str]:
    """The headings of a section → its summary, () → the document's. `written`: what the model wrote about the document already."""
    found: dict[Path, str] = {}
    paths = Counter(section.path for section in sections)
    waiting = iter([each for each in sections if each.path and paths[each.path] == 1 and size(each.pieces) > max_tokens][:MOST])

    async def work() -> None:
        for section in waiting:
            if (summary := await _ask(model, document, section)) is None:
                return  # the model fails or may not be asked any more
            found[section.path] = summary

    try:
        async with asyncio.timeout(LIMIT_S), asyncio.TaskGroup() as group:
            whole = group.create_task(model.describe(document, parsed)) if written is None else None
            for _ in range(CALLS):
                group.create_task(work())
    except TimeoutError:
        log.warning("summaries not finished", extra={"doc_id": document.doc_id, "count": len(found)})
        whole = None
    described = written if whole is None else whole.result()
    if described and (summary := described.get("summary")):
        found[()] = str(summary)
    return {path: summary for path, summary in found.items() if summary}


async def _ask(model: DocumentModel, document: Document, section: Section) -> str | None:
    """The summary, "" for one in another language; None without a usable reply."""
    blocks = [Block(piece.kind, piece.text) for piece in section.pieces]
    lang = detect_language("\n".join(block.text for block in blocks))
    values = {"title": untrusted_title(" › ".join(section.path)), "text": untrusted(excerpt(blocks, lang))}
    made = await model.ask(document.doc_id, "summarise_section", lang, values, Summary, REPLY_TOKENS)
    if made is None:
        return None
    summary = plain(made.summary, LONGEST)
    return summary if detect_language(summary, [lang]) == lang else ""
