"""PDF: headings, paragraphs and lists; what is left out; what cannot be read."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from pypdf import PdfReader, PdfWriter

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.pdf.blocks import to_blocks
from footnote.ingest.parse.pdf.lines import Line
from footnote.ingest.parse.pdf.page import with_ligatures
from footnote.types import Block
from tests.footnote.ingest.pdf_files import Dot, Drawing, Image, Rule, Text, make_pdf, paragraph


def blocks(*pages: Sequence[Drawing]) -> tuple[Block, ...]:
    """Without their places."""
    return tuple(replace(block, places=()) for block in parse(make_pdf(pages), "a.pdf").blocks)


def reason_of(data: bytes) -> tuple[str, str]:
    with pytest.raises(UnreadableFile) as caught:
        parse(data, "a.pdf")
    return caught.value.reason, caught.value.remedy


LINES = (
    "The committee meets on the first Monday of each month, and its",
    "minutes are sent to all members within a week after the meeting.",
)


def test_lines_become_paragraphs_with_their_page_numbers() -> None:
    second = paragraph("A second paragraph stands further down and is only as long as this.", y=650)
    assert blocks([*paragraph(*LINES), *second], paragraph("On the next page.")) == (
        Block("paragraph", " ".join(LINES), 0, 1),
        Block("paragraph", "A second paragraph stands further down and is only as long as this.", 0, 1),
        Block("paragraph", "On the next page.", 0, 2),
    )


def test_larger_and_bold_lines_are_headings_with_levels_by_size() -> None:
    page = [
        Text(60, 740, "House rules", 20),
        Text(60, 710, "Opening hours", 14),
        *paragraph(*LINES, y=690),
        Text(60, 650, "On Sundays", bold=True),
        *paragraph(*LINES, y=630),
    ]
    assert [(b.kind, b.level, b.text) for b in blocks(page) if b.kind == "heading"] == [
        ("heading", 1, "House rules"),
        ("heading", 2, "Opening hours"),
        ("heading", 3, "On Sundays"),
    ]


def test_a_heading_of_two_lines_is_one_heading() -> None:
    page = [Text(60, 740, "A long title that needs", 20), Text(60, 716, "a second line", 20), *paragraph(*LINES, y=680)]
    assert blocks(page)[0] == Block("heading", "A long title that needs a second line", 1, 1)


def test_running_headers_footers_and_page_numbers_are_dropped() -> None:
    pages = [
        [Text(60, 780, "Annual report 2024"), *paragraph(f"Page body {word} has its own text.", y=600), Text(300, 30, str(number))]
        for number, word in enumerate(["one", "two", "three", "four"], 1)
    ]
    assert [b.text for b in blocks(*pages)] == [f"Page body {word} has its own text." for word in ("one", "two", "three", "four")]


def test_a_title_that_the_headers_repeat_is_kept_once() -> None:
    first = [Text(60, 770, "Annual report", 20), *paragraph(*LINES, y=600)]
    later = [[Text(60, 780, "Annual report", 8), *paragraph(*LINES, y=600)] for _ in range(3)]
    assert [b.text for b in blocks(first, *later)].count("Annual report") == 1


def test_a_line_that_is_at_the_top_of_only_one_page_is_kept() -> None:
    pages = [[Text(60, 780, word), *paragraph(*LINES, y=600)] for word in ("Alpha", "Beta", "Gamma")]
    assert {"Alpha", "Beta", "Gamma"} <= {b.text for b in blocks(*pages)}


def test_words_hyphenated_at_line_ends_are_rejoined() -> None:
    page = paragraph("The new regulation was published by the inter-", "national committee and has to be followed by all.")
    assert blocks(page)[0].text == "The new regulation was published by the international committee and has to be followed by all."


def test_two_columns_are_read_one_after_the_other() -> None:
    left = paragraph("Left one ends with the words that", "go on in the second left line and", "stop in the third.", x=50)
    right = paragraph("Right one begins beside the left", "and has a second line, which is", "the last.", x=320)
    assert [b.text for b in blocks([*left, *right])] == [
        "Left one ends with the words that go on in the second left line and stop in the third.",
        "Right one begins beside the left and has a second line, which is the last.",
    ]


def test_a_sentence_continues_across_a_page_break() -> None:
    first = paragraph("The committee meets on the first Monday of each month, and its", "minutes are sent to all of the members who were")
    second = paragraph("present at the meeting.")
    assert blocks(first, second) == (Block("paragraph", f"{first[0].text} {first[1].text} present at the meeting.", 0, 1),)


def test_bullets_become_a_list() -> None:
    page = [*paragraph("We need these things for the feast:"), *paragraph("\x95 bread and", "\x95 butter", y=680)]
    page = [Text(t.x, t.y, t.text.replace("\x95", "\\225"), t.size) for t in page]
    assert blocks(page) == (
        Block("paragraph", "We need these things for the feast:", 0, 1),
        Block("list", "- bread and\n- butter", 0, 1),
    )


ITEMS = [Text(80, 660, "The key is in the blue box."), Text(80, 648, "The lamp is above the door.")]


def test_bullets_drawn_last_belong_to_their_items() -> None:
    bullets = [Text(60, item.y, "\u2022") for item in ITEMS]
    assert blocks([*paragraph(*LINES), *ITEMS, *bullets])[1:] == (
        Block("list", "- The key is in the blue box.\n- The lamp is above the door.", 0, 1),
    )


def test_dots_before_texts_are_bullets() -> None:
    dots = [Dot(70, item.y + 2) for item in ITEMS]
    assert blocks([*dots, *paragraph(*LINES), *ITEMS]) == (
        Block("paragraph", " ".join(LINES), 0, 1),
        Block("list", "- The key is in the blue box.\n- The lamp is above the door.", 0, 1),
    )


def test_dots_elsewhere_and_before_numbered_items_are_no_bullets() -> None:
    numbered = [Text(80, 660, "1. The key is in the blue box."), Text(80, 648, "2. The lamp is above the door.")]
    page = [Dot(70, 662), Dot(70, 650), Dot(300, 500), Dot(20, 702), *paragraph(*LINES), *numbered]
    assert [block.text for block in blocks(page)] == [" ".join(LINES), "\n".join(item.text for item in numbered)]


def test_lines_below_links_do_not_part_their_sentences() -> None:
    texts = [f"{who} may ask the office of the house for a key to the blue door of the hall." for who in ("Guests", "Heirs", "Hosts")]
    links = [Rule(85, 698.5 - 14 * i, 150, 698.5 - 14 * i) for i in range(3)]
    assert [block.text for block in blocks([*(Text(60, 700 - 14 * i, text) for i, text in enumerate(texts)), *links])] == [" ".join(texts)]


def test_the_higher_of_two_fonts_in_a_line_is_its_size() -> None:
    heading = [Text(60, 740, "Doors", 16), Text(108, 740, "\\(and their keys\\)", 10)]
    assert blocks([*heading, *paragraph(*LINES)])[0] == Block("heading", "Doors (and their keys)", 1, 1)


def test_a_header_drawn_last_and_a_footer_drawn_first_are_where_they_are_shown() -> None:
    header, footer = [Text(60, 780, "House rules", 20), Text(60, 750, "Version of the third of May")], Text(60, 40, "For members only")
    page = [footer, *paragraph(*LINES), *header]
    assert [block.text for block in blocks(page)] == ["House rules", "Version of the third of May", " ".join(LINES), "For members only"]


def test_text_beside_the_column_stays_in_file_order() -> None:
    aside = [Text(400, 712, "Ask the office"), Text(400, 688, "for the key")]
    text = " ".join(LINES)
    assert [block.text for block in blocks([*paragraph(*LINES), *paragraph(*LINES, y=664), *aside])] == [
        text,
        text,
        *(t.text for t in aside),
    ]


def test_a_sentence_with_an_address_in_a_higher_font_is_one_paragraph() -> None:
    lines = (
        Line("Whoever has lost a key should tell the office of the house", 1, 60, 400, 100, 112, 12, page_height=800),
        Line("at once, by a letter to keys@house.example or at the door", 1, 60, 390, 114, 130, 16, page_height=800),
        Line("beside the stairs. The office has a spare key.", 1, 60, 300, 128, 140, 12, page_height=800),
    )
    assert [block.text for block in to_blocks(lines, 1)] == [" ".join(line.text for line in lines)]


def test_superscripts_stay_in_their_line() -> None:
    page = [Text(60, 700, "An area of 5 m"), Text(125.8, 704, "2", 6), Text(132, 700, "is enough for one.")]
    assert [b.text for b in blocks(page)] == ["An area of 5 m2 is enough for one."]


def test_pages_count_even_where_they_are_empty() -> None:
    parsed = parse(make_pdf([[], paragraph("Hello there.")]), "a.pdf")
    assert (parsed.pages, [(block.text, block.page) for block in parsed.blocks], parsed.reason) == (2, [("Hello there.", 2)], None)


@pytest.mark.parametrize(
    ("title", "expected"), [("Rules of the house", "Rules of the house"), ("Microsoft Word - rules.docx", "Big words"), ("", "Big words")]
)
def test_the_title_is_from_the_file_properties_or_the_largest_text(title: str, expected: str) -> None:
    page = [Text(60, 740, "Big words", 20), *paragraph(*LINES)]
    assert parse(make_pdf([page, paragraph(*LINES)], title), "a.pdf").title == expected


def test_a_small_heading_above_the_title_does_not_hide_it() -> None:
    page = [Text(60, 780, "House of the Blue Door", bold=True), Text(60, 740, "Big words", 20), *paragraph(*LINES)]
    assert parse(make_pdf([page]), "a.pdf").title == "Big words"


def test_an_encrypted_pdf_needs_its_password() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(make_pdf([paragraph(*LINES)]))))
    writer.encrypt("secret", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    assert reason_of(buffer.getvalue()) == ("This PDF needs a password.", "Save a copy without the password and add it again.")


def test_a_pdf_that_anyone_may_open_is_read_although_it_is_encrypted() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(make_pdf([paragraph(*LINES)]))))
    writer.encrypt("", owner_password="owner", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    assert parse(buffer.getvalue(), "a.pdf").blocks[0].text == " ".join(LINES)


def test_pages_with_only_images_are_named() -> None:
    text, image = paragraph("Hello there."), [Image()]
    parsed = parse(make_pdf([text, image, [], text, image, image, [*text, Image()]]), "a.pdf")
    assert (parsed.reason, parsed.remedy) == ("3 of 7 pages (2, 5–6) contain only images.", "Run OCR on it, then add it again.")
    assert parse(make_pdf([image, text]), "a.pdf").reason == "1 of 2 pages (1) contains only images."


def test_a_pdf_without_text_contains_only_images() -> None:
    assert reason_of(make_pdf([[], []])) == ("The pages of this PDF contain only images, no text.", "Run OCR on it, then add it again.")


@pytest.mark.parametrize("data", [b"%PDF-1.7\nrubbish", b"\0\1\2 no header " + b"7 0 obj endobj"])
def test_a_damaged_pdf_is_refused(data: bytes) -> None:
    assert reason_of(data)[0] == "This PDF is damaged."


def test_a_pdf_cut_off_at_its_end_is_read_as_far_as_it_goes() -> None:
    whole = make_pdf([paragraph(*LINES)])
    assert parse(whole[: whole.index(b"startxref")], "a.pdf").blocks[0].text == " ".join(LINES)


def test_lines_without_a_place_are_still_read() -> None:
    assert to_blocks([Line("One line goes", 1), Line("on here.", 1), Line("Another.", 2)], 2) == [
        Block("paragraph", "One line goes on here.", 0, 1),
        Block("paragraph", "Another.", 0, 2),
    ]


LEFT = ("Left one ends with the words that", "go on in the second left line and", "then the third left one comes and", "stop in the last.")
RIGHT = ("Right one begins beside the left", "and has a second line, which is", "followed by yet another line or", "by two.")


def test_columns_written_row_by_row_are_read_one_after_the_other() -> None:
    rows = [(Text(50, 700 - 12 * i, a), Text(320, 700 - 12 * i, b)) for i, (a, b) in enumerate(zip(LEFT, RIGHT, strict=True))]
    page = [Text(50, 740, "Both columns stand below this line, which runs over the whole width of the page and ends here.")]
    page += [piece for row in rows for piece in row]
    assert [b.text for b in blocks(page)][1:] == [" ".join(LEFT), " ".join(RIGHT)]


def test_rows_of_cells_are_a_table_with_the_first_as_its_header() -> None:
    rows = [("Name", "Fee", "City"), ("Anna", "5", "Rome"), ("Bob Miller", "17", "Paris"), ("Eve", "9", "Oslo")]
    page = [Text(50 + 150 * i, 700 - 14 * row, cell, bold=row == 0) for row, cells in enumerate(rows) for i, cell in enumerate(cells)]
    page = [*paragraph("The members and what they pay stand in this table.", y=730), *page]
    table = "| Name | Fee | City |\n| --- | --- | --- |\n| Anna | 5 | Rome |\n| Bob Miller | 17 | Paris |\n| Eve | 9 | Oslo |"
    assert blocks(page) == (
        Block("paragraph", "The members and what they pay stand in this table.", 0, 1),
        Block("table", table, 0, 1),
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Table 3: What the members pay", "caption"),
        ("Fig. 2. The growth of the society", "caption"),
        ("Abbildung 4.1 Ein Haus", "caption"),
        ("Table 3 shows what the members pay.", "paragraph"),
        ("Tables are numbered.", "paragraph"),
    ],
)
def test_captions_are_distinguished_from_sentences_about_a_table(text: str, kind: str) -> None:
    assert [block.kind for block in blocks([*paragraph(*LINES), *paragraph(text, y=600)])] == ["paragraph", kind]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("그림 1. 회원 수", "caption"),
        ("<표 2> 회비", "caption"),
        ("표 2는 회비를 보여 준다.", "paragraph"),
        ("표 2 다음에 회비가 나온다.", "paragraph"),
    ],
)
def test_korean_captions_are_distinguished_from_sentences_too(text: str, kind: str) -> None:
    assert [block.kind for block in to_blocks([Line(text, 1)], 1)] == [kind]


def test_letter_spaced_text_is_joined_to_words() -> None:
    page = [Text(60 + 20 * i, 700, letter) for i, letter in enumerate("ANNUAL")]
    page += [Text(200 + 20 * i, 700, letter) for i, letter in enumerate("REPORT")]
    assert [block.text for block in blocks(page)] == ["ANNUAL REPORT"]


def test_a_dash_within_an_item_is_not_a_bullet() -> None:
    assert blocks([*paragraph("1. Bread * and butter"), *paragraph("2. Wine", y=688)])[0].text == "1. Bread * and butter\n2. Wine"


def test_text_outside_of_the_page_is_left_out() -> None:
    assert [block.text for block in blocks([*paragraph("On the page."), Text(700, 700, "Beside it.")])] == ["On the page."]


def test_ligatures_without_a_name_are_repaired() -> None:
    text = with_ligatures("an o↵-the-shelf tool for e↵orts of di\ufffeculty; press ↵ or \ufffe", [37, 56])
    assert text == "an oﬀ-the-shelf tool for eﬀorts of diﬃculty; press ↵ or \u200b"
