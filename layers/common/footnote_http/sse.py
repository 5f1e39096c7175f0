"""Server-sent events: one JSON object per `data:` line, and a comment every 15 s so that proxies keep the connection open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from footnote.events import Done, Event, Failed, PassagesRead, Quoted, Think, Token
from footnote.text.surrogates import repair
from footnote_http.streams import LAST, event_id

PING_S = 15.0
OPEN_S = 1.0
"""An error within this time becomes an HTTP status, if no text and no passages came before it."""

Encode = Callable[[Event], Iterable[Mapping[str, Any]]]


async def stream_events(
    events: AsyncGenerator[Event, None],
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
    OPEN_S. Raises the turn's error if it fails before that.

    `first`: the number of the first event, if events have ids. Above 0 the stream is resumed: it starts at once and raises
    nothing, because the status was sent before. `again`: sent first, without an id. `end`: data of a final message, omitted after an
    error. `named`: set each message's `type` as its event name."""
    encoded = _encoder(encode, trace_id, first, named)
    said = [] if again is None else [_message(item) for item in encode(again)]
    found = False
    last: Event | None = None
    waiting: asyncio.Future[Event] | None = None
    deadline = asyncio.get_running_loop().time() + OPEN_S
    while not first and not isinstance(last, Quoted | Token | Think | Done) and not (found and said):
        waiting = waiting or asyncio.ensure_future(anext(events))
        done, _ = await asyncio.wait({waiting}, timeout=deadline - asyncio.get_running_loop().time() if said else None)
        if not done:
            break
        last, waiting = waiting.result(), None
        if isinstance(last, Failed):
            await events.aclose()
            raise last.error
        found = found or isinstance(last, PassagesRead)
        said += encoded(last)
    pending = _Pending(events, waiting)
    return _response(_lines(said, last, pending, encoded, end, ping_s), trace_id, pending.close)


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


@dataclass(slots=True)
class _Pending:
    """A turn's events, and the next one if it is being waited for."""

    events: AsyncGenerator[Event, None]
    waiting: asyncio.Future[Event] | None

    async def next(self, timeout_s: float) -> Event | None:
        """The next event; None = there is none yet."""
        self.waiting = self.waiting or asyncio.ensure_future(anext(self.events))
        done, _ = await asyncio.wait({self.waiting}, timeout=timeout_s)
        if not done:
            return None
        event, self.waiting = self.waiting.result(), None
        return event

    async def close(self) -> None:
        """The reader has left, or has all."""
        if self.waiting is not None:
            self.waiting.cancel()
            await asyncio.gather(self.waiting, return_exceptions=True)
        await self.events.aclose()


async def _lines(
    said: Iterable[str],
    last: Event | None,
    pending: _Pending,
    encoded: Callable[[Event], Iterable[str]],
    end: str | None,
    ping_s: float,
) -> AsyncIterator[str]:
    try:
        for line in said:
            yield line
        while not isinstance(last, Done | Failed):
            if (event := await pending.next(ping_s)) is None:
                yield ": ping\n\n"
                continue
            last = event
            for line in encoded(last):
                yield line
        if end is not None and isinstance(last, Done):
            yield f"data: {end}\n\n"
    finally:
        await pending.close()


def _encoder(encode: Encode, trace_id: str, first: int | None, named: bool) -> Callable[[Event], Iterable[str]]:
    """A function from an event to its messages. Only the last message carries the id, so that a resumed stream skips no part of
    an event."""
    numbers = count(first or 0)

    def encoded(event: Event) -> Iterable[str]:
        items, number = list(encode(event)), next(numbers)
        for i, item in enumerate(items, start=1):
            named_id = event_id(trace_id, number) if first is not None and i == len(items) else None
            yield _message(item, named_id, item["type"] if named else None)

    return encoded


def _message(item: Mapping[str, Any], id_: str | None = None, event: str | None = None) -> str:
    head = "".join(f"{field}: {value}\n" for field, value in (("id", id_), ("event", event)) if value is not None)
    return f"{head}data: {repair(json.dumps(item, ensure_ascii=False))}\n\n"
