"""Logs as plain text: each record stays whole, with what belongs to it."""

from __future__ import annotations

import pytest

from footnote.ingest.parse import parse

FAILED = "2026-11-03 02:15:44,871 ERROR Write failed\njava.sql.SQLException: timed out\n\tat com.kontor.Writer.flush(Writer.java:88)"


def items(text: str, name: str = "app.log") -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse(text.encode(), name).blocks]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2026-11-03T02:14:07Z INFO started", "2026-11-03T02:15:41Z WARN 3 rows skipped"),
        ("Jun 14 15:16:01 combo sshd[19939]: session opened for user news", "Jun 14 15:16:02 combo sshd[19937]: check pass"),
        ('10.0.0.7 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200', '10.0.0.9 - - [10/Oct/2026:13:55:37 +0000] "GET /a" 404'),
        ("[Sun Dec 04 04:51:08 2005] [notice] found child 6725 in slot 10", "[Sun Dec 04 04:53:16 2005] [error] in error state 7"),
    ],
)
@pytest.mark.parametrize("name", ["app.log", "notes.txt", "app.log.1"])
def test_each_record_of_a_log_is_an_item(first: str, second: str, name: str) -> None:
    assert items(f"{first}\n{second}\n{first}\n", name) == [("list", f"- {first}\n- {second}\n- {first}")]


def test_a_stack_trace_stays_with_its_record() -> None:
    before, after = "2026-11-03 02:14:07,119 INFO Import started", "2026-11-03 02:16:10,400 INFO Shard 5 retried"
    trace = FAILED.replace("\n", "\n  ")
    assert items(f"{before}\n{FAILED}\n\n{after}\n") == [("list", f"- {before}"), ("list", f"- {trace}"), ("list", f"- {after}")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("At 10:15:00 the ferry leaves.\nIt comes back late.\nBring a coat.\nAnd a hat.\n", id="one time in a text"),
        pytest.param("Timetable\n10:15:00 Pier 4\n11:15:00 Pier 5\n12:15:00 Pier 6\n", id="times below a title"),
    ],
)
def test_a_text_with_times_is_no_log(text: str) -> None:
    assert all(kind != "list" for kind, _ in items(text, "a.txt"))
