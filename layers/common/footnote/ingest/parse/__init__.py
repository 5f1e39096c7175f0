"""What is in a file? Bytes → blocks. A format is one module, or one folder, with a `parse`, and one row here.

Parsers are synchronous and import their libraries lazily; they run in a child process
(`footnote.ingest.child`), because files come from strangers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module

from footnote.errors import UnreadableFile
from footnote.ingest.parse.detect import detect
from footnote.ingest.parse.title import name_for_people
from footnote.types import Parsed

FORMATS: dict[str, str] = {
    "pdf": "footnote.ingest.parse.pdf",
    "docx": "footnote.ingest.parse.docx",
    "pptx": "footnote.ingest.parse.pptx",
    "xlsx": "footnote.ingest.parse.xlsx",
    "xls": "footnote.ingest.parse.xls",
    "odt": "footnote.ingest.parse.odf",
    "ods": "footnote.ingest.parse.odf.sheets",
    "odp": "footnote.ingest.parse.odf",
    "epub": "footnote.ingest.parse.epub",
    "rtf": "footnote.ingest.parse.rtf",
    "eml": "footnote.ingest.parse.mail",
    "html": "footnote.ingest.parse.html",
    "markdown": "footnote.ingest.parse.markdown",
    "csv": "footnote.ingest.parse.table",
    "json": "footnote.ingest.parse.json_records",
    "code": "footnote.ingest.parse.code",
    "text": "footnote.ingest.parse.plain",
}
"""What `detect` answers → the module whose `parse(data) -> Parsed` reads it."""

MAX_TEXT = 10_000_000
"""Characters that are kept of one file: some 5,000 pages."""

_WITH_PICTURES = frozenset(("docx", "pptx", "xlsx", "xls", "odt", "ods", "odp", "epub", "rtf"))


def parse(data: bytes, file_name: str) -> Parsed:
    """Blocks in reading order, and a title. Raises UnreadableFile with a reason and a remedy."""
    name = detect(data, file_name)
    return finish(import_module(FORMATS[name]).parse(data), name, file_name)


def finish(parsed: Parsed, name: str, file_name: str) -> Parsed:
    """What a parser of format `name` found, with a title if it found none, and within bounds."""
    if not any(block.text.strip() for block in parsed.blocks):
        if name in _WITH_PICTURES:
            raise UnreadableFile("This file holds no text, at most pictures.", "Run OCR on its pictures, or add a file with text.")
        raise UnreadableFile("This file holds no text, only white space.", "Check that it was saved completely and add it again.")
    title = parsed.title or (re.split(r"[/\\]", file_name)[-1] if name == "code" else name_for_people(file_name))
    return _cut_off(replace(parsed, title=title, format=name))


def _cut_off(parsed: Parsed) -> Parsed:
    """At MAX_TEXT: a small file may unpack to any length."""
    room = MAX_TEXT
    for i, block in enumerate(parsed.blocks):
        room -= len(block.text)
        if room < 0:
            start = block.text[:room].rpartition("\n")[0] or block.text[:room]  # whole lines, where it has some
            last = replace(block, text=start, places=tuple(place for place in block.places if place.offset < len(start)))
            reasons = filter(None, (parsed.reason, f"Only the first {MAX_TEXT:,} characters were read."))
            blocks = (*parsed.blocks[:i], *([last] if start else []))
            return replace(
                parsed, blocks=blocks, reason=" ".join(reasons), remedy=parsed.remedy or "Split it into smaller files and add those."
            )
    return parsed
