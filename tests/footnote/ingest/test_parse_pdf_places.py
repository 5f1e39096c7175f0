"""Places of a PDF's lines: the start of each line in its block, and its box on the displayed page."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block
from tests.footnote.ingest.pdf_files import Drawing, Rule, Text, make_pdf, paragraph

LONG = (
    "The committee meets on the first Monday of each month, and its min-",
    "utes are sent to all members within a week after the meeting of the",
    "committee.",
)


def blocks(*pages: Sequence[Drawing], keys: str = "") -> tuple[Block, ...]:
    return parse(make_pdf(pages, page_keys=keys), "a.pdf").blocks


def lines(block: Block) -> list[tuple[int | None, str]]:
    """(page, the text from a place until the next)."""
    ends = [*(place.offset for place in block.places[1:]), len(block.text)]
    return [(place.page, block.text[place.offset : end]) for place, end in zip(block.places, ends, strict=True)]


def test_each_line_of_a_paragraph_has_its_place() -> None:
    [block] = blocks(paragraph(*LONG))
    assert lines(block) == [
        (1, "The committee meets on the first Monday of each month, and its min"),
        (1, "utes are sent to all members within a week after the meeting of the "),
        (1, "committee."),
    ]
    assert [place.offset for place in block.places] == [0, 66, 134]


def test_a_box_encloses_its_line() -> None:
    [block] = blocks(paragraph(*LONG))
    for i, place in enumerate(block.places):
        baseline = 100 + 12 * i
        assert place.x0 == pytest.approx(60, abs=0.5)
        assert baseline - 11 < place.y0 < baseline - 7
        assert baseline < place.y1 < baseline + 4
    assert 300 < block.places[0].x1 < 400
    assert 105 < block.places[2].x1 < 125


def test_a_heading_of_two_lines_has_two_places() -> None:
    page = [Text(60, 740, "A long title that needs", 20), Text(60, 716, "a second line", 20), *paragraph(*LONG, y=680)]
    assert lines(blocks(page)[0]) == [(1, "A long title that needs "), (1, "a second line")]


def test_places_of_list_items_follow_the_bullets_that_are_replaced() -> None:
    page = [*paragraph("\\225bread that was baked", "today", y=680), *paragraph("\\225 butter", y=650)]
    [block] = blocks(page)
    assert block.text == "- bread that was baked today\n- butter"
    assert lines(block) == [(1, "- bread that was baked "), (1, "today\n"), (1, "- butter")]


def test_lines_that_are_not_joined_keep_their_places() -> None:
    [block] = blocks(paragraph("Footnote", "Example street 17 in the old town", "Berlin", "Germany"))
    assert lines(block) == [(1, "Footnote\n"), (1, "Example street 17 in the old town\n"), (1, "Berlin\n"), (1, "Germany")]


def test_a_sentence_across_a_page_break_has_places_on_both_pages() -> None:
    first = paragraph("The committee meets on the first Monday of each month, and its", "minutes are sent to all of the members who were")
    [block] = blocks(first, paragraph("present at the meeting."))
    assert lines(block)[1:] == [(1, "minutes are sent to all of the members who were "), (2, "present at the meeting.")]


def test_each_row_of_a_table_has_its_place() -> None:
    rows = [("Name", "Fee"), ("Anna", "5"), ("Bob", "17")]
    page: list[Drawing] = [Text(60 + 100 * i, 700 - 20 * j, cell) for j, row in enumerate(rows) for i, cell in enumerate(row)]
    page += [Rule(50, 715 - 20 * j, 250, 715 - 20 * j) for j in range(4)] + [Rule(50 + 100 * i, 655, 50 + 100 * i, 715) for i in range(3)]
    [block] = blocks(page)
    assert lines(block) == [(1, "| Name | Fee |\n| --- | --- |\n"), (1, "| Anna | 5 |\n"), (1, "| Bob | 17 |")]
    assert [round(place.x0) for place in block.places] == [60, 60, 60]
    assert [place.y0 < baseline < place.y1 for place, baseline in zip(block.places, (100, 120, 140), strict=True)] == [True] * 3


ONE = [Text(60, 700, "Hello.")]
"""On the upright page from about (60, 91) to (86, 102)."""


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("", (60, 91, 86, 102)),
        ("/Rotate 90", (698, 60, 709, 86)),
        ("/Rotate 180", (514, 698, 540, 709)),
        ("/Rotate 270", (91, 514, 102, 540)),
        ("/CropBox [50 600 550 750]", (10, 41, 36, 52)),
        ("/CropBox [50 600 550 750] /Rotate 90", (98, 10, 109, 36)),
        ("/CropBox [-50 -50 650 850]", (60, 91, 86, 102)),
    ],
)
def test_boxes_fit_the_displayed_page(keys: str, expected: tuple[float, ...]) -> None:
    [block] = blocks(ONE, keys=keys)
    assert block.places[0][2:6] == pytest.approx(expected, abs=3)


def test_a_page_with_text_running_upwards_is_read_as_if_turned() -> None:
    page = [Text(100 + 12 * i, 60, line, upwards=True) for i, line in enumerate(LONG)]
    [block] = blocks(page)
    assert block.text == "The committee meets on the first Monday of each month, and its minutes are sent to all members within a week " + (
        "after the meeting of the committee."
    )
    assert block.places[0].x0 < 100 < block.places[0].x1 < block.places[1].x1 < 120
    assert (block.places[0].y1, block.places[2].y1) == pytest.approx((740, 740), abs=1)


def test_a_rotated_landscape_page_gives_upright_boxes() -> None:
    page = [Text(100 + 12 * i, 60, line, upwards=True) for i, line in enumerate(LONG)]
    [block] = blocks(page, keys="/Rotate 90")
    assert [(round(place.x0), place.y0 < 100 + 12 * i < place.y1) for i, place in enumerate(block.places)] == [(60, True)] * 3
