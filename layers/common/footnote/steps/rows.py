"""The rows of a table: what runs, when, for how long, and what its failure means."""

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
    FAIL = "fail"
    SKIP = "skip"
    IGNORE = "ignore"
    FALLBACK = "fallback"
    BLOCK = "block"


Policy = Callable[[Turn, FootnoteError], OnError]
"""Where what a failure means depends on the turn or on the error."""

FAIL, SKIP, IGNORE, FALLBACK, BLOCK = OnError.FAIL, OnError.SKIP, OnError.IGNORE, OnError.FALLBACK, OnError.BLOCK


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One row. `timeout_s` bounds each wait for the step, all its `tries` together; what is Unavailable is tried again, but for
    generators, which may have sent something. `shows` picks what came out for traces and pages.

    Three questions decide whether it runs: `option` = is it wanted (by the turn's plan), `needs` = is the part that it names
    configured, `when` = does the turn's state ask for it; its docstring says when. `paid`: it may ask a language model.
    `amends_plan`: it may change the plan of the rows after it; no other row may. `once`: a side effect that a request with an
    `Idempotency-Key` has once, however often it is asked; of a process that dies at that moment, perhaps never.

    `on_start` is sent when the step begins, what `on_end` makes of the turn when it has ended well: events that say what goes on
    without a step's name, so that no reader needs to know one."""

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
    on_start: Event | None = None
    paid: bool = False
    amends_plan: bool = False
    once: bool = False
    on_end: Callable[[Turn], Event] | None = None


@dataclass(frozen=True, slots=True)
class Parallel:
    """Runs branches from the same turn at once. `merge` makes one turn of what they append; a branch that is late or failed
    marks the turn as degraded, and when none is left, the first error stands."""

    name: str
    rows: Sequence[Row]
    timeout_s: float | None = None
    when: Callable[[Turn], bool] | None = None
    always: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """Runs the table that `key(turn)` names."""

    name: str
    key: Callable[[Turn], str]
    tables: Mapping[str, Sequence[Row]]
    when: Callable[[Turn], bool] | None = None
    always: bool = False


Row = Step | Parallel | Switch

EARLY: set[Callable[[Turn], bool]] = set()


def known_early(condition: Callable[[Turn], bool]) -> Callable[[Turn], bool]:
    """Marks a condition that the request and the plan decide: it is known before the turn runs."""
    EARLY.add(condition)
    return condition


def steps_of(rows: Sequence[Row]) -> Iterator[Step]:
    """All steps of a table, those of its branches and of each table of its switches among them."""
    for row in rows:
        match row:
            case Step():
                yield row
            case Parallel():
                yield from steps_of(row.rows)
            case Switch():
                for table in row.tables.values():
                    yield from steps_of(table)
