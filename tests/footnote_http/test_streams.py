"""Streams that are kept for resuming: how many, how long, and how much of each."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncGenerator

import pytest

from footnote.errors import NotFound
from footnote.events import Done, Event, Failed, Token
from footnote_http.streams import GRACE_S, KEPT_S, LAST, MOST_EVENTS, MOST_STREAMS, Stream, Streams, event_id, read_event_id
from tests.fakes import LoopClock
from tests.turns import make_turn

END = Done(make_turn())


async def events_of(*items: Event | asyncio.Event) -> AsyncGenerator[Event, None]:
    for item in items:
        if isinstance(item, asyncio.Event):
            await item.wait()
        else:
            yield item


def never() -> None:
    raise AssertionError("the turn is not stopped")


async def heard(stream: Stream, number: int = -1) -> list[Event]:
    """All that one reader reads."""
    reader, events = stream.after(number), list[Event]()
    try:
        while not events or not isinstance(events[-1], Done | Failed):
            events += await reader.take()
        return events
    finally:
        await reader.close()


async def settle() -> None:
    """Runs the tasks and timers that are due."""
    for _ in range(3):
        await asyncio.sleep(0)


def test_an_id_names_a_turn_and_an_event() -> None:
    assert read_event_id(event_id("a.b", 12)) == ("a.b", 12)
    assert read_event_id(event_id("t1", LAST)) == ("t1", LAST)
    for text in ("t1", "t1.", ".1", "t1.x", "t1.1234567890", "t1.²"):
        with pytest.raises(NotFound, match="Send the question again"):
            read_event_id(text)


async def test_each_reader_gets_all_later_events_at_its_own_pace() -> None:
    rest = asyncio.Event()
    stream = Streams().start("t1", "me", events_of(Token("a"), Token("b"), rest, Token("c"), END), never)
    early = asyncio.create_task(heard(stream))
    await settle()
    late = asyncio.create_task(heard(stream, 0))
    slow = stream.after(-1)
    assert await slow.take() == [Token("a"), Token("b")]
    assert not stream.ends_with(1)
    rest.set()
    assert await early == [Token("a"), Token("b"), Token("c"), END]
    assert await late == [Token("b"), Token("c"), END]
    assert await slow.take() == [Token("c"), END]
    assert [stream.ends_with(number) for number in (2, 3, 4)] == [False, True, True]


async def test_a_reader_that_disconnects_does_not_affect_the_others() -> None:
    rest = asyncio.Event()
    stream = Streams().start("t1", "me", events_of(rest, END), never)
    readers = [asyncio.create_task(heard(stream)) for _ in range(2)]
    await settle()
    readers[0].cancel()
    rest.set()
    assert await readers[1] == [END]


async def test_a_stream_is_found_by_its_user_until_a_minute_after_its_end() -> None:
    clock, rest, streams = LoopClock(), asyncio.Event(), Streams()
    stream = streams.start("t1", "me", events_of(rest, END), never)
    await settle()
    clock.advance(10 * KEPT_S)
    await settle()
    assert (streams.find("t1", "me"), streams.find("t1", "you"), streams.find("t2", "me")) == (stream, None, None)
    rest.set()
    await heard(stream)
    await settle()
    clock.advance(KEPT_S - 1)
    await settle()
    assert streams.find("t1", "me") is stream
    clock.advance(2)
    await settle()
    assert (streams.find("t1", "me"), len(streams)) == (None, 0)


async def test_the_oldest_stream_is_evicted_and_continues_for_its_reader() -> None:
    rest, streams = asyncio.Event(), Streams()
    first = streams.start("first", "me", events_of(rest, END), never)
    for number in range(MOST_STREAMS):
        streams.start(f"t{number}", "me", events_of(END), never)
    assert (streams.find("first", "me"), len(streams)) == (None, MOST_STREAMS)
    rest.set()
    assert await heard(first) == [END]


async def test_an_evicted_stream_leaves_memory_before_its_minute_is_over() -> None:
    streams = Streams()
    evicted = weakref.ref(streams.start("first", "me", events_of(END), never))
    await settle()
    assert evicted() is not None
    for number in range(MOST_STREAMS):
        streams.start(f"t{number}", "me", events_of(END), never)
    await settle()
    gc.collect()
    assert evicted() is None


async def test_a_very_long_stream_is_not_kept() -> None:
    streams = Streams()
    kept, too_long = (
        streams.start(name, "me", events_of(*[Token("a")] * most, END), never)
        for name, most in (("t1", MOST_EVENTS - 1), ("t2", MOST_EVENTS))
    )
    assert len(await heard(kept)) + 1 == len(await heard(too_long)) == MOST_EVENTS + 1
    await settle()
    assert (streams.find("t1", "me"), streams.find("t2", "me")) == (kept, None)


async def test_a_turn_that_nobody_reads_for_a_while_is_stopped() -> None:
    clock, rest, stopped = LoopClock(), asyncio.Event(), asyncio.Event()
    stream = Streams().start("t1", "me", events_of(Token("a"), rest, END), stopped.set)
    readers = [stream.after(-1), stream.after(-1)]
    for reader in readers:
        assert await reader.take() == [Token("a")]
    await readers[0].close()
    clock.advance(GRACE_S + 1)
    await settle()
    await readers[1].close()
    clock.advance(GRACE_S - 1)
    await settle()
    reading = asyncio.ensure_future(heard(stream, 0))
    await settle()
    clock.advance(GRACE_S + 1)
    await settle()
    assert not stopped.is_set(), "somebody reads it"
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    clock.advance(GRACE_S + 1)
    await settle()
    assert stopped.is_set()


async def test_a_turn_that_ends_after_its_readers_have_left_is_not_stopped() -> None:
    clock, rest = LoopClock(), asyncio.Event()
    stream = Streams().start("t1", "me", events_of(Token("a"), rest, END), never)
    reader = stream.after(-1)
    assert await reader.take() == [Token("a")]
    await reader.close()
    rest.set()
    await settle()
    assert stream.ended is not None
    clock.advance(GRACE_S + 1)
    await settle()
