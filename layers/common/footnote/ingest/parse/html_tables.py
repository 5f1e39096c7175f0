"""Reads the tables of a page: their titles, headers and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from footnote.ingest.parse.table import to_markdown, with_header
from footnote.types import BlockKind

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LAYOUT = "table, h1, h2, h3, h4, h5, h6, pre, ul, ol"
_MAX_SPAN = 100  # a page may claim colspan=10000000
_NARROW = 2
"""Columns of a table in which a header with one name is no title."""
_MOST_HEADS = 3
"""Rows of header cells that are one header; in a table that has more, all cells are header cells."""
_CELLS = ("td", "th")


class Cell(NamedTuple):
    text: str
    is_header: bool
    is_first: bool = True
    """Whether the cell begins in this column; otherwise it goes on from the left."""


_Row = list[Cell]


def is_layout(table: LexborNode) -> bool:
    """Whether a table is only for layout: it contains other tables, headings or lists, has a single cell, or one cell of a single row
    or with several paragraphs has most of its text."""
    if table.attributes.get("role") == "presentation" or any(node.mem_id != table.mem_id for node in table.css(_LAYOUT)):
        return True
    if len(table.css("td, th")) <= 1:
        return True
    if table.css_first("th") is not None:
        return False
    is_single = len(table.css("tr")) == 1
    cells = table.css("td") if is_single else [each.parent for each in table.css("td > p:first-of-type:not(:last-of-type)")]
    whole = len(table.text())
    return any(2 * len(cell.text()) > whole for cell in cells if cell is not None)


def read(table: LexborNode, text_of: Callable[[LexborNode], str]) -> Iterator[tuple[BlockKind, str]]:
    """(kind, text) of its caption, the title rows above its header, the table itself, and the notes below it. `text_of`: the text of a
    cell."""
    caption = table.css_first("caption")
    if caption is not None:
        yield "caption", text_of(caption)
    rows = [row for row in rows_of(table, text_of) if any(cell.text for cell in row)]
    width = max(map(len, rows), default=0)
    if width <= 1:
        yield from (("paragraph", cell.text) for row in rows for cell in row)
        return
    titles = list(takewhile(lambda row: _is_line(row) or (width > _NARROW and _is_alone(row)), rows))
    body = rows[len(titles) :]
    notes = list(takewhile(_is_line, reversed(body)))[::-1] if body else []
    body = body[: len(body) - len(notes)]
    if len(body) < 2:  # lines between which there is no table
        titles, notes, body = [], [], rows
    if titles:
        yield "caption", " – ".join(map(_line, titles))
    yield "table", to_markdown(_with_header(body))
    yield from (("caption", _line(row)) for row in notes)


def _is_line(row: _Row) -> bool:
    """Whether one cell fills the row, as a title above the header does and a note below the last row."""
    return sum(cell.is_first for cell in row) == 1


def _is_alone(row: _Row) -> bool:
    """Whether only the first cell has text."""
    return row[0].text != "" and not any(cell.text for cell in row[1:])


def _line(row: _Row) -> str:
    return next(cell.text for cell in row if cell.text)


def _with_header(rows: Sequence[_Row]) -> Sequence[Sequence[str]]:
    """The texts of the rows below one header: several rows of header cells become one, and rows that begin with a header cell each have
    an empty one."""
    texts = [[cell.text if cell.is_first else "" for cell in row] for row in rows]
    if not any(cell.is_header for row in rows for cell in row):
        return with_header(texts)
    heads = list(takewhile(lambda row: all(cell.is_header or not cell.text for cell in row), rows[:-1]))
    if len(heads) > _MOST_HEADS:
        return texts
    if heads:
        return [_joined(heads), *texts[len(heads) :]]
    begins = [row[0].is_header and not any(cell.is_header for cell in row[1:]) for row in rows]
    return [[""] * max(map(len, texts)), *texts] if all(begins) else texts


def _joined(heads: Sequence[_Row]) -> list[str]:
    """The names of the columns, each with those above it: a cell over several columns belongs to all of them."""
    width = max(map(len, heads))
    columns = [[row[i].text for row in heads if i < len(row) and row[i].text] for i in range(width)]
    return [" ".join(dict.fromkeys(column)) for column in columns]


def rows_of(table: LexborNode, text_of: Callable[[LexborNode], str]) -> Iterator[_Row]:
    """The rows. A cell over several columns goes on in each of them; one over several rows is repeated in each."""
    below: dict[int, tuple[int, _Row]] = {}  # column → (rows still to fill, cells)
    for tr in table.css("tr"):
        row: _Row = []
        for cell in children(tr):
            if cell.tag not in _CELLS:
                continue
            _fill(row, below)
            columns, rows = _span(cell, "colspan"), _span(cell, "rowspan")
            first = Cell(text_of(cell), cell.tag == "th")
            cells = [first, *[first._replace(is_first=False)] * (columns - 1)]
            if rows > 1:
                below[len(row)] = (rows - 1, cells)
            row.extend(cells)
        _fill(row, below)
        yield row


def _fill(row: _Row, below: dict[int, tuple[int, _Row]]) -> None:
    while len(row) in below:
        left, cells = below.pop(len(row))
        if left > 1:
            below[len(row)] = (left - 1, cells)
        row.extend(cells)


def _span(cell: LexborNode, name: str) -> int:
    value = (cell.attributes.get(name) or "").strip()
    return min(int(value), _MAX_SPAN) if value.isdecimal() and int(value) > 0 else 1


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The child nodes, texts among them."""
    child = node.child
    while child is not None:
        yield child
        child = child.next
