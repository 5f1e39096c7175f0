"""`footnote eval FILE`: a list of questions, with or without words that the answers must contain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote


@pytest.mark.usefixtures("ingested")
def test_each_question_is_told_with_what_became_of_it(footnote: Footnote, tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("When was the lighthouse lit?\t1874\n\nWhen do ferries cross the river?\nWho won the cup in Paris?\n", "utf-8")
    told = footnote("eval", file)
    assert (told.exit_code, told.stderr) == (Exit.OK, "")
    lines = told.stdout.splitlines()
    assert lines[0] == "✓ answer   When was the lighthouse lit?"
    assert "1874" in lines[1]
    assert lines[1].endswith("(Tower)")
    assert lines[-1] == "3 questions: 2 answered, 0 with the closest passages, 1 refused. 1 of 1 contain the expected words."
    report = json.loads(footnote("eval", file, "--json").stdout)
    assert [(each["tier"], each["passed"]) for each in report["results"]] == [("answer", True), ("answer", None), ("nothing", None)]
    assert footnote("stats", "--json").exit_code == Exit.OK
    assert json.loads(footnote("stats", "--json").stdout)["total"]["turns"] == 0, "nothing is counted"


@pytest.mark.usefixtures("ingested")
def test_an_answer_without_the_expected_words_fails_the_command(footnote: Footnote, tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("When was the lighthouse lit?\t1999\n", "utf-8")
    told = footnote("eval", file)
    assert (told.exit_code, told.stdout.splitlines()[0]) == (Exit.BAD, "✗ answer   When was the lighthouse lit?")


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize(("content", "said"), [(b"\n \n", "has no questions"), (b"\xff\xfe\x00", "is not a text file in UTF-8")])
def test_a_file_without_questions_is_refused(footnote: Footnote, tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "questions.txt"
    file.write_bytes(content)
    told = footnote("eval", file)
    assert (told.exit_code, said in told.stderr) == (Exit.USAGE, True)


READING = ["documents list", "collections list", "stats", "audit", "user list", "session list", "eval questions.txt"]


@pytest.mark.parametrize("command", READING)
def test_a_reading_command_makes_no_folder_for_a_mistyped_name(footnote: Footnote, tmp_path: Path, command: str) -> None:
    (tmp_path / "questions.txt").write_text("Why?\n")
    args = [str(tmp_path / part) if part.endswith(".txt") else part for part in command.split()]
    told = footnote(*args, "--data", tmp_path / "typo")
    assert (told.exit_code, "There is no data folder" in told.stderr, (tmp_path / "typo").exists()) == (Exit.USAGE, True, False)
