"""Who may know what a turn is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import footnote

CORE = Path(footnote.__file__).parent
TURN_MODULES = ("footnote.types.turn", "footnote.turn_records.make", "footnote.turn_records.restore")


def imports_of(tree: ast.AST) -> Iterator[str]:
    """Dotted names of modules, and of what is imported from them."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{each.name}" for each in names)


def knows_turns(name: str) -> bool:
    return name == "footnote.types.Turn" or any(f"{name}.".startswith(f"{module}.") for module in TURN_MODULES)


@pytest.mark.parametrize("package", ["adapters", "ports"])
def test_adapters_and_ports_import_no_turn(package: str) -> None:
    files = sorted((CORE / package).rglob("*.py"))
    assert files
    assert [(file.name, name) for file in files for name in imports_of(ast.parse(file.read_text())) if knows_turns(name)] == []


@pytest.mark.parametrize(
    "line", ["from footnote.types import Caller, Turn", "from footnote.types.turn import Outcome", "import footnote.turn_records.make"]
)
def test_an_import_of_a_turn_is_found(line: str) -> None:
    assert any(map(knows_turns, imports_of(ast.parse(line))))
