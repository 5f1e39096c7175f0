"""The runner executes a step table and yields a stream of events. The table decides what happens on each failure.

A step is an async function from a `Turn` to a new Turn, or an async generator of events that ends by
yielding a Turn. Its keyword-only arguments are its dependencies. Spans, time limits, retries and step
events are made by the runner. The row says what happens when the step fails:

    FAIL      the turn ends with the error
    SKIP      the turn continues as it was before the step, marked degraded
    IGNORE    the same, but not marked: the answer is no worse without the step
    FALLBACK  the row's `fallback` runs instead; the turn is marked degraded
    BLOCK     the turn is settled as blocked: a check that cannot be made counts as not passed

A row may instead have a function of turn and error that picks one of these. `tries` is the maximum number of runs of a step
that raises Unavailable.

Tokens that were sent cannot be taken back: once a step has sent one, SKIP, IGNORE and FALLBACK act as FAIL, and the error carries the
text sent so far. A step that sets `turn.outcome` settles the turn. Then, as after an error, only rows with `always=True` still run.

A turn runs as its own task. If its reader leaves, or `stop` is called, a step that calls a model is cancelled and no other one begins;
the turn is stored as far as it came, because rows with `always=True` run as after an error.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from copy import copy
from time import perf_counter
from typing import Any, Generic, TypeVar

from footnote.errors import FootnoteError, ModelUnavailable, StepTimeout, Stopped
from footnote.events import Done, Event, Failed, StepFinished, StepStarted, Token
from footnote.steps.call import Emit, call, defect
from footnote.steps.check import check
from footnote.steps.merge import merge
from footnote.steps.progress import Outbox, Progress, set_running
from footnote.steps.rows import BLOCK, FAIL, FALLBACK, IGNORE, SKIP, OnError, Parallel, Row, Step, Switch, steps_of
from footnote.tracing import CallCollector, collect_calls
from footnote.types import Span, Turn
from footnote.types.copies import replace

log = logging.getLogger(__name__)

D = TypeVar("D")


class Runner(Generic[D]):
    """A table with the dependencies of its steps. `kind`: the type of the dependencies, against which the table is checked.
    `deps(turn)` is called once for each turn; a member is read from it when a step that names it runs."""

    def __init__(self, rows: Sequence[Row], kind: type, deps: Callable[[Turn], D], *, timer: Callable[[], float] = perf_counter) -> None:
        check(rows, kind)
        self._rows = rows
        self._deps = deps
        self._timer = timer
        self._running: set[asyncio.Task[None]] = set()
        self._turns: dict[str, Progress] = {}

    def run(self, turn: Turn, deps: D | None = None, *, nested: bool = False) -> AsyncGenerator[Event, None]:
        """Runs the turn and yields its events; the last one is `Done` or `Failed`. If the iterator is closed early, the turn is stopped.
        `nested`: it is a part of another turn, so it is cancelled then."""
        own = self._deps(turn) if deps is None else deps  # the current ones, even if the first event is read later
        return self._run(turn, own, nested=nested)

    async def _run(self, turn: Turn, deps: D, *, nested: bool) -> AsyncGenerator[Event, None]:
        outbox, progress = Outbox(), Progress(turn, deps)
        task = progress.task = asyncio.create_task(self._work(progress, outbox))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(progress.release)
        if not nested:
            self._turns[turn.trace_id] = progress
            task.add_done_callback(lambda _: self._turns.pop(turn.trace_id, None))
        try:
            while True:
                event = await outbox.queue.get()
                yield event
                if isinstance(event, Done | Failed):
                    return
        finally:
            outbox.close()
            if not nested:
                progress.stop()
            elif not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    def stop(self, trace_id: str) -> None:
        """Stops a turn, if it is running here. Its events end with `Done` if some of its answer was sent, else with `Failed`."""
        if trace_id in self._turns:
            self._turns[trace_id].stop()

    async def finish(self, turn: Turn, deps: D | None = None) -> Turn:
        """Runs the turn to its end and returns it. Raises the error with which it failed. `deps`: of the turn that it is a part of."""
        return await last_turn(self.run(turn, deps, nested=deps is not None))

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running."""
        return bool(self._running)

    async def drain(self) -> None:
        """Waits for turns that are still running after their readers have disconnected."""
        while self._running:
            await asyncio.wait(self._running)

    async def _work(self, progress: Progress, outbox: Outbox) -> None:
        profile, started = progress.turn.profile, self._timer()
        set_running(progress)

        async def emit(event: Event) -> None:
            if isinstance(event, Token):
                if progress.first_token_ms is None:
                    progress.first_token_ms = (self._timer() - started) * 1000
                if not profile.live:
                    return
                progress.sent.append(event.text)
            await outbox.put(event)

        # After an error, the table is run again for the rows with `always=True`. Each of them runs once, so the loop ends.
        while True:
            try:
                await self._run_rows(self._rows, progress, emit)
                break
            except FootnoteError as exc:
                progress.error = progress.error or exc
            except Exception as exc:
                progress.error = progress.error or defect(exc, "table", progress.turn.trace_id)
            progress.turn = _recorded(progress.turn, partial="".join(progress.sent))
        turn = progress.turn
        if progress.error is not None:
            await outbox.put(Failed(_told(progress.error, turn), turn, "".join(progress.sent)))
            return
        if not profile.live and turn.answer is not None:
            await outbox.put(Token(turn.answer.text))
        await outbox.put(Done(turn))

    async def _run_rows(self, rows: Sequence[Row], progress: Progress, emit: Emit) -> None:
        for row in rows:
            if progress.is_settled(row):
                if progress.has_no_end:
                    raise Stopped
                continue
            if row.name in progress.ran_always:
                continue
            if row.always:
                progress.ran_always.add(row.name)
            if not _runs(row, progress):
                continue
            if isinstance(row, Step) and row.once and not await _is_first_time(row, progress):
                continue
            match row:
                case Step():
                    await self._run_step(row, progress, emit)
                case Parallel():
                    await self._run_parallel(row, progress, emit)
                case Switch():
                    await self._run_rows(row.tables[row.key(progress.turn)], progress, emit)

    async def _run_step(self, step: Step, progress: Progress, emit: Emit) -> None:
        await emit(StepStarted(step.name, step.stage))
        if step.on_start is not None:
            await emit(step.on_start(progress.turn) if callable(step.on_start) else step.on_start)
        started = self._timer()
        with collect_calls(step.name, progress.turn, self._timer) as collector:
            try:
                after, status, error = await self._try_step(step, progress, emit)
            except BaseException:
                progress.turn = _with_calls(progress.turn, collector)
                raise
        after = _with_calls(after, collector)
        ms = (self._timer() - started) * 1000
        detail = dict(step.shows(after)) if step.shows is not None and status in ("ok", "fallback") else {}
        if collector.calls or collector.completion_ids:
            detail |= {**collector.written(), **collector.sent_ids()}
        first = after.trace.first_token_ms if progress.first_token_ms is None else progress.first_token_ms
        progress.turn = _recorded(after, spans=(*after.trace.spans, Span(step.name, ms, status, detail, step.stage)), first_token_ms=first)
        await emit(StepFinished(step.name, ms, status, detail, stage=step.stage))
        if step.on_end is not None and status in ("ok", "fallback"):
            await emit(step.on_end(after))
        if error is not None:
            raise error

    async def _try_step(self, step: Step, progress: Progress, emit: Emit) -> tuple[Turn, str, FootnoteError | None]:
        """Returns the turn after the step, the step's status, and the error that ends the turn."""
        before, sent = progress.turn, len(progress.sent)
        after, status, error = before, "ok", None
        progress.row = step
        try:
            after = await call(step, step.run, before, progress.deps, emit)
            if after.plan is not before.plan and not step.amends_plan:
                raise defect(TypeError(f"step {step.name!r} may not amend the plan"), step.name, before.trace_id)
        except FootnoteError as exc:
            error = exc
        except asyncio.CancelledError:
            if not progress.take_cancellation():
                raise
            status = "stopped"
        finally:
            progress.row = None
        progress.take_cancellation()  # of a step that returned what it had
        if error is not None:
            if error.status > 500:  # a defect has been logged already
                log.warning("a step failed", extra={"step": step.name, "trace_id": before.trace_id, "error": type(error).__name__})
            status = "failed"
            chosen = step.on_error if isinstance(step.on_error, OnError) else step.on_error(before, error)
            policy = chosen if len(progress.sent) == sent else FAIL
            if policy in (SKIP, IGNORE):
                worse = policy is SKIP and not step.always
                after, status, error = _recorded(before, degraded=before.trace.degraded or worse), "skipped", None
            elif policy is BLOCK:
                if error.status >= 500:
                    after, error = replace(before, outcome="blocked"), None
            elif policy is FALLBACK and step.fallback is not None:
                try:
                    problem = error.for_admins if isinstance(error, ModelUnavailable) else before.trace.model_problem
                    after = _recorded(await call(step, step.fallback, before, progress.deps, emit), degraded=True, model_problem=problem)
                    status, error = "fallback", None
                except FootnoteError as exc:
                    error = exc
        return after, status, error

    async def _run_parallel(self, row: Parallel, progress: Progress, emit: Emit) -> None:
        before = progress.turn
        branches = [Progress(before, progress.deps, sent=progress.sent) for _ in row.rows]
        tasks = [asyncio.create_task(self._run_rows([branch], mine, emit)) for branch, mine in zip(row.rows, branches, strict=True)]
        progress.row = row
        try:
            await asyncio.wait(tasks, timeout=row.timeout_s)
        except asyncio.CancelledError:
            if not progress.take_cancellation():
                raise
        finally:
            progress.row = None
            unfinished = [not task.done() for task in tasks]
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for branch, mine, is_late, error in zip(row.rows, branches, unfinished, ended, strict=True):
            if is_late:
                late = StepTimeout(f"The branch “{branch.name}” took longer than {row.timeout_s or 0:g} s.")
                mine.error, status = (Stopped(), "stopped") if progress.stopped else (late, "late")
                step, ms = next(steps_of([branch])), (row.timeout_s or 0) * 1000
                mine.turn = _recorded(mine.turn, spans=(*mine.turn.trace.spans, Span(branch.name, ms, status, stage=step.stage)))
                await emit(StepFinished(branch.name, ms, status, stage=step.stage))
            elif error is not None:
                mine.error = error if isinstance(error, FootnoteError) else defect(error, branch.name, before.trace_id)
        done = [(branch, mine.turn, mine.error) for branch, mine in zip(row.rows, branches, strict=True)]
        progress.turn, error = merge(before, done)
        if error is not None and not progress.stopped:
            raise error


def _runs(row: Row, progress: Progress) -> bool:
    """Whether the row's option is on, its dependency is configured and its condition is met."""
    if isinstance(row, Step):
        if row.option is not None and not progress.turn.plan.wants(row.option):
            return False
        if row.needs is not None and getattr(progress.deps, row.needs) is None:
            return False
    return row.when is None or row.when(progress.turn)


def _with_calls(turn: Turn, collector: CallCollector) -> Turn:
    return _recorded(turn, calls=(*turn.trace.calls, *collector.calls)) if collector.calls else turn


async def _is_first_time(step: Step, progress: Progress) -> bool:
    """Whether the request has not run this row before. False if that cannot be determined."""
    if progress.deps.checkpoint is None:
        return True
    ended = "failed" if progress.turn.broke_off else ""  # such a request may be repeated and succeed
    try:
        return await progress.deps.checkpoint.mark(f"{step.name} {ended}".strip(), True) is None
    except FootnoteError as exc:
        log.warning("skipping a step", extra={"step": step.name, "trace_id": progress.turn.trace_id, "error": type(exc).__name__})
        return False


def _told(error: FootnoteError, turn: Turn) -> FootnoteError:
    """The error as the turn's caller may see it."""
    if turn.caller.role == "admin" and error.for_admins != error.detail:
        error, detail = copy(error), error.for_admins
        error.detail = detail
    return error


def _recorded(turn: Turn, **changes: Any) -> Turn:
    return replace(turn, trace=replace(turn.trace, **changes))


async def last_turn(events: AsyncGenerator[Event, None]) -> Turn:
    """The turn with which these events end. Raises the error if it failed."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Done):
                return event.turn
            if isinstance(event, Failed):
                raise event.error
    raise AssertionError("a turn ends with Done or Failed")
