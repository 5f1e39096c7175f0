"""A table that cannot work is refused with a TypeError when it is built, not in the middle of a turn."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from footnote.steps.rows import FALLBACK, OnError, Parallel, Row, Step, StepFunction, Switch, steps_of


def check(rows: Sequence[Row], deps: type) -> None:
    """Each row can run: its name is its own, its arguments are members of `deps`, and what may be chosen is there."""
    _check_rows(rows, set(), top=True)
    for step in steps_of(rows):
        if step.needs is not None and NoneType not in _choices(members(deps).get(step.needs)):
            raise TypeError(f"step {step.name!r} needs {step.needs!r}, which {deps.__name__} always or never has")
        for function in (step.run, step.fallback):
            if function is not None:
                _check_arguments(step, function, deps)


@cache
def argument_names(function: StepFunction) -> tuple[str, ...]:
    """What a step asks for: its keyword-only arguments."""
    return tuple(name for name, parameter in inspect.signature(function).parameters.items() if parameter.kind is parameter.KEYWORD_ONLY)


def _check_rows(rows: Sequence[Row], above: set[str], *, top: bool) -> None:
    """`above`: names of the rows that run in the same turn; this adds its own."""
    for row in rows:
        if row.name in above:
            raise TypeError(f"two rows are named {row.name!r}")
        if row.always and not top:
            raise TypeError(f"row {row.name!r} is to run always, but stands below the top level, where a turn may not come by")
        above.add(row.name)
        match row:
            case Step():
                if (row.on_error is FALLBACK or not isinstance(row.on_error, OnError)) and row.fallback is None:
                    raise TypeError(f"step {row.name!r} has no fallback")
            case Parallel():
                _check_rows(row.rows, above, top=False)
            case Switch():
                missing = sorted(_keys(row) - row.tables.keys())
                if missing:
                    raise TypeError(f"switch {row.name!r} has no table for {missing[0]!r}")
                for inside, table in [({*above}, table) for table in row.tables.values()]:  # one of them runs: two may use a name
                    _check_rows(table, inside, top=False)
                    above |= inside


def _keys(switch: Switch) -> set[str]:
    """What the key may be, by the type that it gives back."""
    kind = get_type_hints(switch.key).get("return")
    if get_origin(kind) is not Literal:
        raise TypeError(f"the key of switch {switch.name!r} does not say by a Literal what it may be")
    return set(get_args(kind))


def _check_arguments(step: Step, function: StepFunction, deps: type) -> None:
    known = members(deps)
    for name, wanted in _arguments(function, deps).items():
        if name not in known:
            raise TypeError(f"step {step.name!r} asks for {name!r}, which {deps.__name__} does not have")
        if not _choices(known[name]) <= _choices(wanted):
            raise TypeError(f"step {step.name!r} asks for {name!r} as {wanted}; {deps.__name__} has it as {known[name]}")


def _arguments(function: StepFunction, deps: type) -> Mapping[str, Any]:
    """Name → type. A name that the step's module imports for the type checker alone means what it means beside `deps`."""
    known = {**vars(sys.modules[deps.__module__]), **inspect.unwrap(function).__globals__}
    try:
        hints = get_type_hints(function, known)
    except NameError as exc:
        raise TypeError(f"the types of {function.__qualname__} are not known when it runs: {exc}") from exc
    return {name: hints[name] for name in argument_names(function)}


@cache
def members(deps: type) -> Mapping[str, Any]:
    """Name → type of each property and attribute."""
    properties = {name: value for base in reversed(deps.__mro__) for name, value in vars(base).items() if isinstance(value, property)}
    return get_type_hints(deps) | {name: get_type_hints(value.fget)["return"] for name, value in properties.items()}


def _choices(kind: Any) -> set[Any]:
    """The members of a union; another type by itself."""
    return set(get_args(kind)) if get_origin(kind) in (Union, UnionType) else {kind}
