"""Binary Excel files: the same tables as of other sheets."""

from __future__ import annotations

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block
from tests.footnote.ingest.ole_files import xlsb
from tests.footnote.ingest.packages import zip_of


def test_each_sheet_is_a_heading_and_its_tables() -> None:
    parsed = parse(xlsb({"Gebühren": [["Ort", "shared"], ["Köln", 2.5], ["서울", 2000]], "Ja": [["a", True]]}), "fees.xlsb")
    table = "| Ort | shared |\n| --- | --- |\n| Köln | 2.5 |\n| 서울 | 2000 |"
    assert parsed.blocks[:2] == (Block("heading", "Gebühren", 1, 1), Block("table", table, page=1))
    assert parsed.blocks[2:] == (Block("heading", "Ja", 1, 2), Block("table", "| a | TRUE |\n| --- | --- |", page=2))
    assert (parsed.format, parsed.pages, parsed.title) == ("xlsb", 2, "fees")


def test_numbers_are_shown_in_their_formats() -> None:
    data = xlsb({"A": [["Share", (0.07, 0)], ["Fee", (1234.5, 1)], ["From", (44562.0, 2)]]}, ["0%", '#,##0.00 "€"', "dd/mm/yyyy"])
    assert parse(data, "a.xlsb").blocks[1].text.replace("| --- | --- |\n", "").splitlines()[-3:] == [
        "| Share | 7% |",
        "| Fee | 1,234.50 € |",
        "| From | 2022-01-01 |",
    ]


def test_a_cell_merged_over_rows_is_repeated_in_them() -> None:
    data = xlsb({"A": [["Line", "Stop"], ["8", "Köln"], ["", "Bonn"]]}, merged=[(1, 2, 0, 0)])
    assert parse(data, "a.xlsb").blocks[1].text.splitlines()[2:] == ["| 8 | Köln |", "| 8 | Bonn |"]


def test_hidden_sheets_are_left_out_with_a_note() -> None:
    parsed = parse(xlsb({"A": [["x", "y"]], ".B": [["secret"]]}), "a.xlsb")
    assert "secret" not in str(parsed.blocks)
    assert parsed.reason == "Hidden sheets were left out: 1."


def test_hidden_rows_and_columns_are_left_out_and_counted() -> None:
    staff = [["Name", "Salary", "Room"], ["Alma", 4100.0, 101.0], ["Bela", 3900.0, 102.0], ["Cleo", 3800.0, 103.0]]
    parsed = parse(xlsb({"A": staff}, hidden_rows=(2,), hidden_columns=[(1, 1), (3, 16383)]), "a.xlsb")
    assert parsed.blocks[1].text == "| Name | Room |\n| --- | --- |\n| Alma | 101 |\n| Cleo | 103 |"
    assert parsed.reason == "Hidden rows were left out: 1. Hidden columns were left out: 1."


@pytest.mark.parametrize("book", [b"\xff" * 50, b"\x9c\x01\x02ab", b"", b"\x9c\x01\x10" + b"\x0f" * 16])
def test_a_damaged_file_is_refused(book: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"^This file is damaged"):
        parse(zip_of({"xl/workbook.bin": book}), "a.xlsb")
    with pytest.raises(UnreadableFile, match=r"^This file is damaged"):
        parse(xlsb({"A": [["x"]]})[:-60], "a.xlsb")


def test_long_integers_keep_all_digits_and_texts_their_zeros() -> None:
    data = xlsb({"A": [["card", "code"], [5105105105105100.0, "000123"], [4.0e17, "0044"]]})
    assert parse(data, "a.xlsb").blocks[1].text.splitlines()[2:] == ["| 5105105105105100 | 000123 |", "| 400000000000000000 | 0044 |"]


def test_a_note_names_the_cell_that_it_is_on() -> None:
    data = xlsb({"A": [["boat", "fee"], ["Kayak", 5.0]]}, notes=[(1, 1, "Ada Berg", "Ada Berg:\nfrom May on"), (4, 3, "", "unused")])
    assert [block.text for block in parse(data, "a.xlsb").blocks[2:]] == [
        "Comment on Kayak, fee (Ada Berg): from May on",
        "Comment on D5: unused",
    ]


def test_struck_cells_and_runs_leave_and_raised_text_keeps_apart() -> None:
    fonts, text = [(False, 0), (True, 0), (False, 1)], ["General"] * 3
    table: list[list[str | float | bool | tuple[float, int]]] = [
        ["Boat", "Fee"],
        ["Kayak", (7.0, 1)],
        ["Ferry", "shared"],
        ["Canoe", (9.0, 0)],
    ]
    lines = parse(xlsb({"A": table}, text, fonts=fonts, runs=[(1, 1), (4, 0), (5, 2)]), "a.xlsb").blocks[1].text.splitlines()
    assert lines[-3:] == ["| Kayak |  |", "| Ferry | se^d |", "| Canoe | 9 |"]
    lines = parse(xlsb({"A": table}, text, fonts=fonts, runs=[(0, 0), (4, 2), (9, 9), (2, 1)]), "a.xlsb").blocks[1].text.splitlines()
    assert lines[-2] == "| Ferry | shed |"


def test_a_struck_row_leaves_no_gap() -> None:
    data = xlsb({"A": [["No", "Fee"], [1.5, 4.0], [(2.5, 1), (7.0, 1)], [3.5, 9.0]]}, ["General"] * 2, fonts=[(False, 0), (True, 0)])
    assert parse(data, "a.xlsb").blocks[1].text.splitlines()[2:] == ["| 1.5 | 4 |", "| 3.5 | 9 |"]
