"""PDF: text that is struck by an annotation or a drawn line."""

from __future__ import annotations

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from tests.footnote.ingest.pdf_files import Drawing, Rule, Text, make_pdf, paragraph

LINE = Text(60, 600, "Lunch is 6.50 7.20 euros")
"""In Helvetica of 10 points, `6.50` is 19.5 points wide and begins at 98.9."""
X0, X1 = 98.9, 118.4


def text_of(*drawings: Drawing, annotations: tuple[str, ...] = ()) -> str:
    return "\n".join(block.text for block in parse(make_pdf([drawings], annotations=annotations), "a.pdf").blocks)


def strikeout(x0: float, x1: float, keys: str = "", *, quads: bool = True) -> str:
    points = f"/QuadPoints [{x0} 609 {x1} 609 {x0} 598 {x1} 598]" if quads else ""
    return f"/Subtype /StrikeOut /Rect [{x0 - 1} 597 {x1 + 1} 610] {points} {keys}"


@pytest.mark.parametrize("quads", [True, False])
def test_text_under_a_strikeout_annotation_is_left_out(quads: bool) -> None:
    assert text_of(LINE, annotations=(strikeout(X0, X1, quads=quads),)) == "Lunch is 7.20 euros"


def test_a_hidden_annotation_strikes_nothing_and_a_remark_stays() -> None:
    assert text_of(LINE, annotations=(strikeout(X0, X1, "/F 2"),)) == LINE.text
    struck = text_of(LINE, annotations=(strikeout(X0, X1, "/Contents (since May) /T (Ada)"),))
    assert struck == "Lunch is 7.20 euros\nComment (Ada): since May"


def test_a_highlight_strikes_nothing() -> None:
    assert text_of(LINE, annotations=(strikeout(X0, X1).replace("StrikeOut", "Highlight"),)) == LINE.text


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Rule(X0, 602.5, X1, 602.5), "Lunch is 7.20 euros"),
        (Rule(X0, 602.5, X1 + 22.3, 602.5), "Lunch is euros"),
        (Rule(X0, 598.9, X1, 598.9), LINE.text),  # underlined
        (Rule(X0, 609, X1, 609), LINE.text),
        (Rule(X0 - 5, 602.5, X1, 602.5), LINE.text),
        (Rule(20, 602.5, 500, 602.5), LINE.text),
    ],
)
def test_a_line_through_the_middle_of_words_strikes_them(rule: Rule, expected: str) -> None:
    assert text_of(LINE, rule) == expected


def test_a_page_that_is_mostly_struck_says_so() -> None:
    lines = paragraph("The lock opens at seven on all days.", "Closed.", y=600)
    parsed = parse(make_pdf([lines], annotations=[strikeout(60, 300)]), "a.pdf")
    assert ([block.text for block in parsed.blocks], parsed.reason) == (["Closed."], "Most of the text is struck through and was left out.")
    with pytest.raises(UnreadableFile, match="All text of this file is struck through"):
        parse(make_pdf([lines[:1]], annotations=[strikeout(60, 300)]), "a.pdf")
