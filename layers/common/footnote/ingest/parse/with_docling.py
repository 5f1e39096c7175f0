"""Parses office files with docling, if it is installed and enabled; other files, and those it fails on, with our own parsers.

docling takes about ten times as long, in the same child process and within the same limits.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from footnote.ingest.parse import finish
from footnote.ingest.parse import parse as parse_light
from footnote.ingest.parse.decode import clean, spaced
from footnote.ingest.parse.detect import detect
from footnote.ingest.parse.installed import reader_of
from footnote.ingest.parse.table import to_markdown
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, BlockKind, Parsed

FORMATS = frozenset(("docx", "pptx", "xlsx", "odt", "ods", "odp", "epub"))
"""Not PDF, whose headings it only finds with models that need torch, and not HTML, of which it keeps the menus."""

_KINDS: dict[str, BlockKind] = {"caption": "caption", "code": "code", "list_item": "list"}
"""docling's labels; any other item with text is a paragraph."""


def parse(data: bytes, file_name: str) -> Parsed:
    """Like `footnote.ingest.parse.parse`."""
    if reader_of(file_name):
        return parse_light(data, file_name)
    name = detect(data, file_name)  # also refuses compression bombs
    if name not in FORMATS:
        return parse_light(data, file_name)
    try:
        parsed = to_parsed(_convert(data, name))
    except Exception:  # the library may raise anything, including ImportError and MemoryError
        parsed = Parsed(())
    return finish(parsed, name, file_name) if parsed.blocks else parse_light(data, file_name)


@cache
def _converter() -> Any:
    return import_module("docling.document_converter").DocumentConverter()


def _convert(data: bytes, name: str) -> Any:
    stream = import_module("docling.datamodel.base_models").DocumentStream(name=f"file.{name}", stream=io.BytesIO(data))
    return _converter().convert(stream, raises_on_error=True).document


def to_parsed(document: Any) -> Parsed:
    """Converts a `DoclingDocument` to blocks in reading order, which does not include page headers and footers."""
    title = next((spaced(item.text) for item, _ in document.iterate_items() if item.label == "title"), "")
    blocks = (block for block in _blocks(document, 1 if title else 0) if block.text)
    return Parsed(tuple(blocks), usable_title(title), len(document.pages) or None)


def _blocks(document: Any, below: int) -> Iterator[Block]:
    """`below`: how many levels the sections are below the top."""
    items: list[str] = []  # lines of the open list
    page: int | None = None
    outermost = 0
    for item, depth in document.iterate_items():
        here = item.prov[0].page_no if item.prov else None
        if items and (item.label != "list_item" or here != page):
            yield Block("list", "\n".join(items), page=page)
            items = []
        page = here
        if item.label == "list_item":
            outermost = depth if not items else min(outermost, depth)
            marker = item.marker if item.enumerated and item.marker else "-"
            items.append(f"{'  ' * ((depth - outermost) // 2)}{marker} {spaced(item.text)}")  # a list and its item are two levels
        elif item.label == "title":
            yield Block("heading", spaced(item.text), 1, page)
        elif item.label == "section_header":
            yield Block("heading", spaced(item.text), min(item.level + below, 6), page)
        elif item.label == "table":
            if rows := _rows(item.data.grid):
                yield Block("table", to_markdown(rows), page=page)
        elif item.label == "picture":
            if text := _described(item):
                yield Block("image", text, page=page)
        elif text := clean(item.text).strip("\n") if item.label == "code" else spaced(item.text):
            yield Block(_KINDS.get(item.label, "paragraph"), text, 0, page)
    if items:
        yield Block("list", "\n".join(items), page=page)


def _rows(grid: list[list[Any]]) -> list[list[str]]:
    """The rows as texts. A cell over several columns is followed by empty ones; one over several rows is repeated in each."""
    rows = [[spaced(cell.text) if cell.start_col_offset_idx == column else "" for column, cell in enumerate(row)] for row in grid]
    return [[text.replace("\n", " ") for text in row] for row in rows if any(row)]


def _described(picture: Any) -> str:
    """A picture's description, from the file or from a docling model."""
    description = getattr(getattr(picture, "meta", None), "description", None)
    return spaced(getattr(description, "text", None) or "")
