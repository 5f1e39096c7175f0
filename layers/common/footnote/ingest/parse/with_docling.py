"""Parses Word and PowerPoint files with docling, if it is installed and enabled; other files, and those it fails on or of which it reads
less, with our own parsers.

docling takes about ten times as long, in the same child process and within the same limits.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

from footnote.ingest.parse import finish
from footnote.ingest.parse import parse as parse_light
from footnote.ingest.parse.decode import clean, spaced
from footnote.ingest.parse.installed import reader_of
from footnote.ingest.parse.notes import check_mark, comment
from footnote.ingest.parse.table import to_markdown
from footnote.types import Block, BlockKind, Parsed

FORMATS = frozenset(("docx", "pptx"))
"""Those of which it reads more words than our own parsers. Not PDF, whose headings it only finds with models that need torch, not HTML,
of which it keeps the menus, and not spreadsheets, whose numbers it does not format and whose hidden cells and formulas it does not name.
Of OpenDocument files and e-books it reads the same words, but takes much longer."""

_KINDS: dict[str, BlockKind] = {"caption": "caption", "code": "code", "list_item": "list"}
"""docling's labels; any other item with text is a paragraph."""
_CHECK_BOXES = {"checkbox_selected": True, "checkbox_unselected": False}
_WITH_PARTS = ("inline", "comment_section", "table")
_WITHOUT_TEXT = (*_WITH_PARTS, "sheet", "picture")
_LAYERS = frozenset(("body", "notes"))
"""The text, and speaker notes and comments, but no page headers and footers."""
_Item = tuple[Any, int]
"""A docling item and its depth."""
_REMARK = re.compile(r"\[(?:author: (?P<author>.*?))?(?:, )?(?:time: [^\]]*)?\]: (?P<text>.*)", re.DOTALL)


def parse(data: bytes, file_name: str) -> Parsed:
    """Like `footnote.ingest.parse.parse`."""
    ours = parse_light(data, file_name)  # also refuses compression bombs
    if reader_of(file_name) or ours.format not in FORMATS or ours.reason:
        return ours
    try:
        theirs = to_parsed(_convert(data, ours.format))
    except Exception:  # the library may raise anything, including ImportError and MemoryError
        return ours
    if _words(ours) - _words(theirs):  # it leaves out alternative texts, headers and footers
        return ours
    return finish(replace(theirs, title=ours.title), ours.format, file_name)


def _words(parsed: Parsed) -> Counter[str]:
    return Counter(word for block in parsed.blocks for word in re.findall(r"\w+", block.text.casefold()))


@cache
def _converter() -> Any:
    return import_module("docling.document_converter").DocumentConverter()


def _convert(data: bytes, name: str) -> Any:
    stream = import_module("docling.datamodel.base_models").DocumentStream(name=f"file.{name}", stream=io.BytesIO(data))
    return _converter().convert(stream, raises_on_error=True).document


def to_parsed(document: Any) -> Parsed:
    """Converts a `DoclingDocument` to blocks in reading order, which does not include page headers and footers."""
    items = list(document.iterate_items(with_groups=True, included_content_layers=_LAYERS))
    has_title = any(item.label == "title" and item.text.strip() for item, _ in items)
    blocks = (block for block in _blocks(items, document, 1 if has_title else 0) if block.text)
    return Parsed(tuple(blocks), pages=len(document.pages) or None)


def _blocks(found: Sequence[_Item], document: Any, below: int) -> Iterator[Block]:
    """`below`: how many levels the sections are below the top."""
    items: list[str] = []  # lines of the open list
    page: int | None = None
    outermost = 0
    for item, depth, text in _whole(found):
        prov = getattr(item, "prov", None)
        here = prov[0].page_no if prov else None
        if items and (item.label != "list_item" or here != page):
            yield Block("list", "\n".join(items), page=page)
            items = []
        page = here
        if item.label == "list_item":
            outermost = depth if not items else min(outermost, depth)
            marker = item.marker if item.enumerated and item.marker else "-"
            items.append(f"{'  ' * ((depth - outermost) // 2)}{marker} {text}")  # a list and its item are two levels
        elif item.label in ("title", "sheet"):
            yield Block("heading", text, 1, page)
        elif item.label == "section_header":
            yield Block("heading", text, min(item.level + below, 6), page)
        elif item.label == "comment_section":
            yield from comment(_remarks(text), page=page)
        elif item.label == "table":
            if rows := _rows(item.data.grid, document):
                yield Block("table", to_markdown(rows), page=page)
        elif item.label == "picture":
            yield from _picture(item, document, page)
        else:
            yield Block(_KINDS.get(item.label, "paragraph"), text, 0, page)
    if items:
        yield Block("list", "\n".join(items), page=page)


def _whole(found: Sequence[_Item]) -> Iterator[tuple[Any, int, str]]:
    """(item, depth, text) of each item, with what is inside it: the parts of a line, and a comment with its replies. What is in the
    cells of a table is in its grid."""
    at = 0
    while at < len(found):
        item, depth = found[at]
        at += 1
        if not hasattr(item, "text") and item.label not in _WITHOUT_TEXT:
            continue  # a group, which only has items
        inner: list[Any] = []
        if item.label in _WITH_PARTS:
            while at < len(found) and found[at][1] > depth and found[at][0].label != "caption":
                inner.append(found[at][0])
                at += 1
        if item.label == "list_item" and at < len(found) and found[at][1] > depth and found[at][0].label == "inline":
            line = found[at][1]
            at += 1
            while at < len(found) and found[at][1] > line:
                inner.append(found[at][0])
                at += 1
        separator = "\n" if item.label == "comment_section" else " "
        own = getattr(item, "name", "") if item.label == "sheet" else "" if item.label in _WITH_PARTS else _text(item)
        yield item, depth, separator.join(filter(None, [own, *map(_text, inner)]))


def _text(item: Any) -> str:
    """An item's text with its check box, without struck text."""
    text = getattr(item, "text", "")
    if getattr(getattr(item, "formatting", None), "strikethrough", False):
        return ""
    if item.label in _CHECK_BOXES:
        return f"{check_mark(checked=_CHECK_BOXES[item.label])} {spaced(text)}"
    return clean(text).strip("\n") if item.label == "code" else spaced(text)


def _remarks(text: str) -> list[tuple[str, str]]:
    """(author, text) of a comment and of its replies."""
    matches = (_REMARK.fullmatch(line) for line in re.split(r"\n(?=\[)", text))
    return [(match["author"] or "", match["text"]) for match in matches if match] or [("", text)]


def _rows(grid: list[list[Any]], document: Any) -> list[list[str]]:
    """The rows as texts. A cell over several columns is followed by empty ones; one over several rows is repeated in each."""
    rows = [[_cell(cell, document) if cell.start_col_offset_idx == column else "" for column, cell in enumerate(row)] for row in grid]
    return [[text.replace("\n", " ") for text in row] for row in rows if any(row)]


def _cell(cell: Any, document: Any) -> str:
    """A cell's text; one with paragraphs of its own refers to them."""
    reference = getattr(cell, "ref", None)
    if reference is None:
        return spaced(cell.text)
    inside = document.iterate_items(root=reference.resolve(document), included_content_layers=_LAYERS)
    return " ".join(filter(None, (_text(item) for item, _ in inside if item.label != "table"))) or spaced(cell.text)


def _picture(picture: Any, document: Any, page: int | None) -> Iterator[Block]:
    """A picture's description, from the file or from a docling model, and the numbers of a chart."""
    meta = getattr(picture, "meta", None)
    if text := spaced(getattr(getattr(meta, "description", None), "text", None) or ""):
        yield Block("image", text, page=page)
    chart = getattr(meta, "tabular_chart", None)
    if chart is not None and (rows := _rows(chart.chart_data.grid, document)):
        yield Block("table", to_markdown(rows), page=page)
