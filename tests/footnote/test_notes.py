"""No step reads `trace.notes`: they are for traces. What a step needs of another is a field of the turn. Ingest has no turns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import footnote

CORE = Path(footnote.__file__).parent
MAY_READ = {"types/turn.py": "with_notes adds to them", "steps/merge.py": "joins those of branches", "turn_records/make.py": "stores them"}
"""Module → why it may."""


def reads_notes(source: str) -> Iterator[int]:
    """The lines that read notes. What a row `shows` is part of the trace, too."""
    tree = ast.parse(source)
    shown = {
        id(inner) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "shows" for inner in ast.walk(node.value)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "notes" and id(node) not in shown:
            yield node.lineno


def test_no_step_reads_the_notes_of_a_turn() -> None:
    files = {str(file.relative_to(CORE)): file for file in CORE.rglob("*.py") if file.relative_to(CORE).parts[0] != "ingest"}
    assert files.keys() > MAY_READ.keys()
    found = {name: [*reads_notes(file.read_text("utf-8"))] for name, file in files.items()}
    assert {name: lines for name, lines in found.items() if lines and name not in MAY_READ} == {}
    assert all(found[name] for name in MAY_READ)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('def is_it(turn):\n    return "divided" in turn.trace.notes', [2]),
        ("notes, own = turn.trace.notes, 1", [1]),
        ('made = turn.trace\nif made.notes.get("hit"):\n    pass', [2]),
        ('Step("hints", add_hints, shows=lambda t: t.trace.notes.get("hints", {}))', []),
        ('Step("hints", add_hints, when=lambda t: "hints" in t.trace.notes)', [1]),
        ('turn.with_notes(divided="Who?")', []),
        ("notes.unread", []),
    ],
)
def test_a_step_that_reads_notes_is_found(source: str, lines: list[int]) -> None:
    assert [*reads_notes(source)] == lines
