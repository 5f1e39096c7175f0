"""Parses old Excel files (.xls) into the same blocks as new ones."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.number_format import show, show_text
from footnote.ingest.parse.package import damaged, needs_password
from footnote.ingest.parse.sheet import MAX_CELLS, Comment, Sheet, cell_name, cost, to_parsed
from footnote.types import Parsed

if TYPE_CHECKING:
    import xlrd


def parse(data: bytes) -> Parsed:
    """Parses an old Excel file (.xls)."""
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=data, formatting_info=True, ragged_rows=True, logfile=io.StringIO())
    except xlrd.XLRDError as exc:
        raise needs_password() if "encrypted" in str(exc) else damaged() from exc
    except MemoryError:
        raise
    except Exception as exc:  # xlrd raises arbitrary exceptions for damaged files
        raise damaged() from exc
    left = MAX_CELLS
    sheets: list[Sheet] = []
    for number, source in enumerate(book.sheets(), 1):
        if source.visibility == 0:
            sheet = Sheet(spaced(source.name), number)
            left = _fill(sheet, book, source, left)
            sheets.append(sheet)
    return to_parsed(sheets, "", book.nsheets, book.nsheets - len(sheets), left < 0)


def _fill(sheet: Sheet, book: xlrd.Book, source: xlrd.sheet.Sheet, left: int) -> int:
    """Reads the cells; returns how many more may be read, negative if there were too many."""
    sheet.merged = [(top, first, bottom - 1, last - 1) for top, bottom, first, last in source.merged_cells]
    sheet.hidden_rows = [(row, row) for row, info in source.rowinfo_map.items() if info.hidden]
    sheet.hidden_columns = [(column, column) for column, info in source.colinfo_map.items() if info.hidden]
    for (row, column), note in source.cell_note_map.items():
        sheet.comments.setdefault(row, {})[column] = Comment(cell_name(row, column))
        sheet.comments[row][column].add(note.author, spaced(note.text))
    for row in range(source.nrows):
        cells = {c: text for c in range(source.row_len(row)) if (text := _text(book, source.cell(row, c)))}
        left -= sum(map(cost, cells.values()))
        if left < 0:
            break
        for column, text in list(cells.items()):
            kept = _kept(book, source, row, column, text)
            if kept != text:
                sheet.struck.setdefault(row, {})[column] = text
                cells[column] = kept
        if any(cells.values()):
            sheet.rows[row] = {column: text for column, text in cells.items() if text}
    return left


def _kept(book: xlrd.Book, source: xlrd.sheet.Sheet, row: int, column: int, text: str) -> str:
    """What of a cell's text is not struck through. Its first part has the font of its cell, the others have their own."""
    cell = source.cell(row, column)
    style = _style(book, cell)
    is_struck = style is not None and _is_struck(book, style.font_index)
    runs = source.rich_text_runlist_map.get((row, column), []) if isinstance(cell.value, str) else []
    if not any(_is_struck(book, font) is not is_struck for _, font in runs):
        return "" if is_struck else text
    starts = [(0, is_struck), *((offset, _is_struck(book, font)) for offset, font in runs)]
    ends = [*(offset for offset, _ in runs), len(cell.value)]
    return spaced("".join(cell.value[start:end] for (start, struck), end in zip(starts, ends, strict=True) if not struck))


def _is_struck(book: xlrd.Book, font: int) -> bool:
    return font < len(book.font_list) and bool(book.font_list[font].struck_out)


def _style(book: xlrd.Book, cell: xlrd.sheet.Cell) -> xlrd.formatting.XF | None:
    return book.xf_list[cell.xf_index] if cell.xf_index is not None and cell.xf_index < len(book.xf_list) else None


def _text(book: xlrd.Book, cell: xlrd.sheet.Cell) -> str:
    import xlrd

    style = _style(book, cell)
    found = book.format_map.get(style.format_key) if style is not None else None
    code = found.format_str if found is not None else "General"
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return show(cell.value, code, since_1904=book.datemode == 1)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, ""))
    return show_text(spaced(str(cell.value)), code)
