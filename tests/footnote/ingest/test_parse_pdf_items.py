"""PDF: tables without rules whose rows take several lines, such as the items of invoices."""

from __future__ import annotations

from footnote.ingest.parse import parse
from tests.footnote.ingest.pdf_files import Drawing, Text, make_pdf, paragraph

NAMES = [Text(60, 700, "Pos"), Text(100, 700, "Description"), Text(300, 700, "Price"), Text(370, 700, "Number"), Text(450, 700, "Total")]


def item(y: float, *cells: str) -> list[Text]:
    return [Text(x, y, text) for x, text in zip((60, 100, 300, 370, 450), cells, strict=True) if text]


def kinds_and_texts(*page: Drawing) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse(make_pdf([page]), "a.pdf").blocks]


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in text.split("\n")]


def test_an_item_whose_total_is_in_the_next_line_is_one_row() -> None:
    page = [*NAMES, *item(675, "1", "Mooring", "23,10", "2", ""), Text(450, 665, "46,20")]
    page += [*item(640, "2", "Electricity", "5,04", "3", ""), Text(450, 630, "15,12"), *paragraph("Thank you for your visit.", y=560)]
    assert kinds_and_texts(*page) == [
        (
            "table",
            "| Pos | Description | Price | Number | Total |\n| --- | --- | --- | --- | --- |\n"
            "| 1 | Mooring | 23,10 | 2 | 46,20 |\n| 2 | Electricity | 5,04 | 3 | 15,12 |",
        ),
        ("paragraph", "Thank you for your visit."),
    ]


def test_the_lines_of_a_description_are_one_cell_however_long_they_are() -> None:
    page = [
        *NAMES,
        *item(675, "1", "Mooring", "23,10", "2", "46,20"),
        Text(100, 663, "from 1 May until 3 May, with the tax of the port"),
    ]
    page += item(640, "2", "Electricity", "5,04", "3", "15,12")
    [(_, text)] = kinds_and_texts(*page)
    assert rows_of(text)[2][1] == "Mooring from 1 May until 3 May, with the tax of the port"
    assert rows_of(text)[3] == ["2", "Electricity", "5,04", "3", "15,12"]


def test_cells_that_are_missing_stay_empty() -> None:
    page = [*NAMES, *item(675, "1", "Mooring", "23,10", "", "46,20"), *item(660, "2", "Electricity", "", "3", "15,12")]
    [(_, text)] = kinds_and_texts(*page)
    assert rows_of(text)[2:] == [["1", "Mooring", "23,10", "", "46,20"], ["2", "Electricity", "", "3", "15,12"]]


NAMED = [(60, "Pos"), (100, "Description"), (300, "Price"), (370, "Number"), (450, "Total")]


def test_names_of_columns_may_be_higher_or_take_several_lines() -> None:
    names = [Text(60, 704, "Pos"), Text(100, 710, "Boat"), Text(100, 699, "Berth"), *(Text(x, 704, t) for x, t in NAMED[2:])]
    page = [*names, *item(675, "1", "Gull", "23,10", "", "46,20"), *item(660, "2", "Heron", "", "3", "15,12")]
    [(_, text)] = kinds_and_texts(*page)
    assert rows_of(text)[0] == ["Pos", "Boat Berth", "Price", "Number", "Total"]


def test_the_names_of_the_rows_are_a_column_although_it_has_no_name() -> None:
    names = [Text(x, 700, name) for x, name in ((200, "May"), (280, "June"), (360, "July"), (440, "August"))]
    rows = [Text(60, 685, "Gull"), *(Text(x, 685, value) for x, value in ((200, "4"), (280, "9"), (360, "7"), (440, "8")))]
    rows += [Text(60, 670, "Heron"), *(Text(x, 670, value) for x, value in ((200, "3"), (280, "2"), (360, "6"), (440, "5")))]
    [(_, text)] = kinds_and_texts(*names, *rows)
    assert rows_of(text)[0] == ["", "May", "June", "July", "August"]
    assert rows_of(text)[2] == ["Gull", "4", "9", "7", "8"]


def test_a_caption_below_such_a_table_is_no_cell() -> None:
    page = [*NAMES, *item(675, "1", "Mooring", "23,10", "", "46,20"), *item(660, "2", "Power", "", "3", "15,12")]
    found = kinds_and_texts(*page, Text(60, 640, "Table 1: What a night in the port of Kirkwall cost in the summer of last year"))
    assert [kind for kind, _ in found] == ["table", "caption"]


def test_words_in_columns_without_numbers_are_no_such_table() -> None:
    page = [*NAMES, *item(675, "a", "Mooring", "low", "", "few"), *item(660, "b", "Power", "", "one", "none")]
    assert "table" not in [kind for kind, _ in kinds_and_texts(*page)]
