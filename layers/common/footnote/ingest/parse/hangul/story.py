"""A story: paragraphs with what is anchored in them, as both Hangul formats hold it; and the blocks that it becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from footnote.ingest.parse.table import to_markdown
from footnote.types import Block

MAX_ROWS, MAX_COLUMNS = 20_000, 500
"""Cells outside of these are left out."""
OUTLINE = re.compile(r"(?:outline|개요)\s*(\d{1,2})", re.IGNORECASE)
"""The name of a style of a heading, with its level."""
_MAX_REPEATS = 100_000
"""Maximum cells of a table that are filled from cells over several rows."""


@dataclass
class Paragraph:
    """`text`: clean. `level`: of a heading, from 1. `marker`: of a list item. `inside`: tables, and the stories of boxes and notes."""

    text: str
    level: int = 0
    marker: str = ""
    inside: list[Table | list[Paragraph]] = field(default_factory=list)


@dataclass
class Cell:
    """A cell at `row` and `column`, from 0, which spans `rows` and `columns`."""

    row: int
    column: int
    rows: int
    columns: int
    content: list[Paragraph]


@dataclass
class Table:
    """A table with its caption."""

    cells: list[Cell]
    caption: list[Paragraph] = field(default_factory=list)


class Numbering:
    """Tells headings and items of lists, and counts the items."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # of the last item of each depth

    def mark(self, paragraph: Paragraph, kind: str, depth: int, level: int) -> None:
        """Sets the paragraph's level or marker. `kind` and `depth`, from 0: of its properties, OUTLINE, NUMBER, BULLET or NONE; `level`: of
        its style, 0 = no heading."""
        if kind == "OUTLINE" or level:
            paragraph.level = min(level or depth + 1, 6)
        elif paragraph.text and kind in ("NUMBER", "BULLET"):
            paragraph.marker = "  " * depth + (f"{self._next(depth)}." if kind == "NUMBER" else "-")
        if paragraph.text and not paragraph.marker:
            self._numbers.clear()

    def _next(self, depth: int) -> int:
        self._numbers = {at: number for at, number in self._numbers.items() if at <= depth}
        self._numbers[depth] = self._numbers.get(depth, 0) + 1
        return self._numbers[depth]


def to_blocks(story: Sequence[Paragraph]) -> Iterator[Block]:
    """The story's blocks; list items that follow each other are one block."""
    items: list[str] = []
    for paragraph in story:
        if paragraph.marker and paragraph.text:
            items.append(f"{paragraph.marker} {paragraph.text}")
        if items and (paragraph.inside or (paragraph.text and not paragraph.marker)):
            yield Block("list", "\n".join(items))
            items = []
        if paragraph.text and paragraph.level:
            yield Block("heading", paragraph.text.replace("\n", " "), paragraph.level)
        elif paragraph.text and not paragraph.marker:
            yield Block("paragraph", paragraph.text)
        for inner in paragraph.inside:
            yield from _table(inner) if isinstance(inner, Table) else to_blocks(inner)
    if items:
        yield Block("list", "\n".join(items))


def headers_first(headers: Sequence[Paragraph], blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks after the distinct page headers and footers that they do not contain."""
    body = "\n".join(block.text for block in blocks)
    lines = dict.fromkeys(text for text in (_flat([paragraph]) for paragraph in headers) if any(map(str.isalpha, text)))
    yield from (Block("paragraph", line) for line in lines if line not in body)
    yield from blocks


def _table(table: Table) -> Iterator[Block]:
    if caption := _flat(table.caption):
        yield Block("caption", caption)
    cells = [cell for cell in table.cells if cell.row < MAX_ROWS and cell.column < MAX_COLUMNS]
    if len({cell.column for cell in cells}) == 1:  # a frame around text
        for cell in cells:
            yield from to_blocks(cell.content)
        return
    if rows := _grid(cells):
        yield Block("table", to_markdown(rows))


def _grid(cells: Sequence[Cell]) -> list[list[str]]:
    """The rows as texts. A cell over several columns is followed by empty ones; one over several rows is repeated in each."""
    left = _MAX_REPEATS
    grid: dict[int, dict[int, str]] = {}
    for cell in cells:
        text = _flat(cell.content)
        for row in range(cell.row, min(cell.row + max(cell.rows, 1), MAX_ROWS)) if text and left > 0 else ():
            grid.setdefault(row, {}).setdefault(cell.column, text)
            left -= 1
    columns = sorted({column for row in grid.values() for column in row})
    return [[grid[row].get(column, "") for column in columns] for row in sorted(grid)]


def _flat(story: Sequence[Paragraph]) -> str:
    """A story's text in one line."""
    texts: list[str] = []
    for paragraph in story:
        texts.append(" ".join(paragraph.text.split()))
        for inner in paragraph.inside:
            if isinstance(inner, Table):
                texts.append(_flat(inner.caption))
                texts += [_flat(cell.content) for cell in inner.cells]
            else:
                texts.append(_flat(inner))
    return " ".join(filter(None, texts))
