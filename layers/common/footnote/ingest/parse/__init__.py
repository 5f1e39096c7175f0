"""Parses files into blocks. Each format is a module or package with a `parse`, and one row in FORMATS; further ones come from installed
packages (`installed`).

Parsers are synchronous and import their libraries lazily. They run in a child process (`footnote.ingest.child`), because
files are untrusted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from footnote.errors import Scan, UnreadableFile
from footnote.ingest.faq_pairs import split_questions
from footnote.ingest.parse import installed
from footnote.ingest.parse.detect import detect
from footnote.ingest.parse.html import first_heading
from footnote.ingest.parse.title import is_supported, name_for_people, usable_title
from footnote.types import Parsed

if TYPE_CHECKING:
    from footnote.ingest.parse.attached import Attachments

FORMATS: dict[str, str] = {
    "pdf": "footnote.ingest.parse.pdf",
    "docx": "footnote.ingest.parse.docx",
    "pptx": "footnote.ingest.parse.pptx",
    "xlsx": "footnote.ingest.parse.xlsx",
    "xls": "footnote.ingest.parse.xls",
    "xlsb": "footnote.ingest.parse.xlsb",
    "odt": "footnote.ingest.parse.odf",
    "ods": "footnote.ingest.parse.odf.sheets",
    "odp": "footnote.ingest.parse.odf",
    "epub": "footnote.ingest.parse.epub",
    "rtf": "footnote.ingest.parse.rtf",
    "hwp": "footnote.ingest.parse.hangul.hwp",
    "hwpx": "footnote.ingest.parse.hangul.hwpx",
    "eml": "footnote.ingest.parse.mail",
    "mbox": "footnote.ingest.parse.mailbox",
    "msg": "footnote.ingest.parse.msg",
    "confluence": "footnote.ingest.parse.confluence",
    "html": "footnote.ingest.parse.html",
    "markdown": "footnote.ingest.parse.markdown",
    "rst": "footnote.ingest.parse.rst",
    "asciidoc": "footnote.ingest.parse.asciidoc",
    "org": "footnote.ingest.parse.org",
    "latex": "footnote.ingest.parse.latex",
    "csv": "footnote.ingest.parse.delimited",
    "json": "footnote.ingest.parse.json_records",
    "yaml": "footnote.ingest.parse.yaml_records",
    "xml": "footnote.ingest.parse.xml_records",
    "code": "footnote.ingest.parse.code",
    "subtitles": "footnote.ingest.parse.subtitles",
    "calendar": "footnote.ingest.parse.calendar",
    "contacts": "footnote.ingest.parse.contacts",
    "text": "footnote.ingest.parse.plain",
}
"""Format, as returned by `detect` → the module whose `parse(data) -> Parsed` reads it."""

MAX_TEXT = 10_000_000
"""Maximum characters that are kept of a file: some 5,000 pages."""

_CODE = frozenset(("code", "yaml", "xml"))
"""Formats of files that are called by their full names."""

_WITH_PROPERTIES = frozenset(("pdf", "docx", "pptx", "xlsx", "xlsb", "odt", "ods", "odp", "epub", "rtf", "hwp", "hwpx", "html"))
"""Formats with a title beside the text, which programs take from templates and from other files. A page keeps it if it has no heading."""

_SHEETS = frozenset(("xlsx", "xlsb", "ods"))
"""Formats whose headings are the names of sheets, which are no titles."""

_WITH_PICTURES = frozenset(("docx", "pptx", "xlsx", "xls", "xlsb", "odt", "ods", "odp", "epub", "rtf", "hwp", "hwpx"))


def parse(data: bytes, file_name: str, outer: Attachments | None = None, depth: int = 1) -> Parsed:
    """Parses a file into blocks in reading order, and a title; files within it become sections at its end. Raises UnreadableFile with a
    reason and a remedy. `outer`: reads the files within the outermost file, if this is one of them; `depth`: 1 = the outermost one."""
    if data and (plugin := installed.reader_of(file_name)):
        return finish(installed.parse(plugin, data, file_name), plugin.name, file_name)
    name = detect(data, file_name)
    parsed: Parsed = import_module(FORMATS[name]).parse(data)
    if parsed.files:
        from footnote.ingest.parse.attached import with_files

        parsed = with_files(parsed, outer, depth)
    return finish(parsed, name, file_name)


def finish(parsed: Parsed, name: str, file_name: str) -> Parsed:
    """Completes the result of format `name`'s parser: adds a missing title and applies MAX_TEXT."""
    if not any(block.text.strip() for block in parsed.blocks):
        if name in _WITH_PICTURES:
            raise Scan("This file contains no text, at most images.", "Run OCR on its images, or add a file with text.")
        raise UnreadableFile("This file contains no text, only white space.", "Check that it was saved completely and add it again.")
    title = parsed.title
    if title and name in _WITH_PROPERTIES and not is_supported(title, parsed.blocks, file_name):
        heading = usable_title(first_heading(parsed.blocks)) if name not in _SHEETS else ""
        title = heading or (title if name == "html" else "")
    title = title or (re.split(r"[/\\]", file_name)[-1] if name in _CODE else name_for_people(file_name))
    return _cut_off(split_questions(replace(parsed, title=title, format=name)))


def _cut_off(parsed: Parsed) -> Parsed:
    """Truncates the text at MAX_TEXT, because a small file may unpack to any length."""
    left = MAX_TEXT
    for i, block in enumerate(parsed.blocks):
        left -= len(block.text)
        if left < 0:
            start = block.text[:left].rpartition("\n")[0] or block.text[:left]  # whole lines if possible
            last = replace(block, text=start, places=tuple(place for place in block.places if place.offset < len(start)))
            reasons = filter(None, (parsed.reason, f"Only the first {MAX_TEXT:,} characters were read."))
            blocks = (*parsed.blocks[:i], *([last] if start else []))
            return replace(
                parsed, blocks=blocks, reason=" ".join(reasons), remedy=parsed.remedy or "Split it into smaller files and add those."
            )
    return parsed
