"""A turn that is stopped calls no model any more, and is stored as far as it came."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from footnote.errors import Stopped
from footnote.events import Done, Event, Failed, Token
from footnote.steps import Parallel, Row, was_stopped
from footnote.types import Answer, Turn, Usage
from tests.footnote.step_toys import SAVE, START, Saves, called, mark, runner_of, say, statuses, toy
from tests.turns import with_

PAID = {"paid": True}


class Call:
    """A step that calls a model which says nothing more, after these words."""

    def __init__(self, *said: str, keeps: bool = False) -> None:
        self.said, self.keeps = said, keeps
        self.waits, self.was_cancelled = asyncio.Event(), False

    async def run(self, turn: Turn) -> AsyncIterator[Event | Turn]:
        try:
            for each in self.said:
                yield Token(each)
            self.waits.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            called(Usage(10, len(self.said)))
            self.was_cancelled = True
            if not (self.keeps and was_stopped()):
                raise
        yield with_(turn, answer=Answer("".join(self.said), cut="stopped"))


async def stop(rows: Sequence[Row], call: Call, saves: Saves) -> Done | Failed:
    """The last event of a turn that is stopped while the model is silent."""
    runner = runner_of(rows, saves=saves)
    events: list[Event] = []

    async def read() -> None:
        async with aclosing(runner.run(START)) as running:
            events.extend([event async for event in running])

    reading = asyncio.create_task(read())
    await call.waits.wait()
    runner.stop(START.trace_id)
    runner.stop("another")
    await asyncio.wait_for(reading, 1)
    last = events[-1]
    assert isinstance(last, Done | Failed)
    return last


async def test_the_call_ends_and_the_turn_is_saved_with_what_was_said() -> None:
    call, saves = Call("It was ", "built "), Saves()
    failed = await stop((toy("one", mark("a")), toy("call", call.run, **PAID), toy("two", mark("b")), SAVE), call, saves)
    assert isinstance(failed, Failed)
    assert (type(failed.error), failed.text, failed.turn.trace.partial) == (Stopped, "It was built ", "It was built ")
    assert (call.was_cancelled, saves.trails, failed.turn.trace.usage) == (True, ["a"], Usage(10, 2))
    assert statuses(failed.turn) == {"one": "ok", "call": "stopped", "save": "ok"}


async def test_a_step_may_give_what_it_has_and_nothing_follows() -> None:
    call, saves = Call("It was ", "built ", keeps=True), Saves()
    done = await stop((toy("call", call.run, **PAID), toy("check", mark("c")), SAVE), call, saves)
    assert isinstance(done, Done)
    assert done.turn.answer == Answer("It was built ", cut="stopped")
    assert (done.turn.trace.partial, done.turn.broke_off, statuses(done.turn)) == (None, True, {"call": "ok", "save": "ok"})


async def test_an_answer_that_is_complete_is_checked_by_what_calls_no_model() -> None:
    call, saves = Call(), Saves()
    rows = (
        toy("answer", mark("a", answer=Answer("It was built in 1894."))),
        toy("critique", call.run, **PAID),
        toy("check", mark("c")),
        toy("revise", mark("r"), **PAID),
        SAVE,
    )
    done = await stop(rows, call, saves)
    assert (isinstance(done, Done), saves.trails, done.turn.broke_off) == (True, ["ac"], False)
    assert statuses(done.turn) == {"answer": "ok", "critique": "stopped", "check": "ok", "save": "ok"}


async def test_the_branches_end_and_what_they_used_counts() -> None:
    call, saves = Call(), Saves()
    failed = await stop((Parallel("expand", (toy("call", call.run, **PAID),)), toy("two", mark("b"), **PAID), SAVE), call, saves)
    assert (type(failed), call.was_cancelled, failed.turn.trace.usage, saves.trails) == (Failed, True, Usage(10, 0), [""])


async def test_a_step_that_calls_no_model_ends_by_itself_before_the_turn_does() -> None:
    go, saves, begun = asyncio.Event(), Saves(), asyncio.Event()

    async def store(turn: Turn) -> Turn:
        begun.set()
        await go.wait()
        return with_(turn, question="stored")

    runner = runner_of((toy("store", store), toy("call", Call("never").run, **PAID), SAVE), saves=saves)
    running: Any = runner.run(START)
    await anext(running)
    await begun.wait()
    await running.aclose()
    await asyncio.sleep(0)
    assert saves.trails == []
    go.set()
    await asyncio.wait_for(runner.drain(), 1)
    assert saves.trails == ["stored"]


@pytest.mark.parametrize("said", [0, 2])
async def test_a_reader_who_leaves_stops_the_turn(said: int) -> None:
    call, saves = Call(*["word "] * said), Saves()
    runner = runner_of((toy("call", call.run, **PAID), SAVE), saves=saves)
    async with aclosing(runner.run(START)) as events:
        await anext(events)
        await call.waits.wait()
    await asyncio.wait_for(runner.drain(), 1)
    assert (call.was_cancelled, saves.trails) == (True, [""])


async def test_a_turn_that_has_ended_is_not_stopped() -> None:
    saves = Saves()
    runner = runner_of((toy("say", say("hello")), SAVE), saves=saves)
    turn = await runner.finish(START)
    runner.stop(START.trace_id)
    await runner.drain()
    assert (statuses(turn), saves.trails) == ({"say": "ok", "save": "ok"}, ["s"])
