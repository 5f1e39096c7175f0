"""Server-sent events: order, pings, errors, and readers that disconnect."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

import pytest

from footnote.errors import ModelTimeout
from footnote.events import Done, Event, Failed, PassagesRead, StepFinished, StepStarted, Think, Token
from footnote.types import Stage
from footnote_http.sse import OPEN_S, stream_events
from tests.fakes import LoopClock
from tests.turns import make_turn


def encode(event: Event) -> Iterator[Mapping[str, Any]]:
    match event:
        case Token(text) | Think(text):
            yield {"type": "token", "content": text}
        case Failed(error, _, text):
            yield {"type": "error", "content": error.detail, "final_response": text}
        case _:
            yield {"type": type(event).__name__}


class Events:
    """A source of events with waits between them; `closed` once its reader has disconnected."""

    def __init__(self, *items: Event | asyncio.Event) -> None:
        self.items = items
        self.closed = False

    async def events(self) -> AsyncGenerator[Event, None]:
        try:
            for item in self.items:
                if isinstance(item, asyncio.Event):
                    await item.wait()
                else:
                    yield item
        finally:
            self.closed = True


async def lines_of(source: Events, **options: Any) -> list[str]:
    return await lines_in(await stream_events(source.events(), encode, "t1", **options))


async def lines_in(response: Any) -> list[str]:
    """Each message, since those that are there together are written together."""
    written = "".join([str(text) async for text in response.body_iterator])
    return re.findall(r".+?\n\n", written, re.DOTALL)


async def test_every_event_is_one_line_of_json_whatever_it_says() -> None:
    text = 'two\nlines\r\n\u2028data: 안녕 \ufffd \\ "'
    lines = await lines_of(Events(StepStarted("guard", Stage.GUARD), Token(text.replace("\ufffd", "\ud800")), Done(make_turn())))
    assert all(line.startswith("data: ") and line.endswith("\n\n") and line.count("\n") == 2 for line in lines)
    assert [json.loads(line.removeprefix("data: ")) for line in lines] == [
        {"type": "StepStarted"},
        {"type": "token", "content": text},
        {"type": "Done"},
    ]


async def test_comments_keep_an_idle_connection_open() -> None:
    wait = asyncio.Event()
    response = await stream_events(Events(Token("a"), wait, Token("b"), Done(make_turn())).events(), encode, "t1", ping_s=0.01)
    heard = []
    async for line in response.body_iterator:
        heard.append(line)
        if heard.count(": ping\n\n") == 2:
            wait.set()
    assert heard[1:3] == [": ping\n\n"] * 2
    assert "".join(line for line in heard if line != ": ping\n\n") == (
        'data: {"type": "token", "content": "a"}\n\ndata: {"type": "token", "content": "b"}\n\ndata: {"type": "Done"}\n\n'
    )


async def test_an_error_before_the_first_word_is_raised_to_become_a_status() -> None:
    source = Events(StepStarted("guard", Stage.GUARD), Failed(ModelTimeout("late"), make_turn()))
    with pytest.raises(ModelTimeout, match="late"):
        await lines_of(source)
    assert source.closed


async def ends(opening: Any, *types: str) -> None:
    """Asserts what a stream says that fails: these messages if it had begun, else the error."""
    if types:
        lines = await lines_in(await opening)
        assert [json.loads(line[6:])["type"] for line in lines] == [*types, "error"]
    else:
        with pytest.raises(ModelTimeout):
            await opening


@pytest.mark.parametrize("says", [True, False])
async def test_a_stream_begins_after_a_while_if_it_has_something_to_say(says: bool) -> None:
    clock, wait = LoopClock(), asyncio.Event()
    source = Events(StepStarted("guard", Stage.GUARD), wait, Failed(ModelTimeout("late"), make_turn()))
    opening = asyncio.ensure_future(stream_events(source.events(), encode if says else lambda _: (), "t1"))
    await asyncio.sleep(0.01)
    assert not opening.done()
    clock.advance(OPEN_S)
    await asyncio.sleep(0.01)
    assert opening.done() is says
    wait.set()
    await ends(opening, *(["StepStarted"] if says else []))


@pytest.mark.parametrize(("found", "says", "begins"), [(True, True, True), (True, False, False), (False, True, False)])
async def test_a_stream_with_passages_to_show_does_not_wait_for_the_model(found: bool, says: bool, begins: bool) -> None:
    wait = asyncio.Event()
    read = PassagesRead(3) if found else StepFinished("read", 1.0, "failed", stage=Stage.RANK)
    source = Events(StepStarted("read", Stage.RANK), read, wait, Failed(ModelTimeout("late"), make_turn()))
    opening = asyncio.ensure_future(stream_events(source.events(), encode if says else lambda _: (), "t1"))
    await asyncio.wait([opening], timeout=10 if begins else 0.01)
    assert opening.done() is begins
    wait.set()
    await ends(opening, *(["StepStarted", "PassagesRead"] if begins else []))


async def test_an_error_after_the_first_word_is_the_last_event() -> None:
    lines = await lines_of(Events(Token("It was"), Failed(ModelTimeout("late"), make_turn(), "It was")))
    assert lines[1:] == ['data: {"type": "error", "content": "late", "final_response": "It was"}\n\n']


async def test_a_reader_that_disconnects_while_idle_stops_the_stream() -> None:
    source = Events(Token("a"), asyncio.Event())
    response = await stream_events(source.events(), encode, "t1")
    lines: Any = response.body_iterator
    assert await anext(lines) == 'data: {"type": "token", "content": "a"}\n\n'
    next_line = asyncio.ensure_future(anext(lines))
    await asyncio.sleep(0)
    next_line.cancel()
    await asyncio.gather(next_line, return_exceptions=True)
    assert source.closed


async def test_a_numbered_event_has_an_id_on_the_last_of_its_objects() -> None:
    def encode_twice(event: Event) -> Iterator[Mapping[str, Any]]:
        yield {"part": 1}
        yield {"part": 2}

    response = await stream_events(Events(Token("a"), Done(make_turn())).events(), encode_twice, "t1", first=0)
    assert await lines_in(response) == [
        'data: {"part": 1}\n\n',
        'id: t1.0\ndata: {"part": 2}\n\n',
        'data: {"part": 1}\n\n',
        'id: t1.1\ndata: {"part": 2}\n\n',
    ]


async def test_events_that_are_there_together_are_written_together() -> None:
    wait = asyncio.Event()
    source = Events(StepStarted("guard", Stage.GUARD), Token("a"), wait, Token("b"), Token("c"), Done(make_turn()))
    response = await stream_events(source.events(), encode, "t1", first=0, end="[DONE]")
    writes: Any = response.body_iterator
    assert (await anext(writes)).count("data: ") == 2
    wait.set()
    await asyncio.sleep(0.01)
    assert await anext(writes) == (
        'id: t1.2\ndata: {"type": "token", "content": "b"}\n\nid: t1.3\ndata: {"type": "token", "content": "c"}\n\n'
        'id: t1.4\ndata: {"type": "Done"}\n\n'
    )
    assert [line async for line in writes] == ["data: [DONE]\n\n"]


async def test_a_turn_that_breaks_ends_its_stream_with_what_it_raised() -> None:
    async def events() -> AsyncGenerator[Event, None]:
        yield Token("a")
        raise LookupError

    response = await stream_events(events(), encode, "t1")
    with pytest.raises(LookupError):
        await lines_in(response)


async def test_a_resumed_stream_starts_at_once_and_sends_an_error_as_an_event() -> None:
    source = Events(Failed(ModelTimeout("late"), make_turn(), "It was"))
    assert await lines_of(source, first=7) == ['id: t1.7\ndata: {"type": "error", "content": "late", "final_response": "It was"}\n\n']
    silent = await stream_events(Events(asyncio.Event()).events(), encode, "t1", first=7, ping_s=0.01)
    lines: Any = silent.body_iterator
    assert await anext(lines) == ": ping\n\n"
    await lines.aclose()
