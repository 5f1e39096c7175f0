"""Old Excel files, written by a library that is independent of the parser under test."""

from __future__ import annotations

import io
import struct
from datetime import date, datetime
from typing import Any

import pytest
import xlwt
from xlwt.CompoundDoc import XlsDoc

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse, sheet, xls
from footnote.types import Block, Parsed


def saved(book: xlwt.Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def book_of(*rows: list[Any], formats: dict[tuple[int, int], str] | None = None) -> xlwt.Workbook:
    """One sheet, `Fees`. `formats`: how cells are shown, by row and column."""
    book = xlwt.Workbook()
    fees = book.add_sheet("Fees")
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            fees.write(row, column, value, xlwt.easyxf(num_format_str=(formats or {}).get((row, column), "General")))
    return book


def read(book: xlwt.Workbook) -> Parsed:
    return parse(saved(book), "fees.xls")


def test_a_sheet_of_an_old_file_is_a_heading_and_a_page() -> None:
    book = book_of(["Boat", "Fee"], ["Fähre “Ölk” 😀", 5])
    second = book.add_sheet("보트")
    second.write(0, 0, "노")
    second.write(0, 1, "돛")
    parsed = read(book)
    assert parsed.blocks == (
        Block("heading", "Fees", 1, 1),
        Block("table", "| Boat | Fee |\n| --- | --- |\n| Fähre “Ölk” 😀 | 5 |", page=1),
        Block("heading", "보트", 1, 2),
        Block("table", "| 노 | 돛 |\n| --- | --- |", page=2),
    )
    assert (parsed.pages, parsed.title, parsed.format, parsed.reason) == (2, "fees", "xls", None)


def test_cells_of_an_old_file_are_read_as_displayed() -> None:
    values = [date(2024, 1, 1), datetime(2023, 12, 31, 18, 30), 0.125, 1234.5, -5, True, 0.1 + 0.2, "two\nlines"]
    formats = {(1, 0): "dd.mm.yyyy", (1, 1): "d/m/yy h:mm", (1, 2): "0.0%", (1, 3): '#,##0.00 "CHF"', (1, 4): "0;(0)"}
    book = book_of(list("abcdefgh"), values, formats=formats)
    book.get_sheet(0).row(1).set_cell_error(8, "#DIV/0!")
    assert read(book).blocks[1].text.split("\n")[2] == (
        "| 01.01.2024 | 2023-12-31 18:30 | 12.5% | 1,234.50 CHF | (5) | TRUE | 0.3 | two lines | #DIV/0! |"
    )


def test_an_old_file_with_the_1904_date_system_is_read() -> None:
    book = book_of(["day", "n"], [43830, 43830], formats={(1, 0): "yyyy-mm-dd"})
    book.dates_1904 = True
    assert read(book).blocks[1].text.endswith("| 2024-01-01 | 43830 |")


def test_a_cell_of_an_old_file_merged_over_rows_is_repeated_in_each() -> None:
    book = book_of(["zone", "boat"], [], [], ["", "bus"])
    fees = book.get_sheet(0)
    fees.write_merge(1, 2, 0, 0, "east")
    fees.write(1, 1, "kayak")
    fees.write(2, 1, "ferry")
    assert read(book).blocks[1].text == "| zone | boat |\n| --- | --- |\n| east | kayak |\n| east | ferry |\n|  | bus |"


def test_hidden_sheets_of_an_old_file_are_left_out_and_named() -> None:
    book = book_of(["a", "b"])
    for visibility in (1, 2):
        hidden = book.add_sheet(f"secret {visibility}")
        hidden.write(0, 0, "secret")
        hidden.visibility = visibility
    parsed = read(book)
    assert "secret" not in str(parsed.blocks)
    assert (parsed.pages, parsed.reason, parsed.remedy) == (3, "Hidden sheets were left out: 2.", "Show them and add the file again.")


def test_hidden_rows_and_columns_of_an_old_file_are_left_out_and_counted() -> None:
    book = book_of(["Name", "Salary", "Room"], ["Alma", 4100, 101], ["Bela", 3900, 102], ["Cleo", 3800, 103])
    book.get_sheet(0).col(1).hidden = True
    book.get_sheet(0).row(2).hidden = True
    parsed = read(book)
    assert parsed.blocks[1].text == "| Name | Room |\n| --- | --- |\n| Alma | 101 |\n| Cleo | 103 |"
    assert parsed.reason == "Hidden rows were left out: 1. Hidden columns were left out: 1."
    assert parsed.remedy == "Show them and add the file again."


def test_a_single_cell_at_the_far_corner_of_an_old_file_costs_nothing() -> None:
    book = book_of(["a", "b"])
    book.get_sheet(0).write(65_535, 255, "end")
    assert [block.text for block in read(book).blocks] == ["Fees", "| a | b |\n| --- | --- |", "end"]


@pytest.mark.parametrize(("limit", "kept", "is_cut"), [(6, ["a", "c", "e"], False), (5, ["a", "c"], True), (2, ["a"], True)])
def test_cells_of_an_old_file_above_the_limit_are_left_out_with_a_note(
    limit: int, kept: list[str], is_cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (sheet, xls):
        monkeypatch.setattr(module, "MAX_CELLS", limit)
    parsed = read(book_of(["a", "b"], ["c", "d"], ["e", "f"]))
    text = parsed.blocks[1].text
    assert [letter for letter in "ace" if f"| {letter} |" in text] == kept
    assert (parsed.reason == f"Only the first {limit} cells were read.") is is_cut


def test_a_long_text_of_an_old_file_counts_as_several_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xls, "MAX_CELLS", 6)
    assert read(book_of(["b"], ["x" * 499])).reason is None  # 1 + 5
    assert read(book_of(["b"], ["x" * 500])).reason is not None


def test_an_old_file_with_a_password_is_refused() -> None:
    stream = book_of(["a"]).get_biff_data()
    first = 4 + struct.unpack_from("<H", stream, 2)[0]
    file = io.BytesIO()
    XlsDoc().save(file, stream[:first] + struct.pack("<HHHHH", 0x2F, 6, 0, 1, 2) + stream[first:])
    with pytest.raises(UnreadableFile, match="password"):
        parse(file.getvalue(), "fees.xls")


def test_a_damaged_old_file_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse(saved(book_of(["a", "b"]))[:-10], "fees.xls")


def test_an_old_file_without_cells_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="contains no text"):
        read(book_of())


def test_long_integers_keep_all_digits_and_texts_their_zeros() -> None:
    table = read(book_of(["card", "code"], [5105105105105100, "000123"])).blocks[1].text
    assert table.split("\n")[2] == "| 5105105105105100 | 000123 |"


def test_a_note_names_the_cell_that_it_is_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library that writes the files of these tests writes no notes."""
    import xlrd

    def with_note(**options: Any) -> xlrd.Book:
        book = opened(**options)
        note = xlrd.sheet.Note()
        note.author, note.text = "Ada Berg", "Ada Berg:\nfrom May on"
        book.sheet_by_index(0).cell_note_map = {(1, 1): note}
        return book

    opened = xlrd.open_workbook
    monkeypatch.setattr(xlrd, "open_workbook", with_note)
    assert read(book_of(["boat", "fee"], ["Kayak", 5])).blocks[2].text == "Comment on Kayak, fee (Ada Berg): from May on"


def test_what_is_struck_through_is_left_out() -> None:
    book = xlwt.Workbook()
    fees = book.add_sheet("Fees")
    struck = xlwt.easyxf("font: struck_out on")
    plain_font, struck_font = xlwt.Font(), xlwt.Font()
    struck_font.struck_out = True
    for column, name in enumerate(("Boat", "Fee", "Note")):
        fees.write(0, column, name)
    fees.write(1, 0, "Fähre")
    fees.write_rich_text(1, 1, [("30", struck_font), (" 48 Euro", plain_font)])
    fees.write(1, 2, "old", struck)
    fees.write(2, 0, "Kajak", struck)
    fees.write(2, 1, 9, struck)
    fees.write(3, 0, "Jolle")
    fees.write(3, 1, "12 Euro")
    fees.write(3, 2, "new")
    assert read(book).blocks[1].text.split("\n")[2:] == ["| Fähre | 48 Euro |  |", "| Jolle | 12 Euro | new |"]


def test_a_cell_that_is_struck_keeps_what_has_a_look_of_its_own() -> None:
    book = xlwt.Workbook()
    fees = book.add_sheet("Fees")
    plain_font = xlwt.Font()
    fees.write(0, 0, "Boat")
    fees.write_rich_text(1, 0, ["Kajak ", ("Jolle", plain_font)], xlwt.easyxf("font: struck_out on"))
    assert "Kajak" not in read(book).blocks[-1].text
    assert "Jolle" in read(book).blocks[-1].text
