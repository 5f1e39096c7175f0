"""Parses OpenDocument spreadsheets (.ods) into the same blocks as Excel files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.odf import open_document, rows_of
from footnote.ingest.parse.package import attr, count, local
from footnote.ingest.parse.sheet import MAX_CELLS, Sheet, cost, to_parsed
from footnote.types import Parsed

if TYPE_CHECKING:
    from lxml.etree import _Element

_MAX_ROWS = 1_048_576
_MAX_REPEAT = 1_000
"""Maximum repetitions of a cell or row with text."""


def parse(data: bytes) -> Parsed:
    """Parses an OpenDocument spreadsheet (.ods)."""
    body, styles, title = open_document(data)
    sheets: list[Sheet] = []
    left = MAX_CELLS
    tables = list(body.iterfind("{*}table"))
    for number, table in enumerate(tables, 1):
        if not styles.of(attr(table, "style-name")).hidden:
            sheet = Sheet(spaced(attr(table, "name") or ""), number)
            left = _fill(sheet, table, left)
            sheets.append(sheet)
    return to_parsed(sheets, title, len(tables), len(tables) - len(sheets), left < 0)


def _fill(sheet: Sheet, table: _Element, left: int) -> int:
    """Reads the cells; returns how many more may be read, negative if there were too many."""
    at = 0
    for row in rows_of(table):
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            repeat = count(cell, "number-columns-repeated", _MAX_ROWS)
            text = spaced("\0".join("".join(p.itertext()) for p in cell.iterfind("{*}p"))) if local(cell) == "table-cell" else ""
            for i in range(min(repeat, _MAX_REPEAT) if text else 0):
                cells[column + i] = text
            if text and (down := count(cell, "number-rows-spanned", _MAX_ROWS)) > 1:
                sheet.merged.append((at, column, at + down - 1, column))
            column += repeat
        repeat = count(row, "number-rows-repeated", _MAX_ROWS)
        for i in range(min(repeat, _MAX_REPEAT) if cells else 0):
            left -= sum(map(cost, cells.values()))
            if left < 0:
                return left
            sheet.rows[at + i] = dict(cells)
        at += repeat
    return left
