"""Parses binary Excel files (.xlsb, MS-XLSB) into the same blocks as other ones, with values as Excel displays them.

python-calamine does not read the formats of numbers (7% would be 0.07), and panics on damaged files.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.embedded import embedded_in
from footnote.ingest.parse.number_format import BUILT_IN, show
from footnote.ingest.parse.package import Package, damaged
from footnote.ingest.parse.runs import run_of
from footnote.ingest.parse.sheet import MAX_CELLS, Comment, Sheet, cell_name, cost, to_parsed
from footnote.ingest.parse.xlsx import NO_TEXT, CellText, drawings, people, shown_text, text_of, threads
from footnote.types import Parsed

# kinds of records
_ROW, _SHARED_STRING, _FONT, _FORMAT, _STYLE, _INLINE_RICH, _BOOK, _SHEET, _MERGED = 0, 19, 43, 44, 47, 62, 153, 156, 176
_COLUMNS, _ROW_IS_HIDDEN, _FONT_IS_STRUCK = 60, 0x10, 0x8
_POSITIONS = {1: "super", 2: "sub"}
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
        self._styles, self._fonts = _looks(self._records("styles"))
        self._strings = [self._rich(data, 0) for kind, data in self._records("sharedStrings") if kind == _SHARED_STRING]
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
            elif 0 <= row < _MAX_ROW and self._left >= 0:
                text, kept = self._text(kind, data)
                if not text:
                    continue
                (column,) = struct.unpack_from("<I", data)
                self._left -= cost(text)
                if column >= _MAX_COLUMN or self._left < 0:
                    continue
                if kept:
                    sheet.rows.setdefault(row, {})[column] = kept
                if kept != text:
                    sheet.struck.setdefault(row, {})[column] = text
        sheet.rows = {row: dict(sorted(sheet.rows[row].items())) for row in sorted(sheet.rows)}
        sheet.extra = list(drawings(self._package, relation.target, number))
        sheet.files = list(embedded_in(self._package, relation.target, number))
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

    def _text(self, kind: int, data: bytes) -> tuple[str, str]:
        """A cell's text, and what of it is not struck; no text for any other record."""
        style = int.from_bytes(data[4:7], "little")
        code, is_struck = self._styles[style] if style < len(self._styles) else ("General", False)
        if kind in _STRINGS:
            text = spaced(_wide(data, 8)[0])
            return shown_text(CellText(text, text, ""), code, is_struck=is_struck)
        if kind == _INLINE_RICH:
            return shown_text(self._rich(data, 8), code, is_struck=is_struck)
        if kind == _SHARED:
            (index,) = struct.unpack_from("<I", data, 8)
            return shown_text(self._strings[index] if index < len(self._strings) else NO_TEXT, code, is_struck=is_struck)
        shown = self._value(kind, data, code)
        return shown, "" if is_struck else shown

    def _rich(self, data: bytes, at: int) -> CellText:
        """A text with its runs, each of which has a font of its own; that of the cell precedes them."""
        text, end = _wide(data, at + 1)
        if not data[at] & 1:
            return CellText(plain := spaced(text), plain, "")
        (number,) = struct.unpack_from("<I", data, end)
        starts = sorted(struct.iter_unpack("<2H", data[end + 4 : end + 4 + 4 * min(number, (len(data) - end - 4) // 4)]))
        written = text.encode("utf-16-le")
        ends = [*(start for start, _ in starts), len(written) // 2]
        runs = [(written[: 2 * ends[0]].decode("utf-16-le", "replace"), False, False)]
        for (start, font), stop in zip(starts, ends[1:], strict=True):
            is_struck, position = self._fonts[font] if font < len(self._fonts) else (False, "")
            runs.append((run_of(written[2 * start : 2 * stop].decode("utf-16-le", "replace"), position), is_struck, True))
        return text_of(runs)

    def _value(self, kind: int, data: bytes, code: str) -> str:
        """A number, truth value or error as Excel displays it; "" for any other record."""
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


def _looks(records: Iterator[tuple[int, bytes]]) -> tuple[list[tuple[str, bool]], list[tuple[bool, str]]]:
    """(format, whether it is struck) of each style, by the index that cells use, and (whether it is struck, position) of each font."""
    codes = dict(BUILT_IN)
    styles: list[tuple[str, bool]] = []
    fonts: list[tuple[bool, str]] = []
    in_cells = False
    for kind, data in records:
        if kind == _FORMAT:
            codes[struct.unpack_from("<H", data)[0]] = _wide(data, 2)[0]
        elif kind == _FONT:
            _, flags, _, position = struct.unpack_from("<4H", data)
            fonts.append((bool(flags & _FONT_IS_STRUCK), _POSITIONS.get(position, "")))
        elif kind in (_STYLES_START, _STYLES_END):
            in_cells = kind == _STYLES_START
        elif kind == _STYLE and in_cells:
            _, code, font = struct.unpack_from("<3H", data)
            styles.append((codes.get(code, "General"), font < len(fonts) and fonts[font][0]))
    return styles, fonts


def _packed_number(data: bytes) -> float:
    """A number in 30 bits: an integer or the upper bits of a real one, which may be in hundredths."""
    (bits,) = struct.unpack_from("<i", data, 8)
    value: float = bits >> 2 if bits & 2 else struct.unpack("<d", struct.pack("<Ii", 0, bits & ~3))[0]
    return value / 100 if bits & 1 else value
