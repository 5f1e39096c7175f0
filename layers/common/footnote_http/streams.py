"""Keeps the events of running turns, so that a client that lost its connection can resume the stream. One that does not come back within
GRACE_S has left, and its turn is stopped.

Holds the turns of this process only. With several instances the second request may reach another one, which then answers from
the store, as this one does after it has dropped a turn. The processes of one server pass such a request on to one another
(`footnote_local/siblings.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from weakref import ref

from footnote.errors import NotFound
from footnote.events import Done, Event, Failed, Quoted
from footnote.types import Turn

GRACE_S = 20.0
"""How long a turn goes on that nobody reads. The page tries for 15.5 s to reconnect."""
KEPT_S = 60.0
"""How long a turn's events are kept after its end."""
MOST_STREAMS = 128
MOST_EVENTS = 10_000
"""A turn with more events is dropped at its end."""

LAST = 999_999_999
"""The number of a last message sent from the store: higher than that of any event."""


def event_id(trace_id: str, number: int) -> str:
    """The `id` of a turn's event with this number."""
    return f"{trace_id}.{number}"


def read_event_id(text: str) -> tuple[str, int]:
    """(trace id, number) from a `Last-Event-ID`; NotFound if it is malformed."""
    trace_id, _, number = text.rpartition(".")
    if not (trace_id and number.isascii() and number.isdigit() and len(number) <= len(str(LAST))):
        raise NotFound("There is no such stream. Send the question again.")
    return trace_id, int(number)


class Stream:
    """A turn's events, for any number of readers. A slow reader does not block the turn. `stop`: stops the turn, called if all readers
    have left for GRACE_S."""

    def __init__(self, user_id: str = "", stop: Callable[[], None] | None = None) -> None:
        self.user_id = user_id
        self._stop = stop
        self._readers = 0
        self._leaving: asyncio.TimerHandle | None = None
        self._events: list[Event] = []
        self._error: BaseException | None = None
        self._waiting: set[asyncio.Future[None]] = set()

    async def keep(self, events: AsyncGenerator[Event, None]) -> None:
        """Reads and stores all events. What it raises, the readers raise too."""
        try:
            async with aclosing(events):
                async for event in events:
                    self._events.append(event)
                    self._tell()
        except BaseException as exc:
            self._error = exc
            self._tell()
            raise
        self._stay()

    def after(self, number: int) -> Reader:
        """A reader of the events after this number; -1 = all."""
        return Reader(self, number)

    def join(self) -> None:
        """One more reads the events."""
        self._readers += 1
        self._stay()

    def leave(self) -> None:
        """One less reads the events."""
        self._readers -= 1
        if not self._readers and self._stop is not None and self.ended is None:
            self._leaving = asyncio.get_running_loop().call_later(GRACE_S, self._stop)

    async def since(self, place: int, news: asyncio.Future[None]) -> Sequence[Event]:
        """The events from this place on. If there are none, waits for the first, or until the future is done: () then."""
        if place >= len(self._events) and self._error is None:
            self._waiting.add(news)
            try:
                await news
            finally:
                self._waiting.discard(news)
        if place >= len(self._events) and self._error is not None:
            raise self._error
        return self._events[place:]

    def _tell(self) -> None:
        for news in self._waiting:
            _wake(news)

    def _stay(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def quoted_until(self, number: int) -> Quoted | None:
        """What was quoted in the events up to this number."""
        return next((event for event in self._events[: number + 1] if isinstance(event, Quoted)), None)

    def ends_with(self, number: int) -> bool:
        """Whether the event with this number is the last."""
        return number >= len(self) - 1 and bool(self._events) and isinstance(self._events[-1], Done | Failed)

    @property
    def ended(self) -> Turn | None:
        """The finished turn; None while it runs."""
        last = self._events[-1] if self._events else None
        return last.turn if isinstance(last, Done | Failed) else None

    def __len__(self) -> int:
        return len(self._events)


def _wake(news: asyncio.Future[None]) -> None:
    if not news.done():
        news.set_result(None)


class Reader:
    """Reads the events of a Stream after a number. Whoever makes one closes it."""

    def __init__(self, stream: Stream, number: int) -> None:
        self._stream, self._place, self._is_open = stream, number + 1, True
        self._loop = asyncio.get_running_loop()
        self._news: asyncio.Future[None] = self._loop.create_future()
        self._until: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        stream.join()

    async def take(self, timeout_s: float | None = None) -> Sequence[Event]:
        """All events that came since the last call, at least one; () = there was none within that time. The last one of a turn is `Done` or
        `Failed`. Raises what the turn raises that breaks."""
        self._news = self._loop.create_future()
        self._until = None if timeout_s is None else self._loop.time() + timeout_s
        self._watch()
        taken = await self._stream.since(self._place, self._news)
        self._place += len(taken)
        return taken

    def _watch(self) -> None:
        """One timer for many calls, most of which wait for a moment only: it is set again when it is due, if it is too early then."""
        if self._until is not None and (self._timer is None or self._timer.when() > self._until):
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(self._until, self._due)

    def _due(self) -> None:
        self._timer = None
        if self._until is not None and self._loop.time() >= self._until:
            _wake(self._news)
        else:
            self._watch()

    async def close(self) -> None:
        """It reads no more."""
        if self._is_open:
            self._is_open = False
            self._stream.leave()
            if self._timer is not None:
                self._timer.cancel()


class OnlyReader(Reader):
    """Reads a turn that nobody else reads: when it is closed, the turn is stopped. The events are read ahead, so that those that come
    while the client is written to are written at once."""

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        stream = Stream()
        super().__init__(stream, -1)
        self._events = events
        self._keeping = asyncio.create_task(stream.keep(events))

    async def close(self) -> None:
        """Stops the turn."""
        await super().close()
        self._keeping.cancel()
        await asyncio.gather(self._keeping, return_exceptions=True)
        await self._events.aclose()  # if the task had not begun


class Streams:
    """An app's streams by trace id: running ones, and finished ones for KEPT_S."""

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}
        self._keeping: set[asyncio.Task[None]] = set()

    def start(self, trace_id: str, user_id: str, events: AsyncGenerator[Event, None], stop: Callable[[], None]) -> Stream:
        """Runs the turn to its end, unless nobody reads it for GRACE_S. `stop`: as of a Stream."""
        stream = self._streams[trace_id] = Stream(user_id, stop)
        while len(self._streams) > MOST_STREAMS:
            del self._streams[next(iter(self._streams))]
        task = asyncio.create_task(stream.keep(events))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)
        task.add_done_callback(lambda _: self._drop(trace_id, stream))
        return stream

    def find(self, trace_id: str, user_id: str) -> Stream | None:
        """The user's own stream, while it is kept."""
        stream = self._streams.get(trace_id)
        return stream if stream is not None and stream.user_id == user_id else None

    def __contains__(self, trace_id: str) -> bool:
        return trace_id in self._streams

    def __len__(self) -> int:
        return len(self._streams)

    def _drop(self, trace_id: str, stream: Stream) -> None:
        wait_s = KEPT_S if len(stream) <= MOST_EVENTS else 0
        asyncio.get_running_loop().call_later(wait_s, self._forget, trace_id, ref(stream))  # one that was pushed out is not held longer

    def _forget(self, trace_id: str, stream: ref[Stream]) -> None:
        if trace_id in self._streams and self._streams[trace_id] is stream():  # a request that was asked again has another one by now
            del self._streams[trace_id]
