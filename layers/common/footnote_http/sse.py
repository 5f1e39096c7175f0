"""Server-sent events: one JSON object per `data:` line, and a comment every 15 s that keeps proxies awake."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from typing import Any

from fastapi.responses import StreamingResponse

from footnote.events import Done, Event, Failed, Think, Token

PING_S = 15.0
OPEN_S = 1.0
"""An error within this time, and before the first token, is still an HTTP status."""

Encode = Callable[[Event], Iterable[Mapping[str, Any]]]


async def stream_events(events: AsyncGenerator[Event, None], encode: Encode, trace_id: str, *, ping_s: float = PING_S) -> StreamingResponse:
    """Waits for the turn's first words (or OPEN_S), then streams. Raises what the turn failed with before that."""
    held: list[Event] = []
    waiting: asyncio.Future[Event] | None = None
    deadline = asyncio.get_running_loop().time() + OPEN_S
    while not held or not isinstance(held[-1], Token | Think | Done | Failed):
        waiting = waiting or asyncio.ensure_future(anext(events))
        done, _ = await asyncio.wait({waiting}, timeout=deadline - asyncio.get_running_loop().time())
        if not done:
            break
        held.append(waiting.result())
        waiting = None
    if held and isinstance(held[-1], Failed):
        await events.aclose()
        raise held[-1].error
    headers = {"cache-control": "no-cache", "x-accel-buffering": "no", "x-trace-id": trace_id}
    return StreamingResponse(_lines(held, waiting, events, encode, ping_s), media_type="text/event-stream", headers=headers)


async def _lines(
    held: list[Event], waiting: asyncio.Future[Event] | None, events: AsyncGenerator[Event, None], encode: Encode, ping_s: float
) -> AsyncIterator[str]:
    try:
        for event in held:
            for line in _encoded(event, encode):
                yield line
        while not held or not isinstance(held[-1], Done | Failed):
            waiting = waiting or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait({waiting}, timeout=ping_s)
            if not done:
                yield ": ping\n\n"
                continue
            held = [waiting.result()]
            waiting = None
            for line in _encoded(held[0], encode):
                yield line
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await events.aclose()


def _encoded(event: Event, encode: Encode) -> Iterable[str]:
    return (f"data: {json.dumps(item, ensure_ascii=False)}\n\n" for item in encode(event))
