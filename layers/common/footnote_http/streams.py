"""Turns that are followed: a reader who lost the connection goes on where it was.

The turns of this process only. Behind several instances another one may get the second request;
it answers from the store, as this one does once it has let go of a turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import count

from footnote.errors import NotFound
from footnote.events import Done, Event, Failed
from footnote.types import Turn

KEPT_S = 60.0
"""How long a turn can be followed after its end."""
MOST_STREAMS = 128
MOST_EVENTS = 10_000
"""A turn that said more is let go of at its end."""

LAST = 999_999_999
"""The number of an end that was told from the store: no event has a higher one."""


def event_id(trace_id: str, number: int) -> str:
    return f"{trace_id}.{number}"


def read_event_id(text: str) -> tuple[str, int]:
    """(trace id, number) of a `Last-Event-ID`; NotFound for what no stream of ours has sent."""
    trace_id, _, number = text.rpartition(".")
    if not (trace_id and number.isascii() and number.isdigit() and len(number) <= len(str(LAST))):
        raise NotFound("There is no such stream. Send the question again.")
    return trace_id, int(number)


class Stream:
    """A turn's events, kept as they come, for any number of readers: each goes at its own pace, none holds up the turn."""

    def __init__(self, user_id: str) -> None:
        self.user_id = user_id
        self._events: list[Event] = []
        self._news = asyncio.Event()

    async def keep(self, events: AsyncGenerator[Event, None]) -> None:
        async with aclosing(events):
            async for event in events:
                self._events.append(event)
                self._news.set()
                self._news = asyncio.Event()

    async def after(self, number: int) -> AsyncGenerator[Event, None]:
        """The events that follow the one with this number; -1 = all of them. The last is `Done` or `Failed`."""
        for place in count(number + 1):
            while place >= len(self._events):
                await self._news.wait()
            event = self._events[place]
            yield event
            if isinstance(event, Done | Failed):
                return

    def ends_with(self, number: int) -> bool:
        """Whether nothing will follow the event with this number."""
        return number >= len(self) - 1 and bool(self._events) and isinstance(self._events[-1], Done | Failed)

    @property
    def ended(self) -> Turn | None:
        """The turn as it ended; None while it runs."""
        last = self._events[-1] if self._events else None
        return last.turn if isinstance(last, Done | Failed) else None

    def __len__(self) -> int:
        return len(self._events)


class Streams:
    """The streams of an app by trace id: those that run, and for KEPT_S those that have ended."""

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}
        self._keeping: set[asyncio.Task[None]] = set()

    def start(self, trace_id: str, user_id: str, events: AsyncGenerator[Event, None]) -> Stream:
        """Reads the turn's events to their end, whether or not anybody follows."""
        stream = self._streams[trace_id] = Stream(user_id)
        while len(self._streams) > MOST_STREAMS:
            del self._streams[next(iter(self._streams))]
        task = asyncio.create_task(stream.keep(events))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)
        task.add_done_callback(lambda _: self._let_go(trace_id, stream))
        return stream

    def find(self, trace_id: str, user_id: str) -> Stream | None:
        """The user's own stream, while it is kept."""
        stream = self._streams.get(trace_id)
        return stream if stream is not None and stream.user_id == user_id else None

    def __len__(self) -> int:
        return len(self._streams)

    def _let_go(self, trace_id: str, stream: Stream) -> None:
        wait_s = KEPT_S if len(stream) <= MOST_EVENTS else 0
        asyncio.get_running_loop().call_later(wait_s, self._forget, trace_id, stream)

    def _forget(self, trace_id: str, stream: Stream) -> None:
        if self._streams.get(trace_id) is stream:  # a request that was asked again has another one by now
            del self._streams[trace_id]
