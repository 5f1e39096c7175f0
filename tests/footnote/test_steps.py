"""The runner: failures, timeouts, interrupted streams and disconnects have the effects that the table says."""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
import weakref
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from footnote.errors import (
    BadRequest,
    FootnoteError,
    ModelUnavailable,
    Rejected,
    SearchTimeout,
    SearchUnavailable,
    StepTimeout,
    TooManyRequests,
)
from footnote.events import Done, Event, Failed, PassagesRead, Searching, StepFinished, StepStarted, Think, Token
from footnote.steps import BLOCK, FAIL, FALLBACK, IGNORE, SKIP, OnError, Runner
from footnote.steps.progress import QUEUE_SIZE
from footnote.types import Answer, Span, Stage, Turn, Usage
from tests.fakes import LoopClock
from tests.footnote.step_toys import SAVE, START, Saves, Toys, collect, end, fail, mark, never, runner_of, say, statuses, toy
from tests.turns import HELD, LIVE, make_turn, with_

# --- order, events, spans ----------------------------------------------------------------------


async def test_rows_run_in_order_and_each_is_announced_and_timed() -> None:
    ticks = itertools.count(start=10.0, step=0.5)
    rows = (toy("one", mark("a"), shows=lambda t: {"length": len(t.request.question)}), toy("two", mark("b")))
    runner = runner_of(rows, timer=lambda: next(ticks))
    events = [event async for event in runner.run(START)]
    assert events[:4] == [
        StepStarted("one", Stage.RETRIEVE),
        StepFinished("one", 500.0, "ok", {"length": 1}, stage=Stage.RETRIEVE),
        StepStarted("two", Stage.RETRIEVE),
        StepFinished("two", 500.0, stage=Stage.RETRIEVE),
    ]
    assert isinstance(events[4], Done)
    assert events[4].turn.request.question == "ab"
    spans = (Span("one", 500.0, "ok", {"length": 1}, Stage.RETRIEVE), Span("two", 500.0, stage=Stage.RETRIEVE))
    assert events[4].turn.trace.spans == spans


async def test_a_turn_that_has_ended_is_freed_without_the_garbage_collector() -> None:
    saves = Saves()
    freed = weakref.ref(saves)
    runner = runner_of((toy("one", mark("a")), SAVE))
    gc.disable()
    try:
        await runner.finish(START, Toys(saves=saves))
        del saves
        await asyncio.sleep(0)
        assert freed() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("profile", [LIVE, HELD])
async def test_a_turn_records_the_time_of_its_first_token(profile: Any) -> None:
    ticks = itertools.count(0, 0.5)  # turn, step, first token, end of the step
    runner = runner_of((toy("say", say("a", "b")), SAVE), saves=Saves(), timer=lambda: next(ticks))
    assert (await runner.finish(make_turn("", profile))).trace.first_token_ms == 1000
    assert (await runner_of((toy("one", mark("a")),)).finish(START)).trace.first_token_ms is None


@pytest.mark.parametrize(
    ("step", "on_error", "sent"),
    [
        (mark("a"), FAIL, [Searching("index"), PassagesRead(1)]),
        (fail(SearchUnavailable()), FALLBACK, [Searching("index"), PassagesRead(1)]),
        (fail(SearchUnavailable()), SKIP, [Searching("index")]),
        (fail(SearchUnavailable()), FAIL, [Searching("index")]),
    ],
)
async def test_a_row_sends_its_events_when_it_begins_and_when_it_has_succeeded(step: Any, on_error: OnError, sent: list[Event]) -> None:
    says = {"on_start": Searching("index"), "on_end": lambda t: PassagesRead(len(t.request.question))}
    events = await collect((toy("one", step, on_error=on_error, fallback=mark("f"), **says), SAVE), saves=Saves())
    assert [event for event in events if isinstance(event, Searching | PassagesRead)] == sent


async def test_a_row_whose_condition_does_not_hold_leaves_no_trace() -> None:
    events = await collect((toy("one", mark("a"), when=lambda t: t.request.question == "x"), toy("two", mark("b"))))
    assert [event.name for event in events if isinstance(event, StepStarted)] == ["two"]
    assert events[-1].turn.request.question == "b"


async def test_a_step_gets_the_dependencies_it_requests() -> None:
    async def asks(turn: Turn, *, store: str) -> Turn:
        return with_(turn, question=store)

    done = await end((toy("one", asks),), store="the store")
    assert done.turn.request.question == "the store"


async def test_a_generator_passes_its_events_on_and_ends_with_a_turn() -> None:
    events = await collect((toy("say", say(Think("hm"), "a", "b")),))
    assert [event for event in events if isinstance(event, Think | Token)] == [Think("hm"), Token("a"), Token("b")]
    assert events[-1].turn.request.question == "s"


async def test_a_generator_that_ends_without_a_turn_is_a_defect_and_not_a_hang() -> None:
    async def half(turn: Turn) -> AsyncIterator[Event | Turn]:
        yield Token("a")

    failed = await end((toy("half", half),))
    assert isinstance(failed, Failed)
    assert failed.text == "a"


async def test_a_buffered_turn_sends_no_token_before_its_answer_is_final() -> None:
    rows = (toy("say", say("dr", Think("hm"), "aft")), toy("check", mark("c", answer=Answer("final"))))
    events = await collect(rows, make_turn("", HELD))
    assert [event for event in events if isinstance(event, Think | Token)] == [Think("hm"), Token("final")]
    assert isinstance(events[-2], Token)
    assert isinstance(events[-1], Done)


# --- policies ----------------------------------------------------------------------------------


async def test_a_failed_row_ends_the_turn_with_its_error_and_last_state() -> None:
    rows = (toy("one", mark("a")), toy("search", fail(SearchUnavailable("down")), on_error=FAIL), toy("two", mark("b")))
    failed = await end(rows)
    assert isinstance(failed, Failed)
    assert (type(failed.error), failed.error.detail, failed.text) == (SearchUnavailable, "down", "")
    assert failed.turn.request.question == "a"
    assert statuses(failed.turn) == {"one": "ok", "search": "failed"}


@pytest.mark.parametrize("policy", [FAIL, FALLBACK])
async def test_a_foreign_error_is_logged_and_hidden_from_the_caller(policy: OnError, caplog: pytest.LogCaptureFixture) -> None:
    error = KeyError("secret of the library")
    rows = (toy("one", fail(ValueError("first") if policy is FALLBACK else error), on_error=policy, fallback=fail(error)), SAVE)
    with caplog.at_level(logging.ERROR, logger="footnote.steps"):
        events = await collect(rows, saves=Saves())
    failed = events[-1]
    assert isinstance(failed, Failed)
    assert (type(failed.error), failed.error.detail) == (FootnoteError, "Something went wrong")
    assert "secret" not in repr(events)
    assert statuses(failed.turn) == {"one": "failed", "save": "ok"}
    assert caplog.records[-1].exc_info[1] is error
    assert (caplog.records[-1].step, caplog.records[-1].trace_id) == ("one", "t1")


async def test_a_skipped_row_leaves_the_turn_as_it_was_but_degraded() -> None:
    rows = (
        toy("one", mark("a")),
        toy("embed", fail(ModelUnavailable()), on_error=SKIP, shows=lambda t: {"x": 1}),
        toy("two", mark("b")),
    )
    done = await end(rows)
    assert (done.turn.request.question, done.turn.trace.degraded) == ("ab", True)
    assert done.turn.trace.spans[1].status == "skipped"
    assert done.turn.trace.spans[1].detail == {}


async def test_an_ignored_failure_does_not_mark_the_turn_as_degraded() -> None:
    done = await end((toy("recall", fail(SearchUnavailable()), on_error=IGNORE), toy("two", mark("b"))))
    assert (done.turn.request.question, done.turn.trace.degraded, done.turn.trace.spans[0].status) == ("b", False, "skipped")


async def test_a_turn_that_could_not_be_saved_is_not_persisted_and_not_degraded() -> None:
    done = await end((toy("one", mark("a")), SAVE), saves=Saves(error=OSError("disk")))
    assert isinstance(done, Done)
    assert (done.turn.trace.persisted, done.turn.trace.degraded) == (False, False)
    assert statuses(done.turn)["save"] == "skipped"


def failing(times: int, error: Exception) -> tuple[list[int], Any]:
    """A step that fails this many times before it succeeds, and a counter of its tries."""
    tries: list[int] = []

    async def step(turn: Turn) -> Turn:
        tries.append(len(tries))
        if len(tries) <= times:
            raise error
        return with_(turn, question=turn.request.question + "x")

    return tries, step


async def test_an_unavailable_dependency_is_retried_as_often_as_the_row_says() -> None:
    tries, step = failing(2, SearchUnavailable("down"))
    done = await end((toy("one", step, tries=3),))
    assert (done.turn.request.question, done.turn.trace.degraded, len(tries)) == ("x", False, 3)


@pytest.mark.parametrize(
    ("error", "tries", "made"),
    [
        (SearchUnavailable("down"), 3, 3),
        (SearchUnavailable("down"), 1, 1),
        (SearchTimeout("late"), 3, 1),
        (BadRequest("no"), 3, 1),
        (RuntimeError("defect"), 3, 1),
    ],
)
async def test_a_permanent_failure_or_another_error_ends_the_turn(error: Exception, tries: int, made: int) -> None:
    tried, step = failing(9, error)
    failed = await end((toy("one", step, tries=tries),))
    assert (isinstance(failed, Failed), len(tried)) == (True, made)


@pytest.mark.parametrize(("error", "question"), [(SearchUnavailable("down"), "f"), (BadRequest("no"), None)])
async def test_a_row_may_choose_its_policy_by_turn_and_error(error: FootnoteError, question: str | None) -> None:
    def choose(turn: Turn, error: FootnoteError) -> OnError:
        return FALLBACK if error.status > 500 else FAIL

    ended = await end((toy("one", fail(error), on_error=choose, fallback=mark("f")),))
    assert (ended.turn.request.question if isinstance(ended, Done) else None) == question
    with pytest.raises(TypeError, match="no fallback"):
        runner_of((toy("one", mark("a"), on_error=choose),))


async def test_a_fallback_starts_from_the_turn_before_the_failed_step() -> None:
    rows = (toy("one", mark("a")), toy("answer", fail(ModelUnavailable()), on_error=FALLBACK, fallback=mark("f")), toy("two", mark("b")))
    done = await end(rows)
    assert (done.turn.request.question, done.turn.trace.degraded) == ("afb", True)
    assert statuses(done.turn) == {"one": "ok", "answer": "fallback", "two": "ok"}


@pytest.mark.parametrize("policy", [FAIL, FALLBACK, SKIP, IGNORE, BLOCK])
async def test_the_tokens_of_a_failed_model_call_are_counted(policy: OnError) -> None:
    spent = fail(ModelUnavailable("gone"), usage=Usage(7, 3))
    rows = (toy("one", mark("a")), toy("answer", spent, on_error=policy, fallback=mark("f")), toy("two", mark("b")))
    assert (await end(rows)).turn.trace.usage == Usage(7, 3)


async def test_a_fallback_that_fails_too_ends_the_turn_with_its_own_error() -> None:
    failed = await end((toy("answer", fail(ModelUnavailable()), on_error=FALLBACK, fallback=fail(SearchUnavailable())),))
    assert isinstance(failed.error, SearchUnavailable)
    assert statuses(failed.turn) == {"answer": "failed"}


@pytest.mark.parametrize("error", [ValueError("bug"), SearchUnavailable("down"), StepTimeout("late"), FootnoteError()])
async def test_a_check_that_cannot_be_made_blocks_the_turn(error: Exception) -> None:
    done = await end((toy("guard", fail(error), on_error=BLOCK), toy("two", mark("b")), SAVE), saves=Saves())
    assert isinstance(done, Done)
    assert (done.turn.outcome, done.turn.request.question, done.turn.trace.persisted) == ("blocked", "", True)


@pytest.mark.parametrize("error", [Rejected("Too long."), TooManyRequests("Slow down.")])
async def test_the_error_of_a_check_that_refuses_the_question_keeps_its_status(error: FootnoteError) -> None:
    failed = await end((toy("guard", fail(error), on_error=BLOCK), toy("two", mark("b"))))
    assert isinstance(failed, Failed)
    assert failed.error is error
    assert failed.turn.outcome is None


@pytest.mark.parametrize("policy", [SKIP, IGNORE, FALLBACK, BLOCK])
async def test_after_a_token_was_sent_no_policy_takes_it_back(policy: OnError) -> None:
    rows = (toy("answer", say("half an ", "ans", ModelUnavailable()), on_error=policy, fallback=mark("f")), toy("two", mark("b")), SAVE)
    events = await collect(rows, saves=(saves := Saves()))
    assert isinstance(events[-1], Failed)
    assert isinstance(events[-1].error, ModelUnavailable)
    assert events[-1].text == "half an ans"
    assert saves.trails == [""]


async def test_tokens_of_an_earlier_row_do_not_affect_the_policy_of_a_later_one() -> None:
    done = await end((toy("one", say("a")), toy("two", fail(ModelUnavailable()), on_error=SKIP)))
    assert isinstance(done, Done)


async def test_a_buffered_turn_can_still_fall_back_because_nothing_was_sent() -> None:
    rows = (toy("answer", say("half", ModelUnavailable()), on_error=FALLBACK, fallback=mark("f", answer=Answer("whole"))),)
    events = await collect(rows, make_turn("", HELD))
    assert [event for event in events if isinstance(event, Token)] == [Token("whole")]
    assert isinstance(events[-1], Done)


# --- always ------------------------------------------------------------------------------------


async def test_an_outcome_settles_the_turn_and_only_rows_with_always_still_run() -> None:
    rows = (toy("one", mark("a", outcome="refused")), toy("two", mark("b")), toy("trace", mark("t"), always=True), SAVE)
    done = await end(rows, saves=(saves := Saves()))
    assert (done.turn.request.question, done.turn.outcome, saves.trails) == ("at", "refused", ["at"])


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_rows_that_always_run_do_so_once_wherever_the_error_occurs(place: int) -> None:
    rows: list[Any] = [toy("trace", mark("t"), always=True), SAVE]
    rows.insert(place, toy("bad", fail(SearchUnavailable())))
    events = await collect(rows, saves=(saves := Saves()))
    assert isinstance(events[-1], Failed)
    assert (events[-1].turn.request.question, saves.trails, events[-1].turn.trace.persisted) == ("t", ["t"], True)
    assert [event.name for event in events if isinstance(event, StepStarted)].count("save") == 1


async def test_a_failing_row_with_always_hides_no_first_error_and_stops_no_others() -> None:
    rows = (toy("bad", fail(SearchUnavailable())), toy("trace", fail(ModelUnavailable()), always=True), SAVE)
    failed = await end(rows, saves=(saves := Saves()))
    assert isinstance(failed.error, SearchUnavailable)
    assert saves.trails == [""]


async def test_a_condition_that_raises_is_a_defect_and_the_turn_is_still_saved() -> None:
    def broken(turn: Turn) -> bool:
        raise ZeroDivisionError

    failed = await end((toy("one", mark("a")), toy("two", mark("b"), when=broken), SAVE), saves=(saves := Saves()))
    assert type(failed.error) is FootnoteError
    assert saves.trails == ["a"]


# --- time --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["plain", "generator"])
async def test_a_step_that_times_out_fails_by_its_policy(kind: str) -> None:
    clock = LoopClock()

    async def plain(turn: Turn) -> Turn:
        clock.advance(10.5)
        return await never(turn)

    async def generator(turn: Turn) -> AsyncIterator[Event | Turn]:
        yield Think("wait")
        yield await plain(turn)

    failed = await end((toy("slow", plain if kind == "plain" else generator, timeout_s=10),))
    assert isinstance(failed.error, StepTimeout)
    assert failed.error.detail == "The step “slow” took longer than 10 s."


async def test_the_time_limit_applies_to_each_wait_and_not_to_their_sum() -> None:
    clock = LoopClock()

    async def patient(turn: Turn) -> AsyncIterator[Event | Turn]:
        for letter in "abc":
            clock.advance(6)
            await asyncio.sleep(0)
            yield Token(letter)
        yield turn

    assert isinstance(await end((toy("patient", patient, timeout_s=10),)), Done)


async def test_a_slow_reader_causes_no_timeout() -> None:
    clock = LoopClock()
    runner = runner_of((toy("say", say(*"x" * (QUEUE_SIZE + 50)), timeout_s=10),))
    read = 0
    async for event in runner.run(START):
        read += isinstance(event, Token)
        clock.advance(100)
        await asyncio.sleep(0)
    assert isinstance(event, Done)
    assert read == QUEUE_SIZE + 50


async def test_a_timeout_inside_a_library_is_not_reported_as_the_steps_own() -> None:
    for timeout_s in (None, 10.0):
        failed = await end((toy("one", fail(TimeoutError("socket")), timeout_s=timeout_s),))
        assert type(failed.error) is FootnoteError


async def test_an_abandoned_generator_is_closed() -> None:
    closed = []

    async def opens(turn: Turn) -> AsyncIterator[Event | Turn]:
        try:
            yield with_(turn, question="early")
            yield Token("never")
        finally:
            closed.append(True)

    done = await end((toy("opens", opens),))
    assert (done.turn.request.question, closed) == ("early", [True])


# --- readers -----------------------------------------------------------------------------------

TALK = (toy("one", mark("a")), toy("say", say(*"hello")), toy("two", mark("b", answer=Answer("hello"))), SAVE)


async def test_a_turn_is_saved_whenever_its_client_disconnects() -> None:
    count = len(await collect(TALK, saves=Saves()))
    assert count == 14
    for leave_after in range(1, count + 1):
        saves = Saves()
        runner = runner_of(TALK, saves=saves)
        async with aclosing(runner.run(START)) as events:
            for _ in range(leave_after):
                await anext(events)
        await runner.drain()
        assert saves.trails == ["asb"], f"left after {leave_after} events"


async def test_the_turn_keeps_running_when_a_waiting_reader_is_cancelled() -> None:
    go, saves = asyncio.Event(), Saves()

    async def wait(turn: Turn) -> Turn:
        await go.wait()
        return with_(turn, question="waited")

    runner = runner_of((toy("wait", wait), SAVE), saves=saves)
    reader = asyncio.create_task(runner.finish(START))
    await asyncio.sleep(0.001)
    reader.cancel()
    await asyncio.gather(reader, return_exceptions=True)
    assert saves.trails == []
    go.set()
    await runner.drain()
    assert saves.trails == ["waited"]


async def test_a_turn_waits_for_a_slow_reader_instead_of_piling_up_events() -> None:
    made = 0

    async def count(turn: Turn) -> AsyncIterator[Event | Turn]:
        nonlocal made
        for made in range(1, 1001):
            yield Token(str(made))
        yield turn

    saves = Saves()
    runner = runner_of((toy("count", count), SAVE), saves=saves)
    async with aclosing(runner.run(START)) as events:
        assert await anext(events) == StepStarted("count", Stage.RETRIEVE)
        await asyncio.sleep(0.002)
        assert made == QUEUE_SIZE + 1
        tokens = [await anext(events) for _ in range(600)]
        assert tokens == [Token(str(number)) for number in range(1, 601)]
        await asyncio.sleep(0.002)
    # The reader left while the queue was full: the writer no longer waits for space.
    await asyncio.wait_for(runner.drain(), 1)
    assert (made, saves.trails) == (1000, [""])


async def test_finish_returns_the_turn_or_raises_its_error() -> None:
    assert (await runner_of((toy("one", mark("a")),)).finish(START)).request.question == "a"
    with pytest.raises(SearchUnavailable, match="down"):
        await runner_of((toy("one", fail(SearchUnavailable("down"))),)).finish(START)


async def test_a_cancellation_that_leaks_out_of_a_step_ends_the_turn_instead_of_hanging_it() -> None:
    async def leaks(turn: Turn) -> Turn:
        future: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        future.cancel()
        return await future

    failed = await asyncio.wait_for(end((toy("one", leaks), SAVE), saves=(saves := Saves())), 1)
    assert type(failed.error) is FootnoteError
    assert saves.trails == [""]


class Kit:
    """Dependencies of which one is available and one is not; records which were read."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def store(self) -> str:
        self.asked.append("store")
        return "the store"

    @property
    def broken(self) -> str:
        self.asked.append("broken")
        raise SearchUnavailable("down")


async def test_a_dependency_is_read_when_a_row_that_names_it_runs() -> None:
    kit = Kit()

    async def first(turn: Turn, *, store: str) -> Turn:
        return with_(turn, question=store)

    async def second(turn: Turn, *, broken: str) -> Turn:
        return turn

    rows = (toy("first", first), toy("never", second, when=lambda t: False))
    assert (await Runner(rows, Kit, lambda turn: kit).finish(START)).request.question == "the store"
    assert kit.asked == ["store"]
    turn = await Runner((toy("first", first), toy("second", second, on_error=SKIP)), Kit, lambda turn: kit).finish(START)
    assert (turn.request.question, turn.trace.degraded, kit.asked) == ("the store", True, ["store", "store", "broken"])


async def test_draining_an_idle_runner_returns_at_once() -> None:
    await runner_of(TALK, saves=Saves()).drain()
