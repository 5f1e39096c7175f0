"""AsciiDoc: its structure is read, and its marks are not text."""

from __future__ import annotations

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block, Parsed


def read(text: str) -> Parsed:
    return parse(text.encode(), "crane.adoc")


def texts(text: str) -> list[str]:
    return [block.text for block in read(text).blocks]


def test_headings_paragraphs_and_the_title_are_read() -> None:
    head = "= Crane manual\nIda Berg <ida@example.org>\n:toc:\n:motor: M7\n\n"
    body = "The crane has\nmotor {motor}.\n\n== 2.1 Brakes\n\n=== Drum\nOil it.\n"
    parsed = read(head + body)
    assert parsed.blocks == (
        Block("heading", "Crane manual", 1),
        Block("paragraph", "Ida Berg <ida@example.org>"),
        Block("paragraph", "The crane has motor M7."),
        Block("heading", "2.1 Brakes", 2),
        Block("heading", "Drum", 3),
        Block("paragraph", "Oil it."),
    )
    assert (parsed.title, parsed.format) == ("Crane manual", "asciidoc")


def test_lists_have_levels_and_what_is_joined_to_an_item() -> None:
    assert texts("* Drum\n** Oil it\n   daily.\n** Turn it.\n* Hook\n") == ["- Drum\n  - Oil it daily.\n  - Turn it.\n- Hook"]
    assert texts(". Lift.\n+\n----\ncrane --up\n----\n. Lower.\n")[0].startswith("1. Lift.")
    assert texts("Drum:: The part\nthat turns.\nHook::\n  Bears the load.\n") == ["- Drum: The part that turns.\n- Hook: Bears the load."]


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("|===\n|Part |Load\n\n|Drum |12 t\n|Hook |9 t\n|===", ["Part | Load", "--- | ---", "Drum | 12 t", "Hook | 9 t"]),
        ('[cols="1,2"]\n|===\n|Part\n|Load\n\n|Drum\n|12 t\n|===', ["Part | Load", "--- | ---", "Drum | 12 t"]),
        ("[cols=2*]\n|===\n|Part |Load |Drum\na|12 t\n|===", ["Part | Load", "--- | ---", "Drum | 12 t"]),
        ("|===\n^.^h|Part ^h|Load\n|Drum|\n||9 t\n|===", ["Part | Load", "--- | ---", "Drum |", "| 9 t"]),
    ],
)
def test_tables_have_rows_of_their_columns(source: str, rows: list[str]) -> None:
    (table,) = read(source).blocks
    assert table.kind == "table"
    assert [" ".join(row.strip("|").split()) for row in table.text.split("\n")] == rows


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("The *drum* and the _hook_ of `crane --up`, **un**bound", "The drum and the hook of crane --up, unbound"),
        ("See https://example.org/a[the plan^] and link:b.html[B].", "See the plan and B."),
        ("See https://example.org/a and <<drum-oil,Oiling>> or <<drum-oil>>.", "See https://example.org/a and Oiling or drum oil."),
        ("Press kbd:[F7], btn:[Go] or menu:File[Save].footnote:[Or stop.]", "Press F7, btn or File Save.Or stop."),
        ("[[drum]]The [.new]#drum# turns +\nleft.", "The drum turns left."),
        ("snake_case_name and 2 * 3 * 4 and {unknown}", "snake_case_name and 2 * 3 * 4 and {unknown}"),
        ("See {base}/a.html#b[the plan].", "See the plan."),
        ("NOTE: Oil *daily*.", "NOTE: Oil daily."),
        ("a < b & c", "a < b & c"),
    ],
)
def test_marks_within_a_line_are_not_text(source: str, text: str) -> None:
    assert texts(source) == [text.replace("btn or", "Go or")]


def test_comments_directives_and_delimiters_are_left_out() -> None:
    source = (
        "// a note\n////\nhidden\n////\ninclude::other.adoc[]\nifdef::web[]\nShown.\nendif::[]\n\n[NOTE]\n====\nOil it.\n====\n\n"
        "[quote, Ida]\n____\nNever.\n____\n\n'''\n\n.The hook\nimage::hook.png[A bent hook,300]\n\n[source,sh]\n"
        "----\ninclude::a.sh[]\n* not a list\n----\n"
    )
    assert [(block.kind, block.text) for block in read(source).blocks] == [
        ("paragraph", "Shown."),
        ("paragraph", "Oil it."),
        ("paragraph", "Never."),
        ("paragraph", "The hook"),
        ("paragraph", "A bent hook"),
        ("code", "* not a list"),
    ]


def test_blocks_that_do_not_end_keep_their_text() -> None:
    assert texts("----\ncrane --up\n") == ["crane --up"]
    assert "Drum" in texts("|===\n|Drum\n")[0]
