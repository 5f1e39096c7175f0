"""Passages that seldom answer are recognised by their heading or their lines, and others are not."""

from __future__ import annotations

import time

import pytest

from footnote.text.content_types import content_type_of

CONTENTS = "Introduction ............ 1\nThe harbour . . . . . . . . 12\nRates …………… 31"
REFERENCES = """[1] A. Mason, "Bridges of the north", Journal of Spans, 1998.
[2] B. Carver, "Viaducts and their builders", 2004.
[3] C. Stone, "A history of the arch", Proceedings, 2011."""
CREDITS = "Photo: A. Mason © 2019\nImage courtesy: Harbour archive\nPicture 3: © B. Carver"


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Table of Contents", "contents"),
        ("CONTENTS", "contents"),
        ("Inhaltsverzeichnis", "contents"),
        ("목차", "contents"),
        ("Glossary of terms", "reference"),
        ("Appendix B: Glossary", "reference"),
        ("12. References", "reference"),
        ("# Bibliography", "reference"),
        ("VII. Literaturverzeichnis", "reference"),
        ("Abkürzungsverzeichnis", "reference"),
        ("건축 용어집", "reference"),
        ("6.1 참고 문헌", "reference"),
        ("Image credits", "credits"),
        ("Bildnachweis:", "credits"),
        ("사진 출처", "credits"),
        ("Impressum", "credits"),
        ("판권", "credits"),
    ],
)
def test_a_heading_names_the_type(heading: str, kind: str) -> None:
    assert content_type_of("Handbook", ("Handbook", heading), "The arch spans the river.") == kind
    assert content_type_of("Handbook", (), f"{heading}\nThe arch spans the river.") == kind


@pytest.mark.parametrize(("text", "kind"), [(CONTENTS, "contents"), (REFERENCES, "reference"), (CREDITS, "credits")])
def test_most_lines_show_the_type(text: str, kind: str) -> None:
    assert content_type_of("Handbook", (), text) == kind
    assert content_type_of("Handbook", (), text + "\nThe arch spans the river.\n" * 9) == "text"


@pytest.mark.parametrize(
    "heading",
    [
        "API reference", "Reference manual", "Contents insurance", "Content", "Index funds", "Credits and grants", "Inhalt der Lieferung",
        "Literatur des Mittelalters", "Bildung", "참고할 점", "사진 촬영 규정", "A", "1.", "",
    ],
)  # fmt: skip
def test_other_headings_are_no_such_type(heading: str) -> None:
    assert content_type_of("Handbook", (heading,), "The arch spans the river.") == "text"


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was built in 1894.",
        "1. Open the gate.\n2. Wait for the bell of 1894.\n3. Walk across.",
        "Fill in: ________\nSign here\nThen wait....",
        "| Year | Cost |\n| 1894 | 12 |\n| 1895 | 13 |",
        "",
        "\n\n",
    ],
)
def test_other_texts_are_no_such_type(text: str) -> None:
    assert content_type_of("Handbook", (), text) == "text"


@pytest.mark.parametrize("line", ["." * 280 + "x", "1. " + "a " * 140, "… " * 140 + "!", "Photo " * 45])
def test_hostile_lines_take_no_time(line: str) -> None:
    started = time.process_time()
    content_type_of("t", (), "\n".join([line] * 1000))
    assert time.process_time() - started < 0.5
