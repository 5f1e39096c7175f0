"""One call of a step: what it asks for, its time limit, its tries, and every foreign error made ours."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, cast

from footnote.errors import FootnoteError, ModelTimeout, SearchTimeout, StepTimeout, Unavailable
from footnote.events import Event
from footnote.steps.check import argument_names
from footnote.steps.rows import Step, StepFunction
from footnote.types import Turn

log = logging.getLogger(__name__)

PAUSE_S = 0.05
"""Before a step's second try; twice as long before the third."""

Emit = Callable[[Event], Awaitable[None]]


async def call(step: Step, function: StepFunction, turn: Turn, deps: Any, emit: Emit) -> Turn:
    """The turn that the function makes; raises our errors only."""
    try:
        bound = partial(function, turn, **{name: getattr(deps, name) for name in argument_names(function)})
        made = bound()
        if isinstance(made, AsyncIterator):
            return await _consume(made, step, emit)
        async with _limit(step):
            return await _insist(made, cast(Callable[[], Awaitable[Turn]], bound), step)
    except FootnoteError:
        raise
    except asyncio.CancelledError as exc:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise defect(exc, step.name, turn.trace_id) from exc  # leaked out of a library: nobody cancelled this turn
    except Exception as exc:
        raise defect(exc, step.name, turn.trace_id) from exc


@asynccontextmanager
async def _limit(step: Step) -> AsyncIterator[None]:
    """StepTimeout past the row's limit; a time-out of a library's own stays what it is."""
    try:
        async with asyncio.timeout(step.timeout_s) as scope:
            yield
    except TimeoutError as exc:
        if not scope.expired():
            raise
        raise StepTimeout(f"The step “{step.name}” took longer than {step.timeout_s:g} s.") from exc


async def _insist(made: Awaitable[Turn], call: Callable[[], Awaitable[Turn]], step: Step) -> Turn:
    """`made` is the first try."""
    for tried in range(1, step.tries):
        try:
            return await made
        except (SearchTimeout, ModelTimeout):  # the time is spent
            raise
        except Unavailable as exc:
            log.info("a step is tried again", extra={"step": step.name, "tries": tried, "error": type(exc).__name__})
            await asyncio.sleep(PAUSE_S * tried)
            made = call()
    return await made


async def _consume(steps: AsyncIterator[Event | Turn], step: Step, emit: Emit) -> Turn:
    """Passes a step's events on; the limit counts for each wait for the step, not while a reader is slow."""
    try:
        while True:
            item = await _next(steps, step)
            if isinstance(item, Turn):
                return item
            await emit(item)
    finally:
        if inspect.isasyncgen(steps):
            await steps.aclose()


async def _next(steps: AsyncIterator[Event | Turn], step: Step) -> Event | Turn:
    if step.timeout_s is None:  # a scope without a limit would cost each token of an answer 10 µs
        return await anext(steps)
    async with _limit(step):
        return await anext(steps)


def defect(exc: BaseException, step: str, trace_id: str) -> FootnoteError:
    """An error that nobody foresaw: the caller gets the trace id, the traceback is for the log alone."""
    log.error("step failed", exc_info=exc, extra={"step": step, "trace_id": trace_id})
    return FootnoteError()
