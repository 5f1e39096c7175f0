"""Parses Excel files: a sheet is a heading and a page, its cells are tables with values as Excel displays them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.drawing import alt_text, read_chart
from footnote.ingest.parse.embedded import embedded_in
from footnote.ingest.parse.number_format import BUILT_IN, show, show_text
from footnote.ingest.parse.package import Element, Package, attr, child, count, damaged, local
from footnote.ingest.parse.runs import joined, run_of
from footnote.ingest.parse.sheet import MAX_CELLS, Comment, Comments, Sheet, cost, to_parsed
from footnote.types import Block, Parsed

_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_MAX_ROW, _MAX_COLUMN = 1_048_576, 16_384
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # OOXML's escape for characters that XML does not allow


class CellText(NamedTuple):
    """A text whose parts may look different. `whole`: with what is struck; `kept`: without it; `own`: of that, what has a look of its own
    and thus stays in a cell that is struck."""

    whole: str
    kept: str
    own: str


NO_TEXT = CellText("", "", "")


class _Style(NamedTuple):
    """How a cell looks. `code`: the format of its number."""

    code: str = "General"
    struck: bool = False


_NO_STYLE = _Style()


def parse(data: bytes) -> Parsed:
    """Parses an Excel file (.xlsx)."""
    package = Package(data)
    part = package.main_part("xl/workbook.xml")
    root = package.xml(part)
    if root is None:
        raise damaged()
    book = _Book(package, part, root)
    nodes = list(root.iterfind("{*}sheets/{*}sheet"))
    visible = [(number, node) for number, node in enumerate(nodes, 1) if attr(node, "state") not in ("hidden", "veryHidden")]
    sheets = [book.sheet(spaced(node.get("name") or ""), number, _relation_id(node)) for number, node in visible]
    book.leave_out_zeros(sheets)
    return to_parsed(sheets, package.title(), len(nodes), len(nodes) - len(visible), book.cells_left < 0)


class _Book:
    """State shared by the sheets: strings, formats, the cell limit."""

    def __init__(self, package: Package, part: str, root: Element) -> None:
        self._package = package
        self._relations = package.related(part)
        self._since_1904 = attr(child(root, "workbookPr"), "date1904") in ("1", "true")
        self._strings = [_string(node) for node in package.rows(self._of_kind("sharedStrings"), "si")]
        self._styles = _styles(package.xml(self._of_kind("styles")))
        self._people = people(package, self._of_kind("person"))
        self.cells_left = MAX_CELLS
        self._may_lack_values = attr(child(root, "calcPr"), "fullCalcOnLoad") in ("1", "true")
        self._zeros: list[set[tuple[int, int]]] = []

    def _of_kind(self, kind: str) -> str:
        return next((relation.target for relation in self._relations.values() if relation.kind == kind), "")

    def sheet(self, name: str, number: int, relation_id: str) -> Sheet:
        sheet = Sheet(name, number)
        self._zeros.append(set())
        relation = self._relations.get(relation_id)
        if relation is None:
            return sheet
        row_before = -1
        for node in self._package.rows(relation.target, "col", "row", "mergeCell"):
            if local(node) == "mergeCell":
                if (area := _area(node.get("ref") or "")) and len(sheet.merged) < MAX_CELLS:
                    sheet.merged.append(area)
                continue
            if local(node) == "col":
                if _is_hidden(node, "width") and len(sheet.hidden_columns) < _MAX_COLUMN:
                    sheet.hidden_columns.append((count(node, "min", _MAX_COLUMN) - 1, count(node, "max", _MAX_COLUMN) - 1))
                continue
            given = node.get("r") or ""
            row = int(given) - 1 if given.isdecimal() and len(given) < 8 else row_before + 1
            row_before = row
            if _is_hidden(node, "ht"):
                sheet.hidden_rows.append((row, row))
            if self.cells_left >= 0 and 0 <= row < _MAX_ROW and (cells := dict(self._cells(node, sheet, row))):
                sheet.rows[row] = cells
        if any(after < before for before, after in zip(sheet.rows, list(sheet.rows)[1:], strict=False)):
            sheet.rows = dict(sorted(sheet.rows.items()))
        sheet.headers = set(_headers(self._package, relation.target))
        sheet.extra = list(drawings(self._package, relation.target, number))
        sheet.files = list(embedded_in(self._package, relation.target, number))
        sheet.comments = _comments(self._package, relation.target, self._people)
        return sheet

    def _cells(self, row: Element, sheet: Sheet, number: int) -> Iterator[tuple[int, str]]:
        """(column, text) of the cells of a row; those with a formula but no value, and struck ones, are added to `sheet`."""
        column = -1
        for node in row:
            column = _column(node.get("r")) if node.get("r") else column + 1
            text, kept = self._text(node) if 0 <= column < _MAX_COLUMN else ("", "")
            if text or (len(node) and _is_unsaved(node)):
                self.cells_left -= cost(text)
                if self.cells_left < 0:
                    return
                if not text:
                    sheet.unsaved.add((number, column))
                elif text != kept:
                    sheet.struck.setdefault(number, {})[column] = text
                if kept:
                    yield column, kept
                if text and self._may_lack_values and child(node, "f") is not None:
                    self._may_lack_values = _value(node) == "0"
                    self._zeros[-1].add((number, column))

    def leave_out_zeros(self, sheets: list[Sheet]) -> None:
        """Takes the zeros of formulas for missing values if the file is to be calculated when it is opened and has no other value of a
        formula: programs that do not calculate write zeros."""
        for sheet, zeros in zip(sheets, self._zeros if self._may_lack_values else (), strict=False):
            for row, column in zeros:
                sheet.unsaved.add((row, column))
                sheet.rows.get(row, {}).pop(column, None)
                if not sheet.rows.get(row, True):
                    del sheet.rows[row]

    def _text(self, cell: Element) -> tuple[str, str]:
        """The text of a cell, and what of it is not struck."""
        kind = cell.get("t") or "n"
        index = cell.get("s") or "0"
        style = self._styles[int(index)] if index.isdecimal() and int(index) < len(self._styles) else _NO_STYLE
        if kind not in ("s", "inlineStr"):
            text = self._shown(kind, _value(cell), style.code)
            return text, "" if style.struck else text
        if kind == "inlineStr":
            string = _string(child(cell, "is"))
        else:
            value = _value(cell)
            string = self._strings[int(value)] if value.isdecimal() and int(value) < len(self._strings) else NO_TEXT
        return shown_text(string, style.code, is_struck=style.struck)

    def _shown(self, kind: str, value: str, code: str) -> str:
        """The value of a cell as Excel displays it."""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        if kind == "d":
            return value.replace("T00:00:00", "").replace("T", " ")
        if kind != "n" or not value:
            return show_text(spaced(_unescaped(value)), code)
        try:
            return show(int(value) if value.lstrip("-").isdecimal() else float(value), code, since_1904=self._since_1904)
        except (ValueError, OverflowError):
            return spaced(value)


def drawings(package: Package, part: str, number: int) -> Iterator[Block]:
    """The text boxes, alternative texts of pictures, and charts of a sheet's part; `number`: of the sheet."""
    for relation in package.related(part).values():
        root = package.xml(relation.target) if relation.kind == "drawing" else None
        if root is None:
            continue
        charts = package.related(relation.target)
        for node in root.iter("{*}cNvPr", "{*}txBody", "{*}chart"):
            tag = local(node)
            if tag == "chart" and (chart := charts.get(_relation_id(node))):
                yield from read_chart(package, chart.target, number)
            elif tag == "txBody" and (text := spaced("\0".join("".join(p.itertext()) for p in node.iterfind("{*}p")))):
                yield Block("paragraph", text, page=number)
            elif tag == "cNvPr" and (text := alt_text(node)):
                yield Block("image", text, page=number)


def _headers(package: Package, part: str) -> Iterator[int]:
    """The rows that name the columns of the tables that were made of a sheet's cells (“Format as table”)."""
    for relation in package.related(part).values():
        root = package.xml(relation.target) if relation.kind == "table" else None
        if root is not None and root.get("headerRowCount") != "0" and (area := _area(root.get("ref") or "")):
            yield area[0]


def people(package: Package, part: str) -> dict[str, str]:
    """The names of those who wrote threads of comments, by their ids."""
    return {node.get("id") or "": node.get("displayName") or "" for node in package.rows(part, "person")}


def threads(package: Package, part: str, people: Mapping[str, str]) -> Comments:
    """The threads of comments in a part. `people`: id → name."""
    found: Comments = {}
    for node in package.rows(part, "threadedComment"):
        if each := _comment(found, node):
            each.add(people.get(node.get("personId") or "", ""), spaced("".join(node.itertext())))
    return found


def _comments(package: Package, part: str, people: Mapping[str, str]) -> Comments:
    """Those of a sheet's part: threads, and notes of cells without a thread, because each thread has a note for older programs."""
    parts = {relation.kind: relation.target for relation in package.related(part).values()}
    found = threads(package, parts.get("threadedComment", ""), people)
    authors = [node.text or "" for node in package.rows(parts.get("comments", ""), "author")]
    for node in package.rows(parts.get("comments", ""), "comment"):
        place = node.get("authorId") or ""
        if (each := _comment(found, node)) and not each.remarks:
            each.add(authors[int(place)] if place.isdecimal() and int(place) < len(authors) else "", _string(child(node, "text")).kept)
    return found


def _comment(found: Comments, node: Element) -> Comment | None:
    """The comment on the cell that an element names."""
    cell = node.get("ref") or ""
    match = _REFERENCE.fullmatch(cell)
    return found.setdefault(int(match[2]) - 1, {}).setdefault(_column(cell), Comment(cell)) if match else None


def _styles(root: Element | None) -> list[_Style]:
    """Each style, by the index that cells use."""
    if root is None:
        return []
    codes = {node.get("numFmtId"): node.get("formatCode") or "General" for node in root.iterfind("{*}numFmts/{*}numFmt")}
    struck = {str(i) for i, font in enumerate(root.iterfind("{*}fonts/{*}font")) if _is_struck(font)}
    found: list[_Style] = []
    for node in root.iterfind("{*}cellXfs/{*}xf"):
        name = node.get("numFmtId") or "0"
        code = codes.get(name) or (BUILT_IN.get(int(name), "General") if name.isdecimal() else "General")
        found.append(_Style(code, (node.get("fontId") or "0") in struck))
    return found


def _is_struck(font: Element | None) -> bool:
    line = child(font, "strike")
    return line is not None and line.get("val") not in ("0", "false")


def _string(node: Element | None) -> CellText:
    """A text without phonetic readings (East Asian editions)."""
    if node is None:
        return NO_TEXT
    if len(node) == 1 and local(node[0]) == "t":  # most have one look
        text = spaced(_unescaped(node[0].text or ""))
        return CellText(text, text, "")
    return text_of(_runs(node))


def _runs(node: Element) -> Iterator[tuple[str, bool, bool]]:
    for part in node:
        look, text = (child(part, "rPr"), child(part, "t")) if local(part) == "r" else (None, part)
        if text is not None and local(text) == "t":
            position = attr(child(look, "vertAlign"), "val") or ""
            yield run_of(_unescaped(text.text or ""), position), _is_struck(look), look is not None


def text_of(runs: Iterable[tuple[str, bool, bool]]) -> CellText:
    """The text of a cell. `runs`: (text, whether it is struck, whether it has a look of its own) of each part."""
    found = list(runs)
    kept = [run for run in found if not run[1]]
    text, *others = (spaced(joined([run[0] for run in part])) for part in (found, kept, [run for run in kept if run[2]]))
    return CellText(text, text if len(kept) == len(found) else others[0], others[1])


def shown_text(text: CellText, code: str, *, is_struck: bool) -> tuple[str, str]:
    """The text of a cell in its format, and what of it is not struck. `is_struck`: whether the cell is."""
    kept = text.own if is_struck else text.kept
    shown = show_text(text.whole, code)
    return shown, shown if kept is text.whole else show_text(kept, code) if kept else ""


def _value(cell: Element) -> str:
    return next((node.text for node in cell if local(node) == "v"), None) or ""


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _is_unsaved(cell: Element) -> bool:
    """Whether a cell has a formula but no value; that of a text may be empty."""
    parts = {local(node): node.text for node in cell}
    return "f" in parts and not parts.get("v") and not (cell.get("t") == "str" and "v" in parts)


def _column(reference: str | None) -> int:
    """`B3` → 1."""
    match = _REFERENCE.fullmatch(reference or "")
    column = 0
    for letter in match[1] if match else "":
        column = column * 26 + ord(letter) - 64
    return column - 1


def _is_hidden(node: Element, size: str) -> bool:
    """Whether a row or a column is not shown. `size`: the attribute of its height or width."""
    return node.get("hidden") in ("1", "true") or node.get(size) in ("0", "0.0")


def _area(reference: str) -> tuple[int, int, int, int] | None:
    """`A1:B3` → first row, first column, last row, last column."""
    first, _, last = reference.partition(":")
    start, end = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last)
    return (int(start[2]) - 1, _column(first), int(end[2]) - 1, _column(last)) if start and end else None


def _relation_id(node: Element) -> str:
    return next((value for key, value in node.items() if key.endswith("}id")), "")
