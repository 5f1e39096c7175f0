"""RTF: paragraphs, headings, tables and the encodings of old word processors."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block


def read(body: str, head: str = r"\ansi\ansicpg1252\deff0") -> tuple[Block, ...]:
    return parse(f"{{\\rtf1{head} {body}}}".encode("latin-1"), "a.rtf").blocks


def test_headings_are_recognised_by_outline_level_and_style() -> None:
    styles = r"{\stylesheet{\s0 Normal;}{\s1\b heading 1;}{\s2 \'dcberschrift 2;}}"
    body = styles + r"\pard\s1 Lake\par\pard\s2 Fees\par\pard\s0 It costs 5.\par\pard\outlinelevel2 Boats\par"
    assert read(body) == (
        Block("heading", "Lake", 1),
        Block("heading", "Fees", 2),
        Block("paragraph", "It costs 5."),
        Block("heading", "Boats", 3),
    )


def test_letters_are_decoded_by_the_fonts_encoding() -> None:
    fonts = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset129 Batang;}}"
    assert read(fonts + r"\f0 F\'e4hre \f1\'b9\'e8\f0  end\par") == (Block("paragraph", "Fähre 배 end"),)


def test_a_table_keeps_its_merged_cells() -> None:
    head = r"\trowd\cellx1\cellx2 \pard\intbl Boat\cell Fee\cell\row"
    one = r"\trowd\clvmgf\cellx1\cellx2 \pard\intbl Kayak\cell 5\cell\row"
    two = r"\trowd\clvmrg\cellx1\cellx2 \pard\intbl\cell 6\cell\row"
    assert read(head + one + two + r"\pard End.\par") == (
        Block("table", "| Boat | Fee |\n| --- | --- |\n| Kayak | 5 |\n| Kayak | 6 |"),
        Block("paragraph", "End."),
    )


def rows_of(*rows: tuple[str, ...], cells: str = r"\cellx1\cellx2\cellx3") -> str:
    return "".join(rf"\trowd{cells}\pard\intbl " + "".join(rf"{text}\cell " for text in row) + r"\row" for row in rows)


@pytest.mark.parametrize(
    ("cells", "empty"), [(r"\cellx3", ()), (r"\clmgf\cellx1\clmrg\cellx2\clmrg\cellx3", ("", ""))], ids=["wider", "merged"]
)
def test_titles_and_notes_of_a_table_are_read_beside_it(cells: str, empty: tuple[str, ...]) -> None:
    above, below = [("Boats of the club", *empty), ("In thousands", *empty)], ("Without tax", *empty)
    rows = rows_of(*above, cells=cells) + rows_of(*(("Boat", "Fee", "Crew"), ("Kayak", "5", "2"), ("Ferry", "7", "3")))
    assert read(rows + rows_of(below, cells=cells)) == (
        Block("caption", "Boats of the club"),
        Block("caption", "In thousands"),
        Block("table", "| Boat | Fee | Crew |\n| --- | --- | --- |\n| Kayak | 5 | 2 |\n| Ferry | 7 | 3 |"),
        Block("paragraph", "Without tax"),
    )


def test_a_wider_cell_moves_those_after_it() -> None:
    rows = rows_of(("Kayak", "5", "2"), ("Ferry", "7", "3")) + rows_of(("Both closed", "4"), cells=r"\cellx2\cellx3")
    table = rows_of(("Boat", "Fee", "Crew")) + rows
    assert read(table)[0].text.split("\n")[-1] == "| Both closed |  | 4 |"


def test_a_table_without_names_of_columns_has_an_empty_header() -> None:
    rows = (("7", "Ada", "Lake", "311"), ("8", "Ben", "Hill", "312"))
    assert read(rows_of(*rows, cells=r"\cellx1\cellx2\cellx3\cellx4")) == (
        Block("table", "|  |  |  |  |\n| --- | --- | --- | --- |\n| 7 | Ada | Lake | 311 |\n| 8 | Ben | Hill | 312 |"),
    )


def test_content_other_than_text_is_left_out() -> None:
    body = (
        r"{\info{\title Rules of the lake}{\author me}}{\header Page 3}{\*\generator x}{\pict\pngblip 89504e47}"
        r"{\field{\*\fldinst HYPERLINK x}{\fldrslt the pier}}{\v secret} is{\deleted  not} open.{\footnote Since 1890.}\par"
    )
    parsed = parse(f"{{\\rtf1 {body}}}".encode(), "lake.rtf")
    assert parsed.blocks == (Block("paragraph", "the pier is open."), Block("paragraph", "Since 1890."))
    assert parsed.title == "Rules of the lake"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            r"\uc1 caf\u233? \u-10179?\u-8704? \uc2\u8364\'80\'80 5\par",
            (Block("paragraph", "café 😀 € 5"),),
            id="unicode is read and its fallback is skipped",
        ),
        pytest.param(
            r"\pard{\listtext 1.\tab}Book\par \pard\ilvl1{\listtext\'b7\tab}by phone\par",
            (Block("list", "1. Book\n  - by phone"),),
            id="items keep their markers",
        ),
        pytest.param(r"{\pict\bin5 }}}}}}Text.\par", (Block("paragraph", "Text."),), id="binary data is skipped by its length"),
        pytest.param(r"{\b Important {news" + "{" * 50, (Block("heading", "Important news", 6),), id="unclosed braces lose no text"),
    ],
)
def test_a_rich_text_becomes_blocks(given: Any, expected: Any) -> None:
    assert read(given) == expected


def test_deeply_nested_groups_are_refused() -> None:
    with pytest.raises(UnreadableFile):
        read("{" * 20_000)


def texts(body: str) -> list[str]:
    return [block.text for block in read(body)]


def test_page_headers_and_footers_come_first_and_are_said_once() -> None:
    header = r"{\header\pard Harbour office, file {\b HF-20}\par Sheet 4\par}{\headerf\pard Harbour office, file HF-20\par}"
    footer = r"{\footerr\trowd\cellx1\cellx2\pard\intbl Owner\cell Ida Falk\cell\row"
    footer += r"\trowd\cellx1\cellx2\intbl Issue\cell 7\cell\row\pard\par}"
    blocks = read(rf"{header}\pard The lock opens{footer} at 8.\par{{\footer\pard Page {{\field{{\fldrslt 3}}}}\par}}")
    assert blocks == (
        Block("paragraph", "Harbour office, file HF-20"),
        Block("paragraph", "Sheet 4"),
        Block("table", "| Owner | Ida Falk |\n| --- | --- |\n| Issue | 7 |"),
        Block("paragraph", "The lock opens at 8."),
    )


def test_a_header_that_never_ends_is_read() -> None:
    assert texts(r"Body.\par{\header Ref. 7 A") == ["Ref. 7 A", "Body."]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"The toll is {\strike 4.10 }5.30.\par", "The toll is 5.30."),
        (r"The toll is {\striked1 4.10 }\strike 4.20 \strike0 5.30.\par", "The toll is 5.30."),
        (r"\strike Old. \plain New.{\footnote By {\strike bus}boat.}\par", "New.|By boat."),
        (r"The dam broke in 1976{\super 2}.\par", "The dam broke in 1976."),
        (r"It covers 45 km\super 2\nosupersub  of land, with CO{\sub 2}.\par", "It covers 45 km² of land, with CO2."),
        (r"Room 1976{\up6 3} is 45 km{\up0 3} off.\par", "Room 1976 is 45 km3 off."),
        (r"{\footnote One.\par Two.}See.\par", "See.|One. Two."),
    ],
)
def test_struck_text_is_left_out_and_raised_text_keeps_apart(body: str, expected: str) -> None:
    assert "|".join(texts(body)) == expected


COMMENT = r"{\*\atnid IF}{\*\atnauthor Ida Falk}\chatn{\*\annotation{\*\atnref 1}{\*\atndate 7}\pard Is it 6?\par Ask.}"


def test_comments_follow_their_paragraph_and_name_their_author() -> None:
    cells = rf"\trowd\cellx1\cellx2\pard\intbl Boat\cell Fee\cell\row\pard\intbl Kayak\cell 5{COMMENT}\cell\row"
    assert texts(rf"The fare{COMMENT} is 7.\par Bikes{{\*\annotation Free?}}.\par{cells}\pard End.\par") == [
        "The fare is 7.",
        "Comment (Ida Falk): Is it 6?\nAsk.",
        "Bikes.",
        "Comment: Free?",
        "| Boat | Fee |\n| --- | --- |\n| Kayak | 5 |",
        "Comment on “5” (Ida Falk): Is it 6?\nAsk.",
        "End.",
    ]


def test_form_fields_show_their_values() -> None:
    field = r"{\field{\*\fldinst FORM {\*\formfield{%s{\*\ffname A}}}}{\fldrslt %s}} %s\par"
    body = (
        field % (r"\fftype1\ffres1\ffdefres0", "", "Life vest")
        + field % (r"\fftype1\ffres25\ffdefres0", "", "Oars")
        + field % (r"\fftype1\ffres25\ffdefres1", "", "Rope")
        + field % (r"\fftype2\ffres1{\*\ffl May}{\*\ffl June}", "", "2026")
        + field % (r"\fftype0", "L-31", "berth")
    )
    assert texts(body) == ["☑ Life vest", "☐ Oars", "☑ Rope", "June 2026", "L-31 berth"]


def test_an_equation_is_read_in_its_sentence() -> None:
    power = r"{\msSup{\me{\mr\mscr0\msty2 \i t}}{\msup{\mr 2}}}"
    fraction = rf"{{\mf{{\mfPr{{\mtype bar}}}}{{\mnum{{\mr m}}}}{{\mden{power}}}}}"
    braces = r"{\md{\mdPr{\mbegChr [}{\mendChr ]}}{\me{\mr x}}}"
    equation = rf"{{\mmath{{\*\moMathPara{{\*\moMath{{\mr F=}}{fraction}{braces}}}}}{{\mmathPict{{\pict 00}}}}}}"
    assert texts(rf"With{equation}it stops.\par") == ["With F = m/t²[x] it stops."]
    assert texts(r"With{\*\moMath{\mr v\u178?}}.\par") == ["With v²."]
    assert texts(r"With{\*\moMath{\mr\u-10187?\u-9115?=1}}{\*\moMath{\m x}}.\par") == ["With x = 1."]
    assert texts(r"It stops{\footnote By {\*\moMath{\mr a=1}}.}.\par") == ["It stops.", "By a = 1."]


def test_a_file_that_is_mostly_struck_says_so() -> None:
    parsed = parse(rb"{\rtf1 {\strike The lock opens at 7 on all days.} It is closed.\par}", "a.rtf")
    assert parsed.reason == "Most of the text is struck through and was left out."
    with pytest.raises(UnreadableFile, match="All text of this file is struck through"):
        read(r"\strike The lock opens at 7.\par")


def test_signs_of_symbol_fonts_are_read() -> None:
    fonts = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\froman\fcharset2{\*\panose 05}Symbol;}{\f2\fcharset2 Wingdings;}}"
    body = r"\f0 Grains of 40 {\f1 m}m {\f1\'b1}2, \u-3913?{\f1\u-3913 ?} dry {\f2\'fc\'4d}\f1\plain .\par"
    assert texts(fonts + body) == ["Grains of 40 μm ±2, \uf0b7• dry ✓."]


def test_alternative_texts_follow_their_paragraph_but_not_file_names() -> None:
    picture = r"{\*\shppict{\pict{\*\picprop{\sp{\sn wzName}{\sv x}}{\sp{\sn wzDescription}{\sv %s}}}\pngblip 89504e47}}"
    body = picture % r"A crane at the F\'e4hre" + picture % "crane.png" + r" See.\par"
    assert read(body) == (Block("paragraph", "See."), Block("image", "A crane at the Fähre"))


def test_boxes_of_wingdings_are_read_in_any_font() -> None:
    fonts = r"{\fonttbl{\f0\fcharset0 Arial;}{\f2\fcharset2 ABCDEF+Wingdings-Regular;}}"
    body = r"\f0 \u-3842? Pumps off {\f2\'a8} Gate shut \u-3843? Fuse out\par"
    assert texts(fonts + body) == ["☑ Pumps off ☐ Gate shut ☒ Fuse out"]
