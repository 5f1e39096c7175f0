"""Server-sent events: one JSON object per `data:` line, and a comment every 15 s so that proxies keep the connection open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from itertools import count
from typing import Any

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from footnote.events import Done, Event, Failed, PassagesRead, Quoted, Think, Token
from footnote.text.surrogates import repair
from footnote_http.streams import LAST, OnlyReader, Reader, event_id

PING_S = 15.0
OPEN_S = 1.0
"""An error within this time becomes an HTTP status, if no text and no passages came before it."""

JSON = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` makes an encoder for each message

Encode = Callable[[Event], Iterable[Mapping[str, Any]]]


async def stream_events(
    events: Reader | AsyncGenerator[Event, None],
    encode: Encode,
    trace_id: str,
    *,
    first: int | None = None,
    again: Event | None = None,
    end: str | None = None,
    named: bool = False,
    ping_s: float = PING_S,
) -> StreamingResponse:
    """Waits for the turn's first text, then streams. If there are other messages to send, it waits only for the passages or
    OPEN_S. Raises the turn's error if it fails before that. Events that are there at the same time are written together.

    `first`: the number of the first event, if events have ids. Above 0 the stream is resumed: it starts at once and raises
    nothing, because the status was sent before. `again`: sent first, without an id. `end`: data of a final message, omitted after an
    error. `named`: set each message's `type` as its event name."""
    reader = events if isinstance(events, Reader) else OnlyReader(events)
    encoded = _encoder(encode, trace_id, first, named)
    said = [] if again is None else [_message(item) for item in encode(again)]
    begun, found = bool(first), False
    last: Event | None = None
    now = asyncio.get_running_loop().time
    deadline = now() + OPEN_S
    try:
        while not begun:
            taken = await reader.take(max(0.0, deadline - now()) if any(said) else None)
            for last in taken:
                if isinstance(last, Failed) and not begun:
                    raise last.error
                found = found or isinstance(last, PassagesRead)
                said.append(encoded(last))
                begun = begun or isinstance(last, Quoted | Token | Think | Done) or (found and any(said))
            begun = begun or not taken
    except BaseException:
        await reader.close()
        raise
    return _response(_writes(said, last, reader, encoded, end, ping_s), trace_id, reader.close)


def stream_end(item: Mapping[str, Any], trace_id: str) -> StreamingResponse:
    """A stream of the last message only, for a turn whose other events are no longer kept."""

    async def lines() -> AsyncIterator[str]:
        yield _message(item, event_id(trace_id, LAST))

    return _response(lines(), trace_id)


def _response(lines: AsyncIterator[str], trace_id: str, close: Callable[[], Awaitable[None]] | None = None) -> StreamingResponse:
    headers = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no", "x-trace-id": trace_id}
    response = _Stream(lines, media_type="text/event-stream", headers=headers)
    response.close = close
    return response


class _Stream(StreamingResponse):
    """Calls `close` at its end, even if the client left before its first line, so that `lines` never ran."""

    close: Callable[[], Awaitable[None]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self.close is not None:
                await self.close()


async def _writes(
    said: Iterable[str],
    last: Event | None,
    reader: Reader,
    encoded: Callable[[Event], str],
    end: str | None,
    ping_s: float,
) -> AsyncIterator[str]:
    try:
        if opening := "".join(said):
            yield opening
        while not isinstance(last, Done | Failed):
            if not (taken := await reader.take(ping_s)):
                yield ": ping\n\n"
                continue
            last = taken[-1]
            if text := "".join(map(encoded, taken)):
                yield text
        if end is not None and isinstance(last, Done):
            yield f"data: {end}\n\n"
    finally:
        await reader.close()


def _encoder(encode: Encode, trace_id: str, first: int | None, named: bool) -> Callable[[Event], str]:
    """A function from an event to its messages. Only the last message carries the id, so that a resumed stream skips no part of
    an event."""
    numbers = count(first or 0)

    def message(item: Mapping[str, Any], id_: str | None = None) -> str:
        return _message(item, id_, item["type"] if named else None)

    def encoded(event: Event) -> str:
        items, number = list(encode(event)), next(numbers)
        if not items:
            return ""
        last = message(items[-1], None if first is None else event_id(trace_id, number))
        return last if len(items) == 1 else "".join([*map(message, items[:-1]), last])

    return encoded


def _message(item: Mapping[str, Any], id_: str | None = None, event: str | None = None) -> str:
    id_line = "" if id_ is None else f"id: {id_}\n"
    event_line = "" if event is None else f"event: {event}\n"
    return f"{id_line}{event_line}data: {repair(JSON(item))}\n\n"
