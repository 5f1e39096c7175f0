"""`footnote events`: what the event bus of this machine was told."""

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
"""Characters of a text on one line."""


def events(
    follow: Annotated[bool, typer.Option("--follow", help="Go on with what comes, until Ctrl-C.")] = False,
    limit: Annotated[int, typer.Option(help="How many of those that are there, the last ones.", min=0)] = 20,
    data: Annotated[Path | None, typer.Option("--data", help="Folder of the stored events.", envvar="FOOTNOTE_DATA")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print each event as a line of JSON.")] = False,
) -> None:
    """Show the questions and answers that were told to the event bus of this machine, newest last."""

    settings = make_core(data).settings
    if settings.aws.event_bus:
        say("AWS__EVENT_BUS is set: events go there. These are the ones from before.")

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
    """The last lines, those of the file before this one too, and where the file ended."""
    lines: deque[bytes] = deque(maxlen=limit)
    at = 0
    for each in (path.with_name(f"{path.name}.1"), path):
        with suppress(FileNotFoundError):
            whole = _whole(each.read_bytes())
            lines.extend(whole.splitlines())
            at = len(whole) if each == path else 0
    return list(lines), at


async def lines_after(path: Path, at: int, poll_s: float = POLL_S) -> AsyncIterator[bytes]:
    """What is added from here on."""
    while True:
        lines, at = read_from(path, at)
        for line in lines:
            yield line
        await asyncio.sleep(poll_s)


def read_from(path: Path, at: int) -> tuple[list[bytes], int]:
    """What was added, and where the file ends now. A file that is shorter has taken the place of the one before."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        at = file.seek(at if path.stat().st_size >= at else 0)
        whole = _whole(file.read())
        return whole.splitlines(), at + len(whole)
    return [], at


def show(line: bytes, as_json: bool) -> None:
    event = _event(line)
    if event is None:  # a disk was full
        return
    detail = event["detail"]
    text = clip(str(detail.get("response") or detail.get("query") or json.dumps(detail)), WIDTH)
    told = f"{event['time']}  {event['detail-type']:28}  {detail.get('user_id', '')}  {text}"
    print(json.dumps(event, ensure_ascii=False) if as_json else told, flush=True)


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _whole(data: bytes) -> bytes:
    """Without a line that is being written."""
    return data[: data.rfind(b"\n") + 1]
