"""Parses OpenDocument spreadsheets (.ods) into the same blocks as Excel files."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.odf import open_document
from footnote.ingest.parse.odf.styles import Style, Styles
from footnote.ingest.parse.package import Element, attr, count, local
from footnote.ingest.parse.runs import joined, run_of
from footnote.ingest.parse.sheet import MAX_CELLS, Comment, Sheet, cell_name, cost, to_parsed
from footnote.types import Parsed

_MAX_ROWS = 1_048_576
_MAX_REPEAT = 1_000
"""Maximum repetitions of a cell or row with text."""
_VALUES = ("value", "string-value", "date-value", "time-value", "boolean-value")
_EXACT = 15
"""Digits of an integer up to which its format decides how it is shown."""
_GROUPS = frozenset(("table-header-rows", "table-rows", "table-row-group", "table-header-columns", "table-columns", "table-column-group"))


def parse(data: bytes) -> Parsed:
    """Parses an OpenDocument spreadsheet (.ods)."""
    body, styles, title, objects = open_document(data)
    sheets: list[Sheet] = []
    left = MAX_CELLS
    tables = list(body.iterfind("{*}table"))
    for number, table in enumerate(tables, 1):
        if not styles.of(attr(table, "style-name")).hidden:
            sheet = Sheet(spaced(attr(table, "name") or ""), number)
            left = _fill(sheet, table, styles, left)
            for node in table.iter("{*}object", "{*}object-ole"):
                objects.embed(node, number)
            sheets.append(sheet)
    parsed = to_parsed(sheets, title, len(tables), len(tables) - len(sheets), left < 0)
    return replace(parsed, files=tuple(objects.files.values()))


def _fill(sheet: Sheet, table: Element, styles: Styles, left: int) -> int:
    """Reads the cells; returns how many more may be read, negative if there were too many."""
    at = 0
    looks: list[tuple[int, Style]] = []  # the last of some columns, how their cells look
    for column, is_hidden in _lines(table, "table-column"):
        repeat = count(column, "number-columns-repeated", _MAX_ROWS)
        if is_hidden:
            sheet.hidden_columns.append((at, at + repeat - 1))
        at += repeat
        looks.append((at - 1, styles.of(attr(column, "default-cell-style-name"))))
    has_struck_column = any(look.struck for _, look in looks)
    at = 0
    for row, is_hidden in _lines(table, "table-row"):
        cells: dict[int, str] = {}
        struck: dict[int, str] = {}
        of_row = attr(row, "default-cell-style-name")
        at_column = 0
        for cell in row:
            repeat = count(cell, "number-columns-repeated", _MAX_ROWS)
            text, kept = "", ""
            if local(cell) == "table-cell":
                look = styles.of(attr(cell, "style-name") or of_row)
                if has_struck_column and not (attr(cell, "style-name") or of_row):
                    look = looks[min(bisect_left(looks, at_column, key=itemgetter(0)), len(looks) - 1)][1]
                text, kept = _texts(cell, look, styles)
            if (note := cell.find("{*}annotation")) is not None:
                each = sheet.comments.setdefault(at, {}).setdefault(at_column, Comment(cell_name(at, at_column)))
                each.add(spaced("".join(note.itertext("{*}creator"))), spaced("\0".join(map(_plain, note.iter("{*}p")))))
            if not text and _is_unsaved(cell):
                sheet.unsaved.add((at, at_column))
            for i in range(min(repeat, _MAX_REPEAT) if text else 0):
                if kept:
                    cells[at_column + i] = kept
                if kept != text:
                    struck[at_column + i] = text
            down, across = count(cell, "number-rows-spanned", _MAX_ROWS), count(cell, "number-columns-spanned", _MAX_ROWS)
            if kept and max(down, across) > 1:
                sheet.merged.append((at, at_column, at + down - 1, at_column + across - 1))
            at_column += repeat
        repeat = count(row, "number-rows-repeated", _MAX_ROWS)
        if is_hidden:
            sheet.hidden_rows.append((at, at + repeat - 1))
        for i in range(min(repeat, _MAX_REPEAT) if cells or struck else 0):
            left -= sum(map(cost, cells.values())) + sum(map(cost, struck.values()))
            if left < 0:
                return left
            if cells:
                sheet.rows[at + i] = dict(cells)
            if struck:
                sheet.struck[at + i] = struck
        at += repeat
    return left


def _plain(paragraph: Element) -> str:
    return "".join(paragraph.itertext())


def _texts(cell: Element, look: Style, styles: Styles) -> tuple[str, str]:
    """The text of a cell, and what of it is not struck."""
    paragraphs = list(cell.iterfind("{*}p"))
    if not any(map(len, paragraphs)):
        text = _text(cell, "\0".join(paragraph.text or "" for paragraph in paragraphs))
        return text, "" if look.struck else text
    whole: list[str] = []
    kept: list[str] = []
    for paragraph in paragraphs:
        runs = list(_runs(paragraph, look, styles))
        whole.append(joined([run for run, _ in runs]))
        kept.append(joined([run for run, is_struck in runs if not is_struck]))
    text = _text(cell, "\0".join(whole))
    return text, text if kept == whole else spaced("\0".join(kept))


def _runs(node: Element, look: Style, styles: Styles) -> Iterator[tuple[str, bool]]:
    """(text, whether it is struck) of each run of a paragraph. `look`: of the text around it."""
    look = styles.of(attr(node, "style-name")).within(look)

    def run(text: str | None) -> tuple[str, bool]:
        return run_of(text or "", look.position or ""), bool(look.struck)

    yield run(node.text)
    for inner in node:
        tag = local(inner)
        if tag in ("s", "tab", "line-break"):
            yield "\0" if tag == "line-break" else " ", False
        else:
            yield from _runs(inner, look, styles)
        yield run(inner.tail)


def _text(cell: Element, written: str) -> str:
    """What the cell shows, or its value if the program did not write that; long integers with all digits."""
    shown = spaced(written)
    if shown and "E+" not in shown:
        return shown
    value = next((found for name in _VALUES if (found := attr(cell, name))), "")
    return value if (len(value) > _EXACT and value.lstrip("-").isdecimal()) or not shown else shown


def _is_unsaved(cell: Element) -> bool:
    """Whether a cell has a formula but no value; that of a text may be empty."""
    return attr(cell, "formula") is not None and all(attr(cell, name) is None for name in _VALUES)


def _lines(parent: Element, tag: str, *, is_hidden: bool = False) -> Iterator[tuple[Element, bool]]:
    """(each row or column of a table, whether it is hidden, filtered, or in a group that is collapsed)."""
    for node in parent:
        unseen = is_hidden or attr(node, "visibility") in ("collapse", "filter") or attr(node, "display") == "false"
        if local(node) == tag:
            yield node, unseen
        elif local(node) in _GROUPS:
            yield from _lines(node, tag, is_hidden=unseen)
