"""CSV and TSV."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.ingest.parse import parse
from footnote.ingest.parse.table import with_header
from footnote.types import Block


def table(data: str, file_name: str = "list.csv") -> list[str]:
    (block,) = parse(data.encode(), file_name).blocks
    assert block.kind == "table"
    return block.text.split("\n")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    rows = [["name", "fee"], ["Lake, north; east", "5"], ["Hill", "7"]]
    data = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)
    assert table(data) == ["| name | fee |", "| --- | --- |", "| Lake, north; east | 5 |", "| Hill | 7 |"]


def test_decimal_commas_do_not_hide_the_semicolons() -> None:
    assert table("Ort;Preis\nSee;1,50\nBerg;2,75\n")[2] == "| See | 1,50 |"


def test_empty_rows_are_left_out() -> None:
    assert len(table("a,b\n,\n\n1,2\n")) == 3


def test_a_title_above_the_header_is_a_caption() -> None:
    blocks = parse(b"Fees 2024,,\nname,fee,note\nLake,5,-\n", "list.csv").blocks
    assert blocks == (Block("caption", "Fees 2024"), Block("table", "| name | fee | note |\n| --- | --- | --- |\n| Lake | 5 | - |"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            'a,b\r\n"two\nlines","say ""x|y"""\r\n',
            ["| a | b |", "| --- | --- |", '| two lines | say "x\\|y" |'],
            id="a quoted cell may contain line ends quotes and bars",
        ),
        pytest.param(
            "a,b,c\n1\n1,2,3,4\n",
            ["| a | b | c |  |", "| --- | --- | --- | --- |", "| 1 |  |  |  |", "| 1 | 2 | 3 | 4 |"],
            id="short rows are padded",
        ),
        pytest.param("sep=|\na|b\n1,5|2,5\n", ["| a | b |", "| --- | --- |", "| 1,5 | 2,5 |"], id="excels sep line sets the delimiter"),
        pytest.param("name\nLake\nHill\n", ["| name |", "| --- |", "| Lake |", "| Hill |"], id="a single column is a table too"),
    ],
)
def test_a_list_becomes_a_table(given: Any, expected: Any) -> None:
    assert table(given) == expected


def test_an_unclosed_quote_loses_no_text() -> None:
    assert "Hill" in "\n".join(table('name,fee\n"Lake,5\nHill,7\n'))


def test_a_very_long_cell_is_read() -> None:
    assert len(table("a,b\n" + "x" * 200_000 + ",1\n")[2]) > 200_000


@pytest.mark.parametrize(
    "rows",
    [
        [["Labor Day", "January 1"], ["May Day", "May 1"], ["Boxing Day", "last Monday"]],
        [["Neujahr", "1. Januar"], ["Tag der Arbeit", "1. Mai"]],
        [["설날", "1월 1일"], ["추석", "9월 25일"]],
        [["Rent", "1,200.00 €"], ["Water", "40 €"]],
    ],
)
def test_a_first_row_of_data_gets_an_empty_header_above_it(rows: list[list[str]]) -> None:
    assert with_header(rows) == [["", ""], *rows]


@pytest.mark.parametrize(
    "rows",
    [
        [["Holiday", "Date"], ["May Day", "May 1"], ["Boxing Day", "December 26"]],
        [["Cost", "2024"], ["Rent", "1200"], ["Water", "400"]],
        [["Step", "1"], ["Pay", "1200"]],
        [["Quantity", "100", "500"], ["Price", "1.20", "1.10"]],
        [["Account", "01.01.2024", "31.12.2024"], ["Cash", "1,200.00", "900.00"]],
        [["Rent", "1,200.00 €"]],
        [],
    ],
)
def test_a_first_row_that_may_be_a_header_stays_one(rows: list[list[str]]) -> None:
    assert with_header(rows) == rows
