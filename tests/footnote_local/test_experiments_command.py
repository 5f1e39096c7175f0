"""`footnote experiments`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.footnote_local.conftest import Footnote

PASSAGES = {
    "name": "reranked",
    "collection": None,
    "arms": [{"name": "as-it-is", "share": 0.5}, {"name": "by-words", "share": 0.5, "retriever": "bm25"}],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "experiment.json"
    path.write_text(json.dumps(PASSAGES))
    return path


def test_an_experiment_is_created_started_stopped_and_deleted(footnote: Footnote, file: Path) -> None:
    assert footnote("experiments", "list").stderr == "There are no experiments.\n"
    made = footnote("experiments", "create", file)
    assert (made.exit_code, made.stdout.splitlines()[0]) == (0, "reranked: DRAFT, cohort, 100% of the users, all collections")
    assert footnote("experiments", "start", "reranked").stdout.startswith("reranked: RUNNING, ")
    assert footnote("experiments", "stop", "reranked").stdout.startswith("reranked: STOPPED, ")
    shown = footnote("experiments", "show", "reranked").stdout.splitlines()
    assert shown[1:3] == [
        "  as-it-is: no changes",
        "    share 50% · 0 turns of 0 users · 0 up, 0 down · 0 count · no rating that counts",
    ]
    assert shown[-2] == "Undecided"
    assert footnote("experiments", "delete", "reranked").exit_code == 0
    assert json.loads(footnote("experiments", "list", "--json").stdout) == {"experiments": []}


def test_an_experiment_can_be_started_as_it_is_created(footnote: Footnote, file: Path) -> None:
    assert json.loads(footnote("experiments", "create", file, "--start", "--json").stdout)["state"] == "RUNNING"


@pytest.mark.parametrize("text", ["no JSON", '{"name": "reranked"}', None])
def test_an_unusable_file_is_reported(footnote: Footnote, tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "experiment.json"
    if text is not None:
        path.write_text(text)
    result = footnote("experiments", "create", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("footnote: ")


def test_an_experiment_that_does_not_exist_is_reported(footnote: Footnote) -> None:
    result = footnote("experiments", "show", "nothing")
    assert (result.exit_code, result.stderr) == (2, "footnote: There is no such experiment.\n")
