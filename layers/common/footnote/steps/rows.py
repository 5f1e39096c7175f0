"""The rows of a table: what runs, when, for how long, and what its failure means."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from footnote.events import Event
from footnote.types import Turn

StepFunction = Callable[..., Awaitable[Turn] | AsyncIterator[Event | Turn]]


class OnError(Enum):
    FAIL = "fail"
    SKIP = "skip"
    IGNORE = "ignore"
    FALLBACK = "fallback"
    BLOCK = "block"


FAIL, SKIP, IGNORE, FALLBACK, BLOCK = OnError.FAIL, OnError.SKIP, OnError.IGNORE, OnError.FALLBACK, OnError.BLOCK


@dataclass(frozen=True, slots=True)
class Step:
    """One row. `limit_s` bounds each wait for the step, `shows` picks what came out for traces and pages."""

    name: str
    run: StepFunction
    on_error: OnError = FAIL
    limit_s: float | None = None
    when: Callable[[Turn], bool] | None = None
    always: bool = False
    fallback: StepFunction | None = None
    shows: Callable[[Turn], Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Parallel:
    """Runs branches from the same turn at once. A branch that is late or failed is left out of `merge`;
    when none is left, the first error stands."""

    name: str
    rows: Sequence[Row]
    merge: Callable[[Turn, Sequence[Turn]], Turn]
    limit_s: float | None = None
    when: Callable[[Turn], bool] | None = None
    always: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """Runs the rows until `until(turn)` holds, at most `max` times."""

    name: str
    rows: Sequence[Row]
    until: Callable[[Turn], bool]
    max: int
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


Row = Step | Parallel | Loop | Switch
