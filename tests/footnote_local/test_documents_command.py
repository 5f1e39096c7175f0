"""`footnote documents`: what is in the index, read again and deleted from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnote.library.worker import Lock
from footnote_ingest.app import DocumentBody
from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote


@pytest.fixture
def filled(footnote: Footnote, docs: Path) -> dict[str, str]:
    """File name → id: two that are READY, one of them for hr alone, and one that FAILED."""
    (docs / "empty.txt").write_text("")
    footnote("ingest", docs / "tower.md", "--groups", "hr")
    report = json.loads(footnote("ingest", docs / "sub", docs / "empty.txt", "--json").stdout)
    report["documents"] += json.loads(footnote("documents", "list", "--json").stdout)["documents"]
    return {row["file_name"]: row["doc_id"] for row in report["documents"] if "file_name" in row}


def test_documents_are_listed_with_who_may_read_them_and_why_they_failed(footnote: Footnote, filled: dict[str, str]) -> None:
    result = footnote("documents", "list")
    assert (result.exit_code, result.stderr) == (0, "3 documents.\n")
    lines = result.stdout.splitlines()
    assert f"READY      {filled['tower.md']}  default  tower.md  (hr)" in lines
    assert f"READY      {filled['ferry.txt']}  default  ferry.txt  (everyone)" in lines
    failed = lines.index(f"FAILED     {filled['empty.txt']}  default  empty.txt  (everyone)")
    assert lines[failed + 1].startswith("           This file is empty.")
    assert footnote("documents", "list", "--collection", "elsewhere").stderr == "0 documents.\n"


def test_the_json_has_the_fields_of_the_api(footnote: Footnote, filled: dict[str, str]) -> None:
    shown = json.loads(footnote("documents", "show", filled["tower.md"], "--json").stdout)
    assert set(shown) == set(DocumentBody.model_fields) - {"vectors", "additional_field", "restorable_until"}
    assert (shown["state"], shown["permission_groups"]) == ("READY", ["hr"])
    assert shown in json.loads(footnote("documents", "list", "--json").stdout)["documents"]


def test_one_document_is_shown_in_words(footnote: Footnote, filled: dict[str, str]) -> None:
    lines = footnote("documents", "show", filled["tower.md"]).stdout.splitlines()
    assert {"title              Tower", "permission groups  hr", "state              READY"} <= set(lines)


def test_a_document_that_failed_is_read_again_from_its_file(footnote: Footnote, filled: dict[str, str], docs: Path) -> None:
    result = footnote("documents", "retry", filled["empty.txt"])
    assert result.exit_code == Exit.BAD
    assert result.stdout.startswith(f"FAILED     {filled['empty.txt']}")
    ready = footnote("documents", "retry", filled["tower.md"])
    assert (ready.exit_code, ready.stderr) == (0, "Tower is READY: only FAILED documents are retried.\n")


@pytest.mark.usefixtures("sure_of_little")
def test_a_deleted_document_is_in_no_answer(footnote: Footnote, filled: dict[str, str]) -> None:
    assert footnote("ask", "When was the lighthouse lit?").exit_code == 0
    result = footnote("documents", "delete", filled["tower.md"], filled["empty.txt"], "--yes")
    assert (result.exit_code, result.stderr) == (0, "2 documents deleted.\n")
    assert footnote("ask", "When was the lighthouse lit?").exit_code == Exit.BAD
    assert footnote("documents", "list").stderr == "1 document.\n"
    assert "document.delete" in footnote("audit").stdout


@pytest.mark.usefixtures("sure_of_little")
def test_a_deleted_document_is_restored_with_its_readers(footnote: Footnote, filled: dict[str, str]) -> None:
    footnote("documents", "delete", filled["tower.md"], "--yes")
    result = footnote("documents", "restore", filled["tower.md"])
    assert (result.exit_code, result.stdout) == (0, f"READY      {filled['tower.md']}  default  tower.md  (hr)\n")
    assert footnote("ask", "When was the lighthouse lit?").exit_code == 0
    assert "document.restore" in footnote("audit").stdout


def test_nothing_is_deleted_unless_it_is_confirmed(footnote: Footnote, filled: dict[str, str]) -> None:
    asked = footnote("documents", "delete", filled["tower.md"])
    assert (asked.exit_code, "Delete Tower?" in asked.stderr) == (1, True)
    assert footnote("documents", "list").stderr == "3 documents.\n"


@pytest.mark.parametrize("command", ["show", "retry", "delete", "restore"])
def test_an_unknown_document_is_reported_and_the_others_stay(command: str, footnote: Footnote, filled: dict[str, str]) -> None:
    options = ["--yes"] if command == "delete" else []
    given = [filled["tower.md"]] if command != "show" else []
    result = footnote("documents", command, *given, "nowhere", *options)
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert result.stderr.startswith("footnote: ")
    assert footnote("documents", "list").stderr == "3 documents.\n"


def test_while_a_server_uses_the_folder_a_command_without_wait_returns_at_once(
    footnote: Footnote, filled: dict[str, str], tmp_path: Path
) -> None:
    lock = Lock(tmp_path / "data")
    lock.take()
    try:
        result = footnote("documents", "retry", filled["tower.md"])
    finally:
        lock.release()
    assert (result.exit_code, "A Footnote server is using this data folder" in result.stderr) == (0, True)
