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
from footnote.ingest.parse.pdf.lines import Line, unweave
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


INSTALL = "Install Tesseract with the language of the text where the server runs, or run OCR on it, then add it again."
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


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([Text(60, 740, "A long title that needs", 20), Text(60, 716, "a second line", 20)], "A long title that needs a second line"),
        ([Text(60, 740, "Doors", 16), Text(108, 740, "\\(and their keys\\)", 10)], "Doors (and their keys)"),
    ],
    ids=["of two lines", "of two fonts"],
)
def test_a_heading_is_read_as_one(lines: list[Text], text: str) -> None:
    assert blocks([*lines, *paragraph(*LINES, y=680)])[0] == Block("heading", text, 1, 1)


def test_running_headers_footers_and_page_numbers_are_dropped() -> None:
    pages = [
        [Text(60, 780, "Annual report 2024"), *paragraph(f"Page body {word} has its own text.", y=600), Text(300, 30, str(number))]
        for number, word in enumerate(["one", "two", "three", "four"], 1)
    ]
    assert [b.text for b in blocks(*pages)] == [f"Page body {word} has its own text." for word in ("one", "two", "three", "four")]


@pytest.mark.parametrize(
    "footers",
    [
        pytest.param(["LEITFADEN 01s s s s", "LEITFADEN 02s s s", "LEITFADEN 03 s s s", "LEITFADEN 04t s s s s"], id="broken letters"),
        pytest.param(["LEITFADEN 1", "L EITFADEN 2", "LEIT FADEN 3", "LEITFADEN  4"], id="spaced letters"),
        pytest.param(["Leitfaden - i", "Leitfaden - ii", "Leitfaden - iii", "Leitfaden - iv"], id="Roman numbers"),
        pytest.param(["Leitfaden \\225 1", "Leitfaden | 2", "Leitfaden \\267 3", "Leitfaden - 4"], id="varying signs"),
    ],
)
def test_a_footer_that_varies_in_its_letters_is_dropped(footers: list[str]) -> None:
    pages = [
        [*paragraph(f"Page body {word} has its own text.", y=600), Text(60, 30, footer)]
        for footer, word in zip(footers, ["one", "two", "three", "four"], strict=True)
    ]
    assert [b.text for b in blocks(*pages)] == [f"Page body {word} has its own text." for word in ("one", "two", "three", "four")]


@pytest.mark.parametrize(
    "lines", [("Plan A", "Plan B", "Plan C"), ("Hall of Ada", "Hall of Ben", "Hall of Cy"), ("Group I", "Group II", "Group IV")]
)
def test_first_lines_that_differ_in_a_letter_are_kept(lines: tuple[str, ...]) -> None:
    pages = [[Text(60, 780, line), *paragraph(*LINES, y=600)] for line in lines]
    assert set(lines) <= {b.text for b in blocks(*pages)}


def test_a_title_that_the_headers_repeat_is_kept_once() -> None:
    first = [Text(60, 770, "Annual report", 20), *paragraph(*LINES, y=600)]
    later = [[Text(60, 780, "Annual report", 8), *paragraph(*LINES, y=600)] for _ in range(3)]
    assert [b.text for b in blocks(first, *later)].count("Annual report") == 1


def test_a_line_that_is_at_the_top_of_only_one_page_is_kept() -> None:
    pages = [[Text(60, 780, word), *paragraph(*LINES, y=600)] for word in ("Alpha", "Beta", "Gamma")]
    assert {"Alpha", "Beta", "Gamma"} <= {b.text for b in blocks(*pages)}


NUMBERED = [Text(80, 660, "1. The key is in the blue box."), Text(80, 648, "2. The lamp is above the door.")]
LINKS = ("Guests", "Heirs", "Hosts")
ASIDE = [Text(400, 712, "Ask the office"), Text(400, 688, "for the key")]
WIDE = "Both columns stand below this line, which runs over the whole width of the page and ends here."
LEFT = ("Left one ends with the words that", "go on in the second left line and", "then the third left one comes and", "stop in the last.")
RIGHT = ("Right one begins beside the left", "and has a second line, which is", "followed by yet another line or", "by two.")


GERMAN = [
    "Die Brücke über den Kanal ist im",
    "Winter gesperrt, weil das Eis auf",
    "den Planken nicht geräumt wird.",
    "Fußgänger nehmen dann den Weg",
    "Im Sommer fährt die Fähre jede",
    "Stunde, am Wochenende auch",
    "abends bis um zehn. Hunde sind",
    "an der Leine zu führen.",
]


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        pytest.param(
            paragraph("The new regulation was published by the inter-", "national committee and has to be followed by all."),
            ["The new regulation was published by the international committee and has to be followed by all."],
            id="words hyphenated at line ends are rejoined",
        ),
        pytest.param(
            [*paragraph(*LEFT[:3], x=50), *paragraph(*RIGHT[:3], x=320)],
            [" ".join(LEFT[:3]), " ".join(RIGHT[:3])],
            id="two columns are read one after the other",
        ),
        pytest.param(
            [
                Text(50, 740, WIDE),
                *(
                    piece
                    for i, (a, b) in enumerate(zip(LEFT, RIGHT, strict=True))
                    for piece in (Text(50, 700 - 12 * i, a), Text(320, 700 - 12 * i, b))
                ),
            ],
            [WIDE, " ".join(LEFT), " ".join(RIGHT)],
            id="columns written row by row are read one after the other",
        ),
        pytest.param(
            [Dot(70, 662), Dot(70, 650), Dot(300, 500), Dot(20, 702), *paragraph(*LINES), *NUMBERED],
            [" ".join(LINES), "\n".join(item.text for item in NUMBERED)],
            id="dots elsewhere and before numbered items are no bullets",
        ),
        pytest.param(
            [
                *(
                    Text(60, 700 - 14 * i, f"{who} may ask the office of the house for a key to the blue door of the hall.")
                    for i, who in enumerate(LINKS)
                ),
                *(Rule(85, 698.5 - 14 * i, 150, 698.5 - 14 * i) for i in range(3)),
            ],
            [" ".join(f"{who} may ask the office of the house for a key to the blue door of the hall." for who in LINKS)],
            id="lines below links do not part their sentences",
        ),
        pytest.param(
            [
                Text(60, 40, "For members only"),
                *paragraph(*LINES),
                Text(60, 780, "House rules", 20),
                Text(60, 750, "Version of the third of May"),
            ],
            ["House rules", "Version of the third of May", " ".join(LINES), "For members only"],
            id="a header drawn last and a footer drawn first are where they are shown",
        ),
        pytest.param(
            [*paragraph(*LINES), *paragraph(*LINES, y=664), *ASIDE],
            [" ".join(LINES), " ".join(LINES), *(each.text for each in ASIDE)],
            id="text beside the column stays in file order",
        ),
        pytest.param(
            [Text(60, 700, "An area of 5 m"), Text(125.8, 704, "2", 6), Text(132, 700, "is enough for one.")],
            ["An area of 5 m² is enough for one."],
            id="superscripts stay in their line",
        ),
        pytest.param(
            [Text(x + 20 * i, 700, letter) for x, word in ((60, "ANNUAL"), (200, "REPORT")) for i, letter in enumerate(word)],
            ["ANNUAL REPORT"],
            id="letter-spaced text is joined to words",
        ),
        pytest.param(
            [*paragraph("1. Bread * and butter"), *paragraph("2. Wine", y=688)],
            ["1. Bread * and butter\n2. Wine"],
            id="a dash within an item is not a bullet",
        ),
        pytest.param(
            [*paragraph("On the page."), Text(700, 700, "Beside it.")], ["On the page."], id="text outside of the page is left out"
        ),
    ],
)
def test_the_texts_of_a_page_are_read_in_their_order(page: Sequence[Drawing], texts: list[str]) -> None:
    assert [block.text for block in blocks(page)] == texts


FACTS = [
    ("Registered office of the society", "Hafenstrasse 12, Emden harbour"),
    ("Chair of the board since 2021", "Wiebke Tammen of Borkum island"),
    ("Number of paying members", "412 at the end of last year"),
    ("Next general assembly", "Second Friday in March at seven"),
]
KOREAN = [
    ("등록된 사무소의 소재지 주소", "엠덴 항구로 열두 번지 이층 건물"),
    ("이사회 의장의 이름", "보르쿰 섬의 비프케 탐멘 의장"),
    ("납부 회원 수", "지난해 말 기준 사백십이 명"),
]


def test_labels_stay_beside_their_values_without_rules() -> None:
    page = [Text(x, 700 - 14 * i, text) for i, pair in enumerate(FACTS) for x, text in zip((60, 300), pair, strict=True)]
    parsed = parse(make_pdf([page]), "a.pdf")
    assert [block.text for block in parsed.blocks] == [f"{label} {value}" for label, value in FACTS]
    assert {(block.places[0].x0, len(block.places)) for block in parsed.blocks} == {(60, 1)}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("Berth", "Metres"), ("North", "120"), ("South", "95")], "| Berth | Metres |\n| --- | --- |\n| North | 120 |\n| South | 95 |"),
        ([("Vessel:", "Seagull"), ("Draught:", "3 m"), ("Built:", "1961")], "Vessel: Seagull\nDraught: 3 m\nBuilt: 1961"),
    ],
)
def test_two_columns_have_a_header_only_if_it_names_them(rows: list[tuple[str, str]], expected: str) -> None:
    page = [Text(x, 700 - 14 * i, text) for i, row in enumerate(rows) for x, text in zip((60, 300), row, strict=True)]
    assert "\n".join(block.text for block in blocks(page)) == expected


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (FACTS, [" ".join(pair) for pair in FACTS]),
        (KOREAN, [" ".join(pair) for pair in KOREAN]),
        (list(zip(LEFT, RIGHT, strict=True)), [*LEFT, *RIGHT]),
        (
            list(zip(GERMAN[:4], GERMAN[4:], strict=True)),
            GERMAN,
        ),
    ],
    ids=["labels", "Korean labels", "text", "German text"],
)
def test_rows_are_columns_only_if_their_lines_run_on(pairs: list[tuple[str, str]], expected: list[str]) -> None:
    def line(text: str, x: float, y: float) -> Line:
        return Line(text, 1, x, x + 5 * len(text) * (2 if text > "가" else 1), y, y + 10, 10, page_height=800)

    rows = [[line(left, 60, 100 + 14 * i), line(right, 320, 100 + 14 * i)] for i, (left, right) in enumerate(pairs)]
    assert [line.text for line in unweave(rows)] == expected


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


@pytest.mark.parametrize(
    "page",
    [
        pytest.param([*paragraph(*LINES), *ITEMS, *(Text(60, item.y, "\u2022") for item in ITEMS)], id="bullets drawn last"),
        pytest.param([*(Dot(70, item.y + 2) for item in ITEMS), *paragraph(*LINES), *ITEMS], id="dots before texts"),
    ],
)
def test_bullets_belong_to_their_items(page: Sequence[Drawing]) -> None:
    assert blocks(page) == (
        Block("paragraph", " ".join(LINES), 0, 1),
        Block("list", "- The key is in the blue box.\n- The lamp is above the door.", 0, 1),
    )


def test_a_sentence_with_an_address_in_a_higher_font_is_one_paragraph() -> None:
    lines = (
        Line("Whoever has lost a key should tell the office of the house", 1, 60, 400, 100, 112, 12, page_height=800),
        Line("at once, by a letter to keys@house.example or at the door", 1, 60, 390, 114, 130, 16, page_height=800),
        Line("beside the stairs. The office has a spare key.", 1, 60, 300, 128, 140, 12, page_height=800),
    )
    assert [block.text for block in to_blocks(lines, 1)] == [" ".join(line.text for line in lines)]


def test_pages_count_even_where_they_are_empty() -> None:
    parsed = parse(make_pdf([[], paragraph("Hello there.")]), "a.pdf")
    assert (parsed.pages, [(block.text, block.page) for block in parsed.blocks], parsed.reason) == (2, [("Hello there.", 2)], None)


@pytest.mark.parametrize(
    ("title", "expected"), [("Rules of the house", "Rules of the house"), ("Microsoft Word - rules.docx", "Big words"), ("", "Big words")]
)
def test_the_title_is_from_the_file_properties_or_the_largest_text(title: str, expected: str) -> None:
    page = [Text(60, 740, "Big words", 20), *paragraph(*LINES)]
    assert parse(make_pdf([page, paragraph(*LINES)], title), "rules.pdf").title == expected


def test_a_small_heading_above_the_title_does_not_hide_it() -> None:
    page = [Text(60, 780, "House of the Blue Door", bold=True), Text(60, 740, "Big words", 20), *paragraph(*LINES)]
    assert parse(make_pdf([page]), "a.pdf").title == "Big words"


def encrypted(password: str, **options: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(make_pdf([paragraph(*LINES)]))))
    writer.encrypt(password, algorithm="RC4-128", **options)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def test_an_encrypted_pdf_needs_its_password_unless_anyone_may_open_it() -> None:
    assert reason_of(encrypted("secret")) == ("This PDF needs a password.", "Save a copy without the password and add it again.")
    assert parse(encrypted("", owner_password="owner"), "a.pdf").blocks[0].text == " ".join(LINES)


def test_pages_with_only_images_are_named() -> None:
    text, image = paragraph("Hello there."), [Image()]
    parsed = parse(make_pdf([text, image, [], text, image, image, [*text, Image()]]), "a.pdf")
    assert (parsed.reason, parsed.remedy) == ("3 of 7 pages (2, 5–6) contain only images.", INSTALL)
    assert parse(make_pdf([image, text]), "a.pdf").reason == "1 of 2 pages (1) contains only images."


def test_a_pdf_without_text_contains_only_images() -> None:
    assert reason_of(make_pdf([[], []])) == ("The pages of this PDF contain only images, no text.", INSTALL)


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


def test_ligatures_without_a_name_are_repaired() -> None:
    text = with_ligatures("an o↵-the-shelf tool for e↵orts of di\ufffeculty; press ↵ or \ufffe", [37, 56])
    assert text == "an oﬀ-the-shelf tool for eﬀorts of diﬃculty; press ↵ or \u200b"


def spread(*lines: str, gap: int) -> list[Text]:
    return [Text(60, 700 - gap * i, line) for i, line in enumerate(lines)]


@pytest.mark.parametrize("below", [12, 26])
@pytest.mark.parametrize(
    "heads",
    [
        ("\xa7 2 Pond", "\xa7 3 Fish", "\xa7 5 Ducks"),
        ("Article 2 Pond", "Article 3 Fish"),
        ("1. POND", "2. FISH"),
        ("1 Pond", "1.1 Fish", "2 Ducks"),
    ],
)
def test_ascending_numbers_of_sections_are_headings_in_any_font(heads: tuple[str, ...], below: int) -> None:
    found = blocks(
        [
            text
            for at, head in enumerate(heads)
            for text in (
                Text(60, 700 - 90 * at, head),
                *paragraph("Ducks are fed by the warden only,", "from the bank.", y=700 - 90 * at - below),
            )
        ]
    )
    assert [block.text for block in found if block.kind == "heading"] == list(heads)
    assert "warden" in found[-1].text


@pytest.mark.parametrize(
    "lines",
    [
        ("1 Pond", "2 Fish", "3 Ducks"),
        ("\xa7 1 Pond", "\xa7 2 Fish", "\xa7 3 Ducks"),
        ("3 Pond", "It is deep.", "7 Fish", "They are carps."),
        ("1 Pond", "It is deep.", "3 Fish", "They are carps."),
    ],
)
def test_lists_of_sections_and_other_numbers_are_no_headings(lines: tuple[str, ...]) -> None:
    assert [block.text for block in blocks(spread(*lines, gap=26)) if block.kind == "heading"] == []
