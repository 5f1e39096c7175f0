"""The rows of a step table: what runs, when, for how long, and what happens on failure."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from footnote.errors import FootnoteError
from footnote.events import Event
from footnote.types import OptionName, Stage, Turn

StepFunction = Callable[..., Awaitable[Turn] | AsyncIterator[Event | Turn]]


class OnError(Enum):
    """What happens when a step fails; `steps.runner` describes each policy."""

    FAIL = "fail"
    SKIP = "skip"
    IGNORE = "ignore"
    FALLBACK = "fallback"
    BLOCK = "block"


Policy = Callable[[Turn, FootnoteError], OnError]
"""Chooses the error policy from the turn and the error."""

FAIL, SKIP, IGNORE, FALLBACK, BLOCK = OnError.FAIL, OnError.SKIP, OnError.IGNORE, OnError.FALLBACK, OnError.BLOCK


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A row that runs one step. `timeout_s` limits all `tries` together; for a generator, each wait for the next item. A step that
    raises Unavailable is tried again, except generators, which may have sent something. `shows` picks the details for traces and
    pages.

    The step runs if its `option` is on in the turn's plan, the dependency named by `needs` is configured, and `when` is true for
    the turn (the docstring of `when` is shown to users as the reason). `paid`: it may call a language model. `amends_plan`: it may
    change the plan for the rows after it. `once`: a side effect that happens at most once for each request with an
    `Idempotency-Key`, however often the request is repeated.

    `on_start` is sent, or made from the turn, when the step begins, the event made by `on_end` when it has succeeded, so that
    readers of events need not know the names of steps."""

    name: str = field(kw_only=False)
    run: StepFunction = field(kw_only=False)
    stage: Stage
    option: OptionName | None = None
    needs: str | None = None
    on_error: OnError | Policy = FAIL
    timeout_s: float | None = None
    tries: int = 1
    when: Callable[[Turn], bool] | None = None
    always: bool = False
    fallback: StepFunction | None = None
    shows: Callable[[Turn], Mapping[str, Any]] | None = None
    on_start: Event | Callable[[Turn], Event] | None = None
    paid: bool = False
    amends_plan: bool = False
    once: bool = False
    on_end: Callable[[Turn], Event] | None = None


@dataclass(frozen=True, slots=True)
class Parallel:
    """A row that runs branches concurrently, each from the same turn. `merge` combines them. A branch that is late or fails marks
    the turn as degraded; if all fail, the turn ends with the first error."""

    name: str
    rows: Sequence[Row]
    timeout_s: float | None = None
    when: Callable[[Turn], bool] | None = None
    always: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """A row that runs the table chosen by `key(turn)`."""

    name: str
    key: Callable[[Turn], str]
    tables: Mapping[str, Sequence[Row]]
    when: Callable[[Turn], bool] | None = None
    always: bool = False


Row = Step | Parallel | Switch

EARLY: set[Callable[[Turn], bool]] = set()


def known_early(condition: Callable[[Turn], bool]) -> Callable[[Turn], bool]:
    """Marks a condition that depends only on the request and the plan, so it is known before the turn runs."""
    EARLY.add(condition)
    return condition


def steps_of(rows: Sequence[Row]) -> Iterator[Step]:
    """All steps of a table, including those of its branches and of all tables of its switches."""
    for row in rows:
        match row:
            case Step():
                yield row
            case Parallel():
                yield from steps_of(row.rows)
            case Switch():
                for table in row.tables.values():
                    yield from steps_of(table)
