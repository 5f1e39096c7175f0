"""The event bus of one machine: a file with one event per line, in the shape that EventBridge delivers."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from footnote.adapters.shared.bus import SOURCE, encode_detail
from footnote.adapters.shared.disk import remedy
from footnote.errors import Unavailable
from footnote.ports import Clock

FILE_BYTES = 10_000_000
"""A larger file is rotated to `events.jsonl.1`, which replaces the previous one."""


class LocalBus:
    """`ports.Bus`. An event is in `<folder>/events.jsonl` when `publish` returns."""

    def __init__(self, folder: Path, clock: Clock = time.time) -> None:
        self._path = folder / "events.jsonl"
        self._clock = clock

    async def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        encode_detail(detail_type, detail)  # TooLarge here too, so that both buses take the same events
        at = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        event = {"time": at, "source": SOURCE, "detail-type": detail_type, "detail": dict(detail)}
        line = json.dumps(event).encode() + b"\n"
        try:
            self._append(line)  # one short write, not flushed: the hand-over to a thread takes longer
        except OSError as exc:
            raise Unavailable("The file of events cannot be written." + f" {remedy(exc)}") from exc

    def _append(self, line: bytes) -> None:
        try:
            file = self._path.open("ab", buffering=0)
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._path.open("ab", buffering=0)
        with file:
            if file.tell() + len(line) > FILE_BYTES and file.tell():
                fcntl.flock(file, fcntl.LOCK_EX)
                with suppress(FileNotFoundError):  # of several processes one rotates it; another would rotate the one that follows
                    if os.path.samestat(os.fstat(file.fileno()), self._path.stat()):
                        os.replace(self._path, f"{self._path}.1")
                self._append(line)
            else:
                file.write(line)  # one write per line: lines of several processes do not mix
