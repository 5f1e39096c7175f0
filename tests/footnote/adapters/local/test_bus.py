"""The file of events."""

from __future__ import annotations

import asyncio
import fcntl
import json
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.local.bus import LocalBus
from footnote.errors import Unavailable


async def test_an_event_is_one_line_in_the_shape_that_eventbridge_delivers(tmp_path: Path, clock: Any) -> None:
    await LocalBus(tmp_path / "new", clock).publish("answered", {"hits": 3, "이름": "\ud800"})
    [line] = (tmp_path / "new" / "events.jsonl").read_bytes().split(b"\n")[:-1]
    assert json.loads(line) == {
        "time": "2023-11-14T22:13:20Z",
        "source": "footnote",
        "detail-type": "answered",
        "detail": {"hits": 3, "이름": "\ud800"},
    }


async def test_events_told_at_once_stay_whole(tmp_path: Path) -> None:
    buses = [LocalBus(tmp_path), LocalBus(tmp_path)]
    await asyncio.gather(*(buses[number % 2].publish("sized", {"number": number, "text": "x" * 20_000}) for number in range(60)))
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert sorted(event["detail"]["number"] for event in events) == list(range(60))


async def test_a_full_file_makes_room_and_one_before_it_is_kept(tmp_path: Path) -> None:
    bus, now, before = LocalBus(tmp_path), tmp_path / "events.jsonl", tmp_path / "events.jsonl.1"
    for number in range(110):
        await bus.publish("sized", {"number": number, "text": "x" * 200_000})
    first = [json.loads(path.read_text().splitlines()[0])["detail"]["number"] for path in (before, now)]
    assert first == [49, 98]
    assert now.stat().st_size < 10_000_000
    assert before.stat().st_size < 10_000_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.jsonl", "events.jsonl.1"]


async def test_of_two_processes_that_want_to_rotate_the_file_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bus, other, now, before = LocalBus(tmp_path), LocalBus(tmp_path), tmp_path / "events.jsonl", tmp_path / "events.jsonl.1"
    monkeypatch.setattr("footnote.adapters.local.bus.FILE_BYTES", 500)
    for number in range(4):
        await other.publish("sized", {"number": number})
    lock = fcntl.flock

    def lock_second(file: Any, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        other._append(json.dumps({"detail": {"number": 4, "text": "x" * 200}}).encode() + b"\n")  # the other process is faster
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", lock_second)
    await bus.publish("sized", {"number": 5})
    found = [[json.loads(line)["detail"]["number"] for line in path.read_text().splitlines()] for path in (before, now)]
    assert found == [[0, 1, 2, 3], [4, 5]]


async def test_a_folder_that_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Unavailable):
        await LocalBus(tmp_path / "file").publish("answered", {})
