"""`footnote events`: prints the bus's file."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from footnote_local.events_command import lines_after, read_last
from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote


def event(text: str, kind: str = "analytics.query.submitted", **detail: Any) -> str:
    known = {
        "time": "2026-01-02T03:04:05Z",
        "source": "footnote",
        "detail-type": kind,
        "detail": {"query": text, "user_id": "ann", **detail},
    }
    return json.dumps(known) + "\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir(exist_ok=True)
    return tmp_path / "data" / "events.jsonl"


@pytest.mark.usefixtures("ingested")
def test_a_question_leaves_two_events(footnote: Footnote) -> None:
    footnote("ask", "How long is the holiday?")
    result = footnote("events", "--json")
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["detail-type"] for each in events] == ["analytics.query.submitted", "analytics.response.generated"]
    assert [each["detail"]["query"] for each in events] == ["How long is the holiday?"] * 2
    assert (result.exit_code, result.stderr) == (Exit.OK, "")


def test_the_last_ones_are_shown_newest_last_each_on_a_line(footnote: Footnote, path: Path) -> None:
    path.with_name("events.jsonl.1").write_text(event("first") + event("second"))
    path.write_text(event("third\nwith a line break " + "x" * 200) + event("q", "analytics.response.generated", response="fourth"))
    assert footnote("events", "--limit", "3").stdout.splitlines() == [
        "2026-01-02T03:04:05Z  analytics.query.submitted     ann  second",
        f"2026-01-02T03:04:05Z  analytics.query.submitted     ann  third with a line break {'x' * 75}…",
        "2026-01-02T03:04:05Z  analytics.response.generated  ann  fourth",
    ]


def test_an_incomplete_line_is_not_an_event(footnote: Footnote, path: Path) -> None:
    path.write_text("{broken\n[]\n" + event("whole") + event("half")[:30])
    result = footnote("events")
    assert (result.exit_code, result.stdout) == (Exit.OK, "2026-01-02T03:04:05Z  analytics.query.submitted     ann  whole\n")


def test_without_events_it_says_so(footnote: Footnote, path: Path) -> None:
    result = footnote("events")
    assert (result.exit_code, result.stdout, result.stderr) == (Exit.OK, "", "No events yet.\n")


def test_events_that_go_to_aws_are_not_here(footnote: Footnote, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS__EVENT_BUS", "footnote")
    assert footnote("events").stderr.startswith("AWS__EVENT_BUS is set, so new events go there.")


async def test_new_events_are_followed_across_file_rotation(path: Path) -> None:
    path.write_text(event("seen"))
    lines, at = read_last(path, 10)
    assert (len(lines), at) == (1, path.stat().st_size)

    def query(line: bytes) -> str:
        return str(json.loads(line)["detail"]["query"])

    async with aclosing(lines_after(path, at, poll_s=0.001)) as following:  # type: ignore[type-var]
        with path.open("a") as file:
            file.write(event("new") + event("half")[:20])
        assert query(await anext(following)) == "new"
        with path.open("a") as file:
            file.write(event("half")[20:])
        assert query(await anext(following)) == "half"
        path.replace(path.with_name("events.jsonl.1"))
        waiting = asyncio.ensure_future(anext(following))
        await asyncio.sleep(0.01)
        path.write_text(event("later"))
        assert query(await waiting) == "later"
