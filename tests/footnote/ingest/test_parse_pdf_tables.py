"""Ruled tables of PDFs, and rules that do not form a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footnote.ingest.parse import parse
from footnote.types import Block
from tests.footnote.ingest.pdf_files import Background, Drawing, Rule, Text, make_pdf, paragraph


def blocks(*pages: Sequence[Drawing], form: bool = False) -> list[Block]:
    return [replace(block, places=()) for block in parse(make_pdf(pages, form=form), "a.pdf").blocks]


def ruled(rows: Sequence[Sequence[str]], y: float = 700, upright: Sequence[float] = (50, 200, 300, 400)) -> list[Drawing]:
    """Rows 40 high with the upper edge at `y`; a cell's text is cut at its line ends."""
    drawn: list[Drawing] = []
    bottom = y - 40 * len(rows)
    for j, row in enumerate(rows):
        for x, cell in zip(upright, row, strict=False):
            drawn += [Text(x + 5, y - 40 * j - 12 - 12 * k, line) for k, line in enumerate(cell.split("\n")) if line]
    drawn += [Rule(upright[0], y - 40 * j, upright[-1], y - 40 * j) for j in range(len(rows) + 1)]
    return drawn + [Rule(x, bottom, x, y) for x in upright]


FEES = [("Name", "Fee", "City"), ("Anna\nMiller", "5", "Rome"), ("Bob", "", "Paris")]
FEES_TEXT = "| Name | Fee | City |\n| --- | --- | --- |\n| Anna Miller | 5 | Rome |\n| Bob |  | Paris |"


def test_a_ruled_table_keeps_its_cells_of_several_lines_and_its_empty_ones() -> None:
    before, after = paragraph("The fees.", y=740), paragraph("That is all.", y=500)
    assert blocks([*before, *ruled(FEES), *after]) == [
        Block("paragraph", "The fees.", 0, 1),
        Block("table", FEES_TEXT, 0, 1),
        Block("paragraph", "That is all.", 0, 1),
    ]


def test_words_of_adjacent_cells_are_separated_by_the_rule_between_them() -> None:
    rows = [("Left side", "Right"), ("of a rule", "side")]
    page = ruled(rows, upright=(50, 94, 200))
    assert [block.text for block in blocks(page)] == ["| Left side | Right |\n| --- | --- |\n| of a rule | side |"]


def test_a_table_drawn_in_a_form_is_found() -> None:
    assert [block.text for block in blocks(ruled(FEES), form=True)] == [FEES_TEXT]


def test_a_coloured_page_does_not_hide_its_tables() -> None:
    band = [Rule(0, 700, 600, 700), Rule(0, 800, 600, 800)]
    page = [Background(), *band, *paragraph("The fees.", y=740), *ruled(FEES, y=660), *paragraph("That is all.", y=460)]
    assert [block.text for block in blocks(page)] == ["The fees.", FEES_TEXT, "That is all."]


def test_rules_below_headings_as_wide_as_a_table_do_not_hide_it() -> None:
    names = {760: "Fees of the year", 520: "More than that", 480: "And all the rest"}
    headings = [part for y, name in names.items() for part in (Text(55, y, name), Rule(50, y - 5, 400, y - 5))]
    assert [block.text for block in blocks([*headings, *ruled(FEES)]) if block.kind == "table"] == [FEES_TEXT]


def test_a_header_over_two_columns_is_in_the_first_of_them() -> None:
    page = [*ruled([("", "", ""), ("Anna", "5", "6"), ("Bob", "7", "8")])]
    page = [drawing for drawing in page if drawing != Rule(300, 580, 300, 700)]
    page += [Rule(300, 580, 300, 660), Text(55, 688, "Name"), Text(270, 688, "Fees of both years")]
    assert [block.text for block in blocks(page)] == [
        "| Name | Fees of both years |  |\n| --- | --- | --- |\n| Anna | 5 | 6 |\n| Bob | 7 | 8 |"
    ]


def test_a_table_with_only_horizontal_rules_gets_its_columns_from_gaps() -> None:
    rows = [("Type", "Top 5", "Top 20"), ("Random", "47.0", "64.3"), ("Gold", "42.6", "63.1")]
    page: list[Drawing] = [Text(60 + 120 * i, 700 - 14 * j, cell) for j, row in enumerate(rows) for i, cell in enumerate(row)]
    page += [Rule(50, y, 400, y) for y in (712, 696, 667)]
    assert [block.text for block in blocks(page)] == [
        "| Type | Top 5 | Top 20 |\n| --- | --- | --- |\n| Random | 47.0 | 64.3 |\n| Gold | 42.6 | 63.1 |"
    ]


def test_a_table_continues_on_the_next_page_without_its_repeated_header() -> None:
    first = ruled([FEES[0], ("Anna", "5", "Rome"), ("Bob", "6", "Paris"), ("Cid", "7", "Oslo")], y=220)
    second = ruled([FEES[0], ("Dora", "8", "Bonn"), ("Eve", "9", "Kiel"), ("Finn", "1", "Ulm")], y=760)
    [table] = blocks(first, second)
    assert [line.split(" | ")[0] for line in table.text.split("\n")] == [
        "| Name",
        "| ---",
        "| Anna",
        "| Bob",
        "| Cid",
        "| Dora",
        "| Eve",
        "| Finn",
    ]


def test_a_row_that_a_page_break_parts_is_one_row() -> None:
    first = ruled([FEES[0], ("", "free", "")], y=140)
    second = ruled([FEES[0], ("Anna\nMiller", "", "Rome"), FEES[2]], y=780)
    assert [(block.text, block.page) for block in blocks(first, second)] == [(FEES_TEXT.replace("5", "free"), 1)]


def test_a_sentence_in_a_cell_continues_on_the_next_page() -> None:
    first, rest = [FEES[0], ("Anna", "5", "Rome, and in")], [FEES[0], ("", "", "winter Paris"), ("", "7", "Bonn")]
    rows = ["| Name | Fee | City |", "| --- | --- | --- |", "| Anna | 5 | Rome, and in winter Paris |", "|  | 7 | Bonn |"]
    assert [block.text for block in blocks(ruled(first, y=140), ruled(rest, y=780))] == ["\n".join(rows)]


def test_names_of_columns_in_several_lines_are_one_row() -> None:
    page = ruled([("Junior\nClerk", "Senior\nClerk", "Head\nClerk"), ("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9")])
    assert blocks(page)[0].text.split("\n")[0] == "| Junior Clerk | Senior Clerk | Head Clerk |"


def test_two_tables_on_a_page_stay_separate() -> None:
    page = [*ruled(FEES), *paragraph("Another table:", y=540), *ruled([("A", "B", "C"), ("1", "2", "3")], y=500)]
    assert [block.kind for block in blocks(page)] == ["table", "paragraph", "table"]


def test_a_frame_around_text_is_not_a_table() -> None:
    frame = [Rule(50, 650, 550, 650), Rule(50, 720, 550, 720), Rule(50, 650, 50, 720), Rule(550, 650, 550, 720)]
    page: list[Drawing] = [
        *frame,
        *paragraph("Note: the committee meets on the first Monday of each month, and", "sends its minutes to all."),
    ]
    assert blocks(page) == [
        Block("paragraph", "Note: the committee meets on the first Monday of each month, and sends its minutes to all.", 0, 1)
    ]


def test_columns_of_text_in_frames_are_not_a_table() -> None:
    text = [
        "The committee meets on the first Monday of",
        "each month and sends its minutes to all of",
        "the members within a week after the day.",
    ] * 8
    frames = [Rule(x, 300, x, 720) for x in (50, 290, 540)] + [Rule(50, y, 540, y) for y in (300, 600, 720)]
    page: list[Drawing] = [*frames, *paragraph(*text, x=60), *paragraph(*text, x=300)]
    assert {block.kind for block in blocks(page)} == {"paragraph"}


def test_rules_through_running_text_do_not_form_a_table() -> None:
    lines = paragraph(*["The committee meets on the first Monday of each month and then it sends the minutes."] * 4)
    grid = [Rule(x, 650, x, 720) for x in (100, 130, 260)] + [Rule(100, y, 260, y) for y in (650, 684, 720)]
    page: list[Drawing] = [*lines, *grid]
    assert {block.kind for block in blocks(page)} == {"paragraph"}


def two_columns(*rows: tuple[str, str], x: float = 120, y: float = 600) -> list[Drawing]:
    return [Text(left, y - 14 * i, text) for i, row in enumerate(rows) for left, text in zip((60, x), row, strict=True)]


def test_rows_of_two_columns_with_a_narrow_gap_stay_lines() -> None:
    rows = [("Oak", "9 to 12 metres"), ("Copper beech", "felled"), ("Elm", "7 to 8 metres")]
    page = [*paragraph("The trees of the park are old.", y=700), *two_columns(*rows, x=129)]
    texts = [block.text for block in parse(make_pdf([page]), "a.pdf").blocks]
    assert texts == ["The trees of the park are old.", "Oak 9 to 12 metres", "Copper beech felled", "Elm 7 to 8 metres"]


def test_the_name_of_a_narrow_table_does_not_run_into_its_rows() -> None:
    page = [Text(60, 614, "Fees"), *two_columns(("Permit", "12.00 EUR"), ("Copy", "0.50 EUR"), ("Authentication", "8.00 EUR"), x=130)]
    assert parse(make_pdf([page]), "a.pdf").blocks[0].text == "Fees\nPermit 12.00 EUR\nCopy 0.50 EUR\nAuthentication 8.00 EUR"


def test_numbers_of_items_are_no_first_column() -> None:
    rows = [("1.", "Open the valve and wait"), ("2.", "close it and lock"), ("3.", "the cabinet door")]
    blocks = parse(make_pdf([two_columns(*rows, x=78)]), "a.pdf").blocks
    assert [(block.kind, block.text) for block in blocks] == [("list", "\n".join(" ".join(row) for row in rows))]


def test_words_that_stand_below_each_other_by_chance_are_no_column() -> None:
    lines = [("The lock opens", "on all days"), ("but the gate is", "shut at night"), ("by the keeper of", "the harbour.")]
    (block,) = parse(make_pdf([two_columns(*lines, x=136)]), "a.pdf").blocks
    assert block.text == "The lock opens on all days but the gate is shut at night by the keeper of the harbour."


def between_uprights(rows: Sequence[Sequence[str]], xs: Sequence[float], *, sides: bool = True) -> list[Drawing]:
    """Rows 20 high between rules above and below them all, and upright ones between the columns."""
    bottom = 700 - 20 * len(rows)
    drawn: list[Drawing] = [Rule(xs[0], y, xs[-1], y) for y in (722, 700, bottom)]
    drawn += [Rule(x, bottom, x, 722) for x in (xs if sides else xs[1:-1])]
    names = [Text(x + 4, 707, f"Name{i}") for i, x in enumerate(xs[:-1])]
    return [
        *drawn,
        *names,
        *(Text(x + 4, 686 - 20 * j, cell) for j, row in enumerate(rows) for x, cell in zip(xs, row, strict=False) if cell),
    ]


EVENTS = [("1", "Cast off", "", "", ""), ("2", "Tack", "", "", ""), ("3", "Reef", "", "5", ""), ("4", "Moor", "7", "", "")]


def test_lines_that_each_begin_with_a_number_are_rows_without_rules_between_them() -> None:
    [block] = blocks(between_uprights(EVENTS, (50, 100, 200, 300, 400, 500)))
    assert block.text.split("\n")[2:] == [
        "| 1 | Cast off |  |  |  |",
        "| 2 | Tack |  |  |  |",
        "| 3 | Reef |  | 5 |  |",
        "| 4 | Moor | 7 |  |  |",
    ]


def test_a_line_without_a_number_goes_on_with_the_row_above() -> None:
    events = [*EVENTS[:2], ("", "to port", "", "", ""), *EVENTS[2:]]
    [block] = blocks(between_uprights(events, (50, 100, 200, 300, 400, 500)))
    assert block.text.split("\n")[3] == "| 2 | Tack to port |  |  |  |"


def test_wide_gaps_within_cells_are_no_columns_between_many_upright_rules() -> None:
    events = [(number, f"{what}         Now", *rest) for number, what, *rest in EVENTS]
    [block] = blocks(between_uprights(events, (50, 100, 250, 300, 350, 400, 450), sides=False))
    assert block.text.split("\n")[2].startswith("| 1 | Cast off Now |")


def test_a_cell_of_several_lines_beside_a_number_is_no_row_each() -> None:
    cells = [("Oak", "5", "", "", ""), ("Ash", "", "", "", ""), ("Elm", "", "", "", ""), ("Fir", "", "", "", "")]
    assert len(blocks(between_uprights(cells, (50, 100, 200, 300, 400, 500)))[0].text.split("\n")) == 3
