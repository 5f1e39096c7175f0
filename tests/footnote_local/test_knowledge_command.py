"""`footnote knowledge`: output, refusals and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote


@pytest.fixture
def town(footnote: Footnote, tmp_path: Path) -> Footnote:
    """A collection of two documents."""
    (tmp_path / "a.txt").write_text("Ann Mason runs the Acme Works.")
    (tmp_path / "b.txt").write_text("Bert Olsen left Elmby.")
    assert footnote("ingest", tmp_path / "a.txt", tmp_path / "b.txt", "--collection", "town").exit_code == Exit.OK
    return footnote


def shown(footnote: Footnote, *args: str) -> dict[str, Any]:
    """Kind → its state."""
    result = footnote("knowledge", *args, "--json")
    assert result.exit_code == Exit.OK, result.output
    return {row["kind"]: row for row in json.loads(result.stdout)["knowledge"]}


def test_an_estimate_builds_nothing(town: Footnote) -> None:
    states = shown(town, "estimate", "town")
    assert [(kind, row["made_by"], row["built"], row["total"]) for kind, row in states.items()] == [
        ("graph", None, 0, 2),
        ("late_interaction", None, 0, 2),
        ("summary_tree", None, 0, 2),
    ]
    assert states["graph"]["estimate"]["passages"] == 2
    assert shown(town, "estimate", "town", "graph", "--model")["graph"]["estimate"]["prompt_tokens"] > 0
    assert {(row["made_by"], row["built"]) for row in shown(town, "estimate", "town").values()} == {(None, 0)}
    lines = town("knowledge", "estimate", "town").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(states)
    assert "off; 2 passages" in lines[0]


def test_what_is_built_is_there_at_once_and_stays_for_later_documents(town: Footnote, tmp_path: Path) -> None:
    built = town("knowledge", "build", "town", "graph")
    assert built.exit_code == Exit.OK
    assert "built by rules: 2 of 2 passages" in built.stdout
    (tmp_path / "c.txt").write_text("Carla Diaz met Bert Olsen.")
    town("ingest", tmp_path / "c.txt", "--collection", "town")
    assert shown(town, "build", "town", "graph")["graph"]["built"] == 3
    assert shown(town, "estimate", "town")["graph"]["estimate"]["passages"] == 0


def test_what_is_dropped_is_off(town: Footnote) -> None:
    town("knowledge", "build", "town", "graph")
    assert shown(town, "drop", "town", "graph")["graph"] | {"estimate": None} == {
        "kind": "graph", "made_by": None, "built": 0, "total": 2, "obstacle": "", "estimate": None,
    }  # fmt: skip


def test_what_cannot_be_built_is_told_and_the_rest_is_built(town: Footnote) -> None:
    result = town("knowledge", "build", "town")
    assert result.exit_code == Exit.OK
    assert "summary_tree: It is made of vectors, and this collection has none." in result.stderr
    assert {kind: row["built"] for kind, row in shown(town, "estimate", "town").items()} == {
        "graph": 2,
        "late_interaction": 0,
        "summary_tree": 0,
    }
    alone = town("knowledge", "build", "town", "late_interaction")
    assert (alone.exit_code, "has none" in alone.stderr) == (Exit.USAGE, True)


def test_without_a_model_what_is_built_stays(town: Footnote) -> None:
    town("knowledge", "build", "town", "graph")
    result = town("knowledge", "build", "town", "graph", "--model")
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert "graph: No language model is configured." in result.stderr
    assert "built by rules: 2 of 2 passages" in town("knowledge", "estimate", "town", "graph").stdout


@pytest.mark.parametrize("command", ["estimate", "build", "drop"])
def test_unknown_kinds_and_collections_are_refused(command: str, town: Footnote) -> None:
    wrong = town("knowledge", command, "town", "magic")
    assert (wrong.exit_code, "There is no magic" in wrong.stderr) == (Exit.USAGE, True)
    assert town("knowledge", command, "nowhere").exit_code == Exit.USAGE
