"""Org files: their structure is read, and their marks are not text."""

from __future__ import annotations

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block, Parsed


def read(text: str) -> Parsed:
    return parse(text.encode(), "crane.org")


def texts(text: str) -> list[str]:
    return [block.text for block in read(text).blocks]


def test_headings_have_their_state_and_tags_and_the_title_is_known() -> None:
    head = "#+TITLE: Crane manual\n#+STARTUP: overview\n"
    parsed = read(
        head + "* Brakes\nOil them.\n** TODO [#A] Turn the drum :yard:winter:\n:PROPERTIES:\n:ID: 7\n:END:\nDEADLINE: <2026-07-03 Fri>\n"
    )
    assert parsed.blocks[1:] == (
        Block("heading", "Brakes", 1),
        Block("paragraph", "Oil them."),
        Block("heading", "TODO: Turn the drum (yard, winter)", 2),
        Block("paragraph", "DEADLINE: <2026-07-03 Fri>"),
    )
    assert (parsed.title, parsed.format) == ("Crane manual", "org")


def test_lists_tables_and_code_are_read() -> None:
    source = (
        "- Drum\n  1. Oil it\n  2. Turn it\n- Hook :: bears the load\n\n| Part | Load |\n|------+------|\n| Drum | 12 t |\n| Hook | 9 t |\n"
    )
    assert [(block.kind, block.text) for block in read(source + "\n#+BEGIN_SRC sh\n* crane --up\n#+END_SRC\n").blocks] == [
        ("list", "- Drum\n  1. Oil it\n  2. Turn it\n- Hook: bears the load"),
        ("table", "| Part | Load |\n| --- | --- |\n| Drum | 12 t |\n| Hook | 9 t |"),
        ("code", "* crane --up"),
    ]
    assert texts("| Drum | 12 t |\n| Hook | 9 t |\n") == ["| Drum | 12 t |\n| --- | --- |\n| Hook | 9 t |"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("The *drum*, the /hook/, =crane --up= and ~M7~.", "The drum, the hook, crane --up and M7."),
        ("See [[https://example.org/a][the plan]] and [[file:b.org]].", "See the plan and file:b.org."),
        ("1/2 and a/b/c and https://example.org/a/b", "1/2 and a/b/c and https://example.org/a/b"),
        ("Oil it.\n# a note\n#+FILETAGS: :a:\n:LOGBOOK:\nhidden\n:END:\n", "Oil it."),
        ("#+begin_quote\nNever.\n#+end_quote", "Never."),
    ],
)
def test_marks_comments_and_drawers_are_not_text(source: str, text: str) -> None:
    assert texts(source) == [text]


def test_a_block_that_does_not_end_keeps_its_text() -> None:
    assert texts("#+begin_example\ncrane --up\n") == ["crane --up"]
