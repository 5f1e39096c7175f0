"""Calls one step: resolves its arguments, applies its time limit and retries, and converts foreign errors into ours."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, TypeVar, cast

from footnote.errors import FootnoteError, ModelTimeout, SearchTimeout, StepTimeout, Unavailable
from footnote.events import Event
from footnote.steps.check import argument_names
from footnote.steps.rows import Step, StepFunction
from footnote.types import Turn

log = logging.getLogger(__name__)

T = TypeVar("T")

PAUSE_S = 0.05
"""Wait before the second try of a step; twice as long before the third."""

Emit = Callable[[Event], Awaitable[None]]


async def call(step: Step, function: StepFunction, turn: Turn, deps: Any, emit: Emit) -> Turn:
    """Runs the function and returns its turn. Raises only FootnoteErrors."""
    try:
        bound = partial(function, turn, **{name: getattr(deps, name) for name in argument_names(function)})
        result = bound()
        if isinstance(result, AsyncIterator):
            return await _consume(result, step, emit)
        return await _within(step, _retry(result, cast(Callable[[], Awaitable[Turn]], bound), step))
    except FootnoteError:
        raise
    except asyncio.CancelledError as exc:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise defect(exc, step.name, turn.trace_id) from exc  # leaked from a library: this turn was not cancelled
    except Exception as exc:
        raise defect(exc, step.name, turn.trace_id) from exc


async def _within(step: Step, work: Awaitable[T]) -> T:
    """The result of the work. Raises StepTimeout after the row's time limit; a TimeoutError of a library passes through."""
    if step.timeout_s is None:  # a scope costs 10 µs
        return await work
    scope = asyncio.timeout(step.timeout_s)
    try:
        async with scope:
            return await work
    except TimeoutError as exc:
        if not scope.expired():
            raise
        raise StepTimeout(f"The step “{step.name}” took longer than {step.timeout_s:g} s.") from exc


async def _retry(first: Awaitable[Turn], call: Callable[[], Awaitable[Turn]], step: Step) -> Turn:
    """Awaits the first try and calls the step again while it raises Unavailable and tries are left."""
    for tried in range(1, step.tries):
        try:
            return await first
        except (SearchTimeout, ModelTimeout):  # no time left for another try
            raise
        except Unavailable as exc:
            log.info("retrying a step", extra={"step": step.name, "tries": tried, "error": type(exc).__name__})
            await asyncio.sleep(PAUSE_S * tried)
            first = call()
    return await first


async def _consume(steps: AsyncIterator[Event | Turn], step: Step, emit: Emit) -> Turn:
    """Forwards a step's events. The time limit applies to each wait for the step, not to a slow reader. The step runs to its end, so that
    the generators inside it end, too, and none is left to be closed by the garbage collector."""
    after: Turn | None = None
    try:
        while (item := await _within(step, anext(steps, None))) is not None:
            if isinstance(item, Turn):
                after = item
            else:
                await emit(item)
    finally:
        if inspect.isasyncgen(steps):
            await steps.aclose()
    if after is None:
        raise TypeError(f"step {step.name!r} ended without a turn")
    return after


def defect(exc: BaseException, step: str, trace_id: str) -> FootnoteError:
    """Logs an unexpected error with its traceback and returns the generic error for the caller."""
    log.error("step failed", exc_info=exc, extra={"step": step, "trace_id": trace_id})
    return FootnoteError()
