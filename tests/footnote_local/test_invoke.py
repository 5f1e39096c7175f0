"""`footnote invoke`: output and exit codes for one event."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.footnote_local.conftest import Footnote

EVENTS = Path(__file__).parents[2] / "events"


def test_the_functions_result_and_duration_are_printed(footnote: Footnote) -> None:
    result = footnote("invoke", "stats", EVENTS / "stats_schedule.json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, {})
    assert result.stderr.startswith("The function ran for ")
    assert " ms after a cold start of " in result.stderr


def test_the_body_of_an_http_reply_is_printed_and_its_status_decides(footnote: Footnote, tmp_path: Path) -> None:
    good = footnote("invoke", "ingest", EVENTS / "ingest_http_get.json")
    assert (good.exit_code, json.loads(good.stdout)) == (0, {"data": [], "has_more": False, "last_id": None})
    assert good.stderr.splitlines()[0] == "HTTP 200"
    bad = footnote("invoke", "feedback", EVENTS / "feedback_http.json", "--data", tmp_path / "other")
    assert (bad.exit_code, json.loads(bad.stdout)["detail"]) == (1, "There is no such turn.")
    assert (tmp_path / "other" / "store.db").exists()


@pytest.mark.nightly
def test_the_whole_reply_is_there_for_programs(footnote: Footnote) -> None:
    result = footnote("invoke", "ingest", EVENTS / "ingest_http_get.json", "--json")
    reply = json.loads(result.stdout)
    assert (reply["statusCode"], reply["headers"]["content-type"], reply["isBase64Encoded"]) == (200, "application/json", False)
    assert json.loads(reply["body"])["data"] == []


@pytest.mark.nightly
def test_a_function_that_fails_is_reported_as_by_lambda(footnote: Footnote, tmp_path: Path) -> None:
    no_folder = tmp_path / "a file"
    no_folder.touch()
    result = footnote("invoke", "stats", EVENTS / "stats_schedule.json", "--data", no_folder)
    assert (result.exit_code, json.loads(result.stdout)["errorType"]) == (1, "EventFailed")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read as JSON."),
        ("no JSON", "cannot be read as JSON."),
        ("[1]", "does not contain an event. An event is a JSON object."),
    ],
)
def test_an_invalid_event_is_reported(content: str | None, message: str, footnote: Footnote, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    if content is not None:
        event.write_text(content)
    result = footnote("invoke", "stats", event)
    assert (result.exit_code, result.stderr) == (2, f"footnote: {event} {message}\n")


def test_without_a_part_of_the_runtime_the_command_says_how_to_get_it(
    footnote: Footnote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "awslambdaric", None)
    handler = footnote("invoke", "stats", EVENTS / "stats_schedule.json")
    assert handler.exit_code == 3
    assert handler.stderr.endswith("Install it: pip install awslambdaric\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    stream = footnote("invoke", "query", EVENTS / "query_http.json")
    assert stream.exit_code == 3
    assert "Build it: cargo install lambda_web_adapter --version 1.0.0-rc1 --locked " in stream.stderr
    assert f"--root {tmp_path}/footnote/lambda-web-adapter-1.0.0-rc1" in stream.stderr
