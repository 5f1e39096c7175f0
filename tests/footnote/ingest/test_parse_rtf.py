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
