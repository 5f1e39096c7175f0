"""`footnote events`: the analytics events of this machine."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from footnote_local.terminal import clip, run, say
from footnote_local.with_core import make_core

POLL_S = 0.5
WIDTH = 100
"""Maximum length of a text on a line."""


def events(
    follow: Annotated[bool, typer.Option("--follow", help="Keep printing new events until Ctrl-C.")] = False,
    limit: Annotated[int, typer.Option(help="Number of past events to show.", min=0)] = 20,
    data: Annotated[Path | None, typer.Option("--data", help="Data folder.", envvar="FOOTNOTE_DATA")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Show the questions and answers published to this machine's event bus, newest last."""

    settings = make_core(data).settings
    if settings.aws.event_bus:
        say("AWS__EVENT_BUS is set, so new events go there. These are older, local events.")

    async def work() -> None:
        path = settings.data / "events.jsonl"
        lines, at = read_last(path, limit)
        for line in lines:
            show(line, as_json)
        if not lines and not follow:
            say("No events yet.")
        if follow:
            async for line in lines_after(path, at):
                show(line, as_json)

    run(work())


def read_last(path: Path, limit: int) -> tuple[list[bytes], int]:
    """(the last lines, across the rotated file and the current one; the current file's length in bytes)."""
    lines: deque[bytes] = deque(maxlen=limit)
    at = 0
    for file in (path.with_name(f"{path.name}.1"), path):
        with suppress(FileNotFoundError):
            whole = _whole(file.read_bytes())
            lines.extend(whole.splitlines())
            at = len(whole) if file == path else 0
    return list(lines), at


async def lines_after(path: Path, at: int, poll_s: float = POLL_S) -> AsyncIterator[bytes]:
    """Yields lines appended after offset `at`, forever."""
    while True:
        lines, at = read_from(path, at)
        for line in lines:
            yield line
        await asyncio.sleep(poll_s)


def read_from(path: Path, at: int) -> tuple[list[bytes], int]:
    """(lines appended after offset `at`, the new offset). A file shorter than `at` was rotated and is read from its start."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        at = file.seek(at if path.stat().st_size >= at else 0)
        whole = _whole(file.read())
        return whole.splitlines(), at + len(whole)
    return [], at


def show(line: bytes, as_json: bool) -> None:
    """Prints an event; skips a line that is not complete JSON."""
    event = _event(line)
    if event is None:  # truncated, for example by a full disk
        return
    detail = event["detail"]
    text = clip(str(detail.get("response") or detail.get("query") or json.dumps(detail)), WIDTH)
    shown = f"{event['time']}  {event['detail-type']:28}  {detail.get('user_id', '')}  {text}"
    print(json.dumps(event, ensure_ascii=False) if as_json else shown, flush=True)


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _whole(data: bytes) -> bytes:
    """The data without an incomplete last line."""
    return data[: data.rfind(b"\n") + 1]
