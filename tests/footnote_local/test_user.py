"""`footnote user`: accounts, and the export and deletion of one user's data."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from footnote.types import Answer, Caller, Profile
from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote, open_core
from tests.turns import make_turn, stored

ASKED = Profile("trd", live=False, citation_style="footnote", prompt="answer_footnote")


@pytest.fixture(autouse=True)
def asked(tmp_path: Path) -> None:
    """Two turns of ann's, one of ben's."""

    async def save() -> None:
        core = open_core(tmp_path / "data")
        for number, user in enumerate(("ann", "ben", "ann")):
            turn = make_turn("왜?", ASKED, trace_id=f"t{number}", caller=Caller(user), answer=Answer("Because."), started_at=1.0 + number)
            await core.turns.save(stored(turn))
        await core.close()

    asyncio.run(save())


def test_a_users_turns_are_printed_oldest_first(footnote: Footnote) -> None:
    result = footnote("user", "export", "ann")
    assert (result.exit_code, result.stderr) == (Exit.OK, "2 turns exported.\n")
    assert [json.loads(line)["trace_id"] for line in result.stdout.splitlines()] == ["t0", "t2"]
    assert "왜?" in result.stdout


def test_another_folder_has_other_turns(footnote: Footnote, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert footnote("user", "export", "ann", "--data", tmp_path / "other").stderr == "0 turns exported.\n"
    assert footnote("user", "delete", "ann", "--yes", "--data", tmp_path / "other").stderr == "0 turns deleted.\n"
    assert footnote("user", "export", "ann", "--data", tmp_path / "data").stderr == "2 turns exported.\n"


def test_a_users_turns_are_written_to_a_file(footnote: Footnote, tmp_path: Path) -> None:
    result = footnote("user", "export", "ben", "--out", tmp_path / "ben.jsonl")
    assert (result.exit_code, result.stdout) == (Exit.OK, "")
    assert json.loads((tmp_path / "ben.jsonl").read_text("utf-8"))["user_id"] == "ben"


def test_a_file_that_cannot_be_written_is_reported(footnote: Footnote, tmp_path: Path) -> None:
    result = footnote("user", "export", "ben", "--out", tmp_path / "none" / "ben.jsonl")
    assert result.exit_code == Exit.UNAVAILABLE
    assert "cannot be written (No such file or directory)" in result.stderr


def test_a_user_is_deleted_without_confirmation_on_request(footnote: Footnote) -> None:
    assert footnote("user", "delete", "ann", "--yes").stderr == "2 turns deleted.\n"
    assert footnote("user", "export", "ann").stdout == ""
    assert len(footnote("user", "export", "ben").stdout.splitlines()) == 1


def test_a_user_is_not_deleted_without_confirmation(footnote: Footnote) -> None:
    result = footnote("user", "delete", "ann")  # standard input is empty
    assert result.exit_code == Exit.BAD
    assert len(footnote("user", "export", "ann").stdout.splitlines()) == 2


# --- accounts ------------------------------------------------------------------------------------


@pytest.fixture
def signed_in(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTH__MODE", "session")


@pytest.mark.usefixtures("signed_in")
def test_the_operator_invites_the_first_admin_and_resets_a_password(footnote: Footnote) -> None:
    made = footnote("user", "add", "Ada", "--admin", "--groups", "staff, crew")
    assert re.fullmatch(r"http://127\.0\.0\.1:8000/#/invitation/Ada/[\w-]{32}\n", made.stdout)
    assert made.stderr == "Send this link to Ada. It works once, for 72 hours.\n"
    assert footnote("user", "list").stdout == "Ada  admin  invited  staff,crew\n"
    reset = json.loads(footnote("user", "reset", "ada", "--hours", "2", "--json").stdout)
    assert (reset["name"], reset["hours"], reset["url"] == made.stdout.strip()) == ("Ada", 2, False)
    assert [each["state"] for each in json.loads(footnote("user", "list", "--json").stdout)["accounts"]] == ["invited"]
    assert "account.reset" in footnote("audit").stdout
    assert footnote("user", "remove", "ada").stderr == "The account was removed.\n"
    gone = footnote("user", "remove", "ada")
    assert (gone.exit_code, gone.stderr) == (Exit.USAGE, "footnote: There is no account of this name.\n")
    assert "footnote user add NAME --admin" in footnote("user", "list").stderr


def test_accounts_need_sign_in_by_session(footnote: Footnote) -> None:
    made = footnote("user", "add", "ada")
    assert (made.exit_code, "AUTH__MODE=session" in made.stderr) == (Exit.USAGE, True)
    assert footnote("user", "add", "a\nb").stderr == "footnote: The name must be a single line of 1 to 200 characters.\n"
