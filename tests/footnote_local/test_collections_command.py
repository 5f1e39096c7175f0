"""`footnote collections`: collections are created, changed, renamed, deleted and restored."""

from __future__ import annotations

import json
from pathlib import Path

from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote


def test_a_collection_is_created_shown_and_changed(footnote: Footnote, tmp_path: Path) -> None:
    assert "There are no collections" in footnote("collections", "list").stderr
    made = footnote("collections", "create", "staff", "--title", "Staff", "--chunker", "table", "--languages", "de, en", "--groups", "hr")
    assert (made.exit_code, made.stderr) == (Exit.OK, "Created “staff”.\n")
    assert "already" in footnote("collections", "create", "staff").stderr
    shown = footnote("collections", "show", "staff").stdout
    assert all(word in shown for word in ("staff", "Staff", "table", "de, en", "hr", "none"))
    changed = footnote("collections", "set", "staff", "--embedder", "none", "--languages", "")
    assert "New settings for languages hold for documents that are added or changed from now on." in changed.stderr
    settings = json.loads(footnote("collections", "show", "staff", "--json").stdout)["settings"]
    assert settings == {"chunker": "table", "embedder": "none", "languages": [], "permission_groups": ["hr"], "columns": {}}
    assert footnote("collections", "show", "nothing").exit_code == Exit.USAGE
    wrong = footnote("collections", "create", "b", "--languages", "Deutsch")
    assert (wrong.exit_code, "languages" in wrong.stderr) == (Exit.USAGE, True)


def test_a_collection_is_renamed_deleted_and_restored(footnote: Footnote, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ferries cross at noon.")
    assert footnote("ingest", tmp_path / "a.txt", "--collection", "town").exit_code == Exit.OK
    assert footnote("collections", "rename", "town", "city").exit_code == Exit.OK
    assert footnote("collections", "alias", "city", "cité").exit_code == Exit.OK
    for name in ("town", "city", "cité"):
        assert "Ferries" in footnote("search", "ferries", "--collection", name).stdout
    assert "deleted" not in footnote("collections", "list").stdout
    assert footnote("collections", "alias", "city", "cité", "--remove").exit_code == Exit.OK
    gone = footnote("collections", "delete", "city", "--yes")
    assert (gone.exit_code, "footnote collections restore city" in gone.stderr) == (Exit.OK, True)
    again = footnote("collections", "delete", "city")  # nothing is left to be asked
    assert (again.exit_code, again.stderr) == (Exit.OK, gone.stderr)
    for name in ("town", "city"):
        assert footnote("search", "ferries", "--collection", name).exit_code == Exit.USAGE
    assert footnote("documents", "list").stdout == ""
    refused = footnote("ingest", tmp_path / "a.txt", "--collection", "town")
    assert (refused.exit_code, "was deleted" in refused.stdout + refused.stderr) == (Exit.BAD, True), refused.output
    assert "can be restored until" in footnote("collections", "list").stdout
    assert footnote("collections", "restore", "town").exit_code == Exit.OK
    assert "Ferries" in footnote("search", "ferries", "--collection", "town").stdout
    assert "city" in footnote("documents", "list").stdout
