"""Parses binary Excel files (.xlsb, MS-XLSB) into the same blocks as other ones, with values as Excel displays them.

python-calamine does not read the formats of numbers (7% would be 0.07), and panics on damaged files.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.number_format import BUILT_IN, show, show_text
from footnote.ingest.parse.package import Package, damaged
from footnote.ingest.parse.sheet import MAX_CELLS, Comment, Sheet, cell_name, cost, to_parsed
from footnote.ingest.parse.xlsx import drawings, people, threads
from footnote.types import Parsed

# kinds of records
_ROW, _SHARED_STRING, _FORMAT, _STYLE, _INLINE_RICH, _BOOK, _SHEET, _MERGED = 0, 19, 44, 47, 62, 153, 156, 176
_COLUMNS, _ROW_IS_HIDDEN = 60, 0x10
_STYLES_START, _STYLES_END = 617, 618
_AUTHOR, _COMMENT, _COMMENT_TEXT = 632, 635, 637
_RK, _ERRORS, _BOOLS, _REALS, _STRINGS, _SHARED = 2, (3, 11), (4, 10), (5, 9), (6, 8), 7
_ERROR_NAMES = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_MAX_ROW, _MAX_COLUMN = 1_048_576, 16_384


def parse(data: bytes) -> Parsed:
    """Parses a binary Excel file (.xlsb)."""
    package = Package(data)
    try:
        return _Book(package, package.main_part("xl/workbook.bin")).parse()
    except struct.error as exc:  # a record is shorter than it must be
        raise damaged() from exc


class _Book:
    """The sheets, and what they share: strings, formats, the cell limit."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part
        self._relations = package.related(part)
        self._since_1904 = False
        self._strings = [spaced(_wide(data, 1)[0]) for kind, data in self._records("sharedStrings") if kind == _SHARED_STRING]
        self._formats = _formats(self._records("styles"))
        self._people = people(package, next((r.target for r in self._relations.values() if r.kind == "person"), ""))
        self._left = MAX_CELLS

    def parse(self) -> Parsed:
        listed: list[tuple[bool, str, str]] = []  # is it visible, the id of its relation, its name
        for kind, data in _records(self._package.read(self._part)):
            if kind == _BOOK:
                self._since_1904 = bool(data[:1] and data[0] & 1)
            elif kind == _SHEET:
                relation, at = _wide(data, 8)
                listed.append((struct.unpack_from("<I", data)[0] == 0, relation, _wide(data, at)[0]))
        if not listed:
            raise damaged()
        shown = [(number, relation, name) for number, (visible, relation, name) in enumerate(listed, 1) if visible]
        sheets = [self._sheet(spaced(name), number, relation) for number, relation, name in shown]
        return to_parsed(sheets, self._package.title(), len(listed), len(listed) - len(shown), self._left < 0)

    def _records(self, kind: str) -> Iterator[tuple[int, bytes]]:
        """Those of the part of this kind."""
        return _records(self._package.read(next((r.target for r in self._relations.values() if r.kind == kind), "")))

    def _sheet(self, name: str, number: int, relation_id: str) -> Sheet:
        sheet = Sheet(name, number)
        relation = self._relations.get(relation_id)
        if relation is None or relation.kind != "worksheet":
            return sheet
        row = -1
        for kind, data in _records(self._package.read(relation.target)):
            if kind == _ROW:
                (row,) = struct.unpack_from("<I", data)
                if data[11:12] and data[11] & _ROW_IS_HIDDEN:
                    sheet.hidden_rows.append((row, row))
            elif kind == _COLUMNS:
                first, last, width, _, flags = struct.unpack_from("<4IH", data)
                if (flags & 1 or not width) and len(sheet.hidden_columns) < _MAX_COLUMN:
                    sheet.hidden_columns.append((first, last))
            elif kind == _MERGED and len(sheet.merged) < MAX_CELLS:
                top, bottom, left, right = struct.unpack_from("<4I", data)
                sheet.merged.append((top, left, bottom, right))
            elif 0 <= row < _MAX_ROW and self._left >= 0 and (text := self._text(kind, data)):
                (column,) = struct.unpack_from("<I", data)
                self._left -= cost(text)
                if column < _MAX_COLUMN and self._left >= 0:
                    sheet.rows.setdefault(row, {})[column] = text
        sheet.rows = {row: dict(sorted(sheet.rows[row].items())) for row in sorted(sheet.rows)}
        sheet.extra = list(drawings(self._package, relation.target, number))
        self._add_comments(sheet, relation.target)
        return sheet

    def _add_comments(self, sheet: Sheet, part: str) -> None:
        """Threads of comments are XML in these files, too; notes are records."""
        parts = {relation.kind: relation.target for relation in self._package.related(part).values()}
        sheet.comments = threads(self._package, parts.get("threadedComment", ""), self._people)
        authors: list[str] = []
        author, each = "", None
        for kind, data in _records(self._package.read(parts.get("comments", ""))):
            if kind == _AUTHOR:
                authors.append(_wide(data, 0)[0])
            elif kind == _COMMENT:
                place, row, _, column = struct.unpack_from("<4I", data)
                author = authors[place] if place < len(authors) else ""
                each = sheet.comments.setdefault(row, {}).setdefault(column, Comment(cell_name(row, column)))
            elif kind == _COMMENT_TEXT and each and not each.remarks:
                each.add(author, spaced(_wide(data, 1)[0]))

    def _text(self, kind: int, data: bytes) -> str:
        """A cell's text; "" for any other record."""
        style = int.from_bytes(data[4:7], "little")
        code = self._formats[style] if style < len(self._formats) else "General"
        if kind in _STRINGS:
            return show_text(spaced(_wide(data, 8)[0]), code)
        if kind == _INLINE_RICH:
            return show_text(spaced(_wide(data, 9)[0]), code)
        if kind == _SHARED:
            (index,) = struct.unpack_from("<I", data, 8)
            return show_text(self._strings[index], code) if index < len(self._strings) else ""
        if kind in _BOOLS:
            return "TRUE" if data[8:9] > b"\0" else "FALSE"
        if kind in _ERRORS:
            return _ERROR_NAMES.get(data[8], "") if len(data) > 8 else ""
        if kind not in (_RK, *_REALS):
            return ""
        value = _packed_number(data) if kind == _RK else struct.unpack_from("<d", data, 8)[0]
        try:
            return show(value, code, since_1904=self._since_1904)
        except (ValueError, OverflowError):
            return ""


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(kind, content) of each record; the kind and the size are written in groups of seven bits."""
    at = 0
    while at < len(data):
        kind, at = _number(data, at, 2)
        size, at = _number(data, at, 4)
        if at + size > len(data):
            raise damaged()
        yield kind, data[at : at + size]
        at += size


def _number(data: bytes, at: int, most: int) -> tuple[int, int]:
    """(a number of at most `most` bytes, where it ends)."""
    number = 0
    for place, byte in enumerate(data[at : at + most]):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, at + place + 1
    return number, at + most


def _wide(data: bytes, at: int) -> tuple[str, int]:
    """(a text that its length precedes, where it ends); no text if its length is all ones."""
    (size,) = struct.unpack_from("<I", data, at)
    end = at + 4 + (2 * size if size != 0xFFFFFFFF else 0)
    if end > len(data):
        raise damaged()
    return data[at + 4 : end].decode("utf-16-le", "replace"), end


def _formats(records: Iterator[tuple[int, bytes]]) -> list[str]:
    """The format of each style, by the index that cells use."""
    codes = dict(BUILT_IN)
    found: list[str] = []
    in_cells = False
    for kind, data in records:
        if kind == _FORMAT:
            codes[struct.unpack_from("<H", data)[0]] = _wide(data, 2)[0]
        elif kind in (_STYLES_START, _STYLES_END):
            in_cells = kind == _STYLES_START
        elif kind == _STYLE and in_cells:
            found.append(codes.get(struct.unpack_from("<2H", data)[1], "General"))
    return found


def _packed_number(data: bytes) -> float:
    """A number in 30 bits: an integer or the upper bits of a real one, which may be in hundredths."""
    (bits,) = struct.unpack_from("<i", data, 8)
    value: float = bits >> 2 if bits & 2 else struct.unpack("<d", struct.pack("<Ii", 0, bits & ~3))[0]
    return value / 100 if bits & 1 else value
