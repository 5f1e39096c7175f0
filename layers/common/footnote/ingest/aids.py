"""Finds what a collection's chunker needs from models. Without them a document is cut along its structure, and says so.

failure                           result
no embedder that knows the text   cut by structure; `reason` and `remedy` of the document say why
the embedder fails                the same
more sentences than are compared  the same
no language model, or it fails    the levels above passages quote the text instead

Summaries are of a document and its long sections: a section that fits into a passage is its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, Field

from footnote.errors import FootnoteError
from footnote.ingest.apart import Apart, in_thread
from footnote.ingest.chunk import NO_AIDS, Aids, find_boilerplate, find_breaks, read_sections
from footnote.ingest.chunk.passages import Path, Section
from footnote.ingest.describe_by_model import DocumentModel, excerpt, plain
from footnote.ingest.pieces import size
from footnote.ingest.prepare import language_of
from footnote.ingest.voices import read_voices
from footnote.ports import Embedder, speaks
from footnote.text.language import detect_language
from footnote.text.untrusted import untrusted, untrusted_title
from footnote.types import NO_EMBEDDER, Block, Chunker, CollectionSettings, Document, Parsed

log = logging.getLogger(__name__)

BY_STRUCTURE = "Cut along its headings and paragraphs, not by meaning: "
NOT_THE_LANGUAGE = "there is no embedder for its language."
FAILED = "the embedder could not be reached."
TOO_LONG = "it is too long for that."
REMEDIES = {
    NOT_THE_LANGUAGE: "Configure an embedder that knows the language, or choose another chunker for the collection.",
    FAILED: "Run footnote reprocess when the embedder answers again.",
    TOO_LONG: "Nothing needs to be done; split the file if you want it cut by meaning.",
}
MOST_SUMMARIES = 12
"""Sections of a document that are summarised, the first ones that are longer than a passage."""
CALLS = 3
"""Calls at the same time."""
LIMIT_S = 120.0
"""For all calls of a document."""
LONGEST_SUMMARY = 600
"""Characters of a summary."""
REPLY_TOKENS = 1000


@dataclass(frozen=True, slots=True)
class Helpers:
    """What a chunker may ask. `embedder`: the collection's; `written`: what the model wrote about the document already."""

    embedder: Embedder | None = None
    model: DocumentModel | None = None
    written: Mapping[str, Any] | None = None
    apart: Apart = in_thread


async def find_aids(
    document: Document, parsed: Parsed, settings: CollectionSettings, max_tokens: int, helpers: Helpers
) -> tuple[Aids, Parsed]:
    """(what the chunker needs, the file with a note if its collection's chunker cannot be used)."""
    parsed = _without_note(parsed)
    if settings.chunker == "hierarchical" and helpers.model:
        sections = await helpers.apart(document.size, _sections, parsed)
        summaries = await _summarise(helpers.model, document, parsed, sections, max_tokens, helpers.written)
        return Aids("hierarchical", summaries=summaries), parsed
    embedder = helpers.embedder
    if settings.chunker == "voices":
        return await helpers.apart(document.size, _voices, parsed, settings, max_tokens)
    if settings.chunker != "semantic":
        return Aids(settings.chunker), parsed
    text = "\n".join(block.text for block in parsed.blocks)
    lang = await helpers.apart(document.size, language_of, text, settings.languages)
    if usable_chunker(settings, embedder, lang) != "semantic" or embedder is None:
        return NO_AIDS, _noted(parsed, NOT_THE_LANGUAGE)
    sections = await helpers.apart(document.size, _sections, parsed)
    try:
        breaks = await find_breaks(sections, embedder, lang)
    except FootnoteError as exc:
        log.warning("cut by structure", extra={"reason": type(exc).__name__})
        return NO_AIDS, _noted(parsed, FAILED)
    return (Aids(stands_for="semantic"), _noted(parsed, TOO_LONG)) if breaks is None else (Aids("semantic", breaks=breaks), parsed)


def _sections(parsed: Parsed) -> list[Section]:
    return list(read_sections(parsed.blocks, find_boilerplate(parsed)))


def _voices(parsed: Parsed, settings: CollectionSettings, max_tokens: int) -> tuple[Aids, Parsed]:
    lang = language_of("\n".join(block.text for block in parsed.blocks), settings.languages)
    found = read_voices(parsed, settings.columns, max_tokens, lang)
    if found.reason is not None and found.reason not in (parsed.reason or ""):
        parsed = replace(parsed, reason=" ".join(filter(None, (parsed.reason, found.reason))), remedy=parsed.remedy or found.remedy)
    return Aids("voices", passages=found.passages), parsed


def usable_chunker(settings: CollectionSettings, embedder: Embedder | None, lang: str) -> Chunker:
    """The chunker that a document in this language gets. `embedder`: the collection's."""
    usable = settings.chunker != "semantic" or (settings.embedder != NO_EMBEDDER and speaks(embedder, lang))
    return settings.chunker if usable else "structure"


def _without_note(parsed: Parsed) -> Parsed:
    """The file without a note of an earlier time, which was stored with it."""
    reason, noted, _ = (parsed.reason or "").partition(BY_STRUCTURE)
    return replace(parsed, reason=reason.strip() or None, remedy=parsed.remedy if reason else None) if noted else parsed


def _noted(parsed: Parsed, why: str) -> Parsed:
    """The file with the reason and the remedy after those that it has."""
    reason, remedy = f"{BY_STRUCTURE}{why}", REMEDIES[why]
    return replace(parsed, reason=f"{parsed.reason} {reason}" if parsed.reason else reason, remedy=parsed.remedy or remedy)


class _Summary(BaseModel, defer_build=True):
    """The model's reply."""

    summary: str = Field(description="a text, the summary in two or three sentences")


async def _summarise(
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
    waiting = iter([each for each in sections if each.path and paths[each.path] == 1 and size(each.pieces) > max_tokens][:MOST_SUMMARIES])

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
    made = await model.ask(document.doc_id, "summarise_section", lang, values, _Summary, REPLY_TOKENS)
    if made is None:
        return None
    summary = plain(made.summary, LONGEST_SUMMARY)
    return summary if detect_language(summary, [lang]) == lang else ""
