"""`footnote session`: the printed token signs in until it is revoked."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from footnote.errors import Unauthorized
from footnote.guard.identity import identify
from footnote.settings import Auth
from footnote.types import Caller
from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote, open_core


def caller_of(folder: Path, token: str) -> Caller:
    async def identify_token() -> Caller:
        core = open_core(folder / "data")
        try:
            return await identify(token, auth=Auth(mode="session"), cache=core.cache)
        finally:
            await core.close()

    return asyncio.run(identify_token())


def test_a_session_that_was_made_signs_in_until_it_is_revoked(footnote: Footnote, tmp_path: Path) -> None:
    token = footnote("session", "create", "--user", "ann", "--groups", "staff, hr", "--hours", "1").stdout.strip()
    assert caller_of(tmp_path, token) == Caller("ann", frozenset({"staff", "hr", "user:ann"}))
    assert footnote("session", "revoke", token).exit_code == Exit.OK
    with pytest.raises(Unauthorized):
        caller_of(tmp_path, token)


def test_no_token_looks_like_an_option_of_a_command(footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_bytes", lambda size: b"\xfb" * size)  # would be “-_v7…” if any character could come first
    token = footnote("session", "create", "--user", "ann").stdout.strip()
    assert not token.startswith("-")
    assert footnote("session", "revoke", token).exit_code == Exit.OK


def test_a_session_is_made_listed_and_revoked_in_the_folder_that_is_named(footnote: Footnote, tmp_path: Path) -> None:
    there = ("--data", tmp_path / "other")
    token = footnote("session", "create", "--user", "ann", *there).stdout.strip()
    assert footnote("session", "list").stderr == "There are no active sessions.\n"
    assert footnote("session", "list", *there).stderr == "1 active session.\n"
    assert footnote("session", "revoke", token, *there).exit_code == Exit.OK
    assert footnote("session", "list", *there).stderr == "There are no active sessions.\n"


def test_an_admins_session_is_printed_as_json(footnote: Footnote, tmp_path: Path) -> None:
    session = json.loads(footnote("session", "create", "--user", "root", "--role", "admin", "--json").stdout)
    assert (session["user_id"], session["groups"], session["role"], session["hours"]) == ("root", [], "admin", 12)
    assert caller_of(tmp_path, session["token"]).role == "admin"


def test_a_session_needs_a_user(footnote: Footnote, tmp_path: Path) -> None:
    refused = footnote("session", "create", "--user", " ")
    assert (refused.exit_code, refused.stderr) == (Exit.USAGE, "footnote: --user must not be empty.\n")
    assert not any((tmp_path / "data").iterdir())


@pytest.mark.parametrize("user", ["ann\nbob", "a" * 201])
def test_a_users_name_is_one_short_line(footnote: Footnote, user: str) -> None:
    refused = footnote("session", "create", "--user", user)
    assert (refused.exit_code, refused.stderr) == (Exit.USAGE, "footnote: --user must be a single line of at most 200 characters.\n")
    assert json.loads(footnote("session", "list", "--json").stdout) == {"sessions": []}


def test_an_unknown_session_is_not_reported_as_revoked(footnote: Footnote) -> None:
    footnote("session", "create", "--user", "ann")
    refused = footnote("session", "revoke", "0123456789abcdee")
    assert (refused.exit_code, refused.stderr) == (
        Exit.USAGE,
        "footnote: There is no such session. `footnote session list` lists all sessions.\n",
    )
    assert [entry["action"] for entry in json.loads(footnote("audit", "--json").stdout)["entries"]] == ["session.create"]


def test_sessions_are_listed_and_ended_by_their_ids(footnote: Footnote, tmp_path: Path) -> None:
    tokens = {user: footnote("session", "create", "--user", user, "--groups", "staff").stdout.strip() for user in ("ann", "bob")}
    listed = {each["user_id"]: each for each in json.loads(footnote("session", "list", "--json").stdout)["sessions"]}
    assert [listed[user]["groups"] for user in ("ann", "bob")] == [["staff"], ["staff"]]
    assert footnote("session", "revoke", listed["bob"]["session_id"]).exit_code == Exit.OK
    with pytest.raises(Unauthorized):
        caller_of(tmp_path, tokens["bob"])
    assert caller_of(tmp_path, tokens["ann"]).user_id == "ann"
    shown = footnote("session", "list")
    assert listed["ann"]["session_id"] in shown.stdout
    assert "bob" not in shown.stdout
    assert shown.stderr == "1 active session.\n"
