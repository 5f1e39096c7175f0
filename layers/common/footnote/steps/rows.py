"""The rows of a table: what runs, when, for how long, and what its failure means."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from footnote.errors import FootnoteError
from footnote.events import Event
from footnote.types import Turn

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


@dataclass(frozen=True, slots=True)
class Step:
    """One row. `limit_s` bounds each wait for the step, all its `tries` together; what is Unavailable is tried again, but for
    generators, which may have sent something. `shows` picks what came out for traces and pages."""

    name: str
    run: StepFunction
    on_error: OnError | Policy = FAIL
    limit_s: float | None = None
    tries: int = 1
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


@cache
def port_names(function: StepFunction) -> tuple[str, ...]:
    return tuple(name for name, parameter in inspect.signature(function).parameters.items() if parameter.kind is parameter.KEYWORD_ONLY)


def check_ports(rows: Sequence[Row], ports: Mapping[str, Any]) -> None:
    """A table that names a port nobody provides is refused when it is built, not in the middle of a turn."""
    for row in rows:
        match row:
            case Step():
                named = {name for function in (row.run, row.fallback) if function is not None for name in port_names(function)}
                missing = sorted(named - ports.keys())
                if missing:
                    raise TypeError(f"step {row.name!r} needs the port {missing[0]!r}")
                if (row.on_error is FALLBACK or not isinstance(row.on_error, OnError)) and row.fallback is None:
                    raise TypeError(f"step {row.name!r} has no fallback")
            case Switch():
                for table in row.tables.values():
                    check_ports(table, ports)
            case _:
                check_ports(row.rows, ports)
