"""What is in a file? Bytes → blocks. A format is one module with a `parse`, and one row here.

Parsers are synchronous and import their libraries lazily; they run in a child process
(`footnote.ingest.child`), because files come from strangers.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from footnote.errors import UnreadableFile
from footnote.ingest.parse.detect import detect
from footnote.ingest.parse.title import name_for_people
from footnote.types import Parsed

FORMATS: dict[str, str] = {
    "pdf": "footnote.ingest.parse.pdf",
    "html": "footnote.ingest.parse.html",
    "markdown": "footnote.ingest.parse.markdown",
    "csv": "footnote.ingest.parse.table",
    "text": "footnote.ingest.parse.plain",
}
"""What `detect` answers → the module whose `parse(data) -> Parsed` reads it."""


def parse(data: bytes, file_name: str) -> Parsed:
    """Blocks in reading order, and a title. Raises UnreadableFile with a reason and a remedy."""
    name = detect(data, file_name)
    parsed: Parsed = replace(import_module(FORMATS[name]).parse(data), format=name)
    if not any(block.text.strip() for block in parsed.blocks):
        raise UnreadableFile("This file holds no text, only white space.", "Check that it was saved completely and add it again.")
    return parsed if parsed.title else replace(parsed, title=name_for_people(file_name))
