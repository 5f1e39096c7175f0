"""Validates a step table when it is built: a table that cannot work raises TypeError then, not in the middle of a turn."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from footnote.steps.rows import FALLBACK, OnError, Parallel, Row, Step, StepFunction, Switch, steps_of


def check(rows: Sequence[Row], deps: type) -> None:
    """Raises TypeError unless names are unique, arguments are members of `deps`, and every choice of a switch has a table."""
    _check_rows(rows, set(), top=True)
    for step in steps_of(rows):
        if step.needs is not None and NoneType not in _choices(members(deps).get(step.needs)):
            raise TypeError(f"step {step.name!r} needs {step.needs!r}, which is not an optional member of {deps.__name__}")
        for function in (step.run, step.fallback):
            if function is not None:
                _check_arguments(step, function, deps)


@cache
def argument_names(function: StepFunction) -> tuple[str, ...]:
    """The dependencies of a step: the names of its keyword-only arguments."""
    return tuple(name for name, parameter in inspect.signature(function).parameters.items() if parameter.kind is parameter.KEYWORD_ONLY)


def _check_rows(rows: Sequence[Row], above: set[str], *, top: bool) -> None:
    """`above`: names of the rows that run in the same turn; the names of these rows are added to it."""
    for row in rows:
        if row.name in above:
            raise TypeError(f"two rows are named {row.name!r}")
        if row.always and not top:
            raise TypeError(f"row {row.name!r} has always=True, but is below the top level, which a turn may not reach")
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
                for inside, table in [({*above}, table) for table in row.tables.values()]:  # only one of them runs
                    _check_rows(table, inside, top=False)
                    above |= inside


def _keys(switch: Switch) -> set[str]:
    """The possible keys, from the return type of the key function."""
    kind = get_type_hints(switch.key).get("return")
    if get_origin(kind) is not Literal:
        raise TypeError(f"the key of switch {switch.name!r} must return a Literal")
    return set(get_args(kind))


def _check_arguments(step: Step, function: StepFunction, deps: type) -> None:
    available = members(deps)
    for name, expected in _arguments(function, deps).items():
        if name not in available:
            raise TypeError(f"step {step.name!r} asks for {name!r}, which {deps.__name__} does not have")
        if not _choices(available[name]) <= _choices(expected):
            raise TypeError(f"step {step.name!r} asks for {name!r} of type {expected}; in {deps.__name__} it is {available[name]}")


@cache
def _arguments(function: StepFunction, deps: type) -> Mapping[str, Any]:
    """Name → type. Names that the step's module imports only under TYPE_CHECKING are looked up in the module of `deps`."""
    namespace = {**vars(sys.modules[deps.__module__]), **inspect.unwrap(function).__globals__}
    try:
        hints = get_type_hints(function, namespace)
    except NameError as exc:
        raise TypeError(f"the types of {function.__qualname__} cannot be resolved at run time: {exc}") from exc
    return {name: hints[name] for name in argument_names(function)}


@cache
def members(deps: type) -> Mapping[str, Any]:
    """Name → type of each property and attribute."""
    defined = {name: value for base in reversed(deps.__mro__) for name, value in vars(base).items()}
    getters = {name: value.fget for name, value in defined.items() if isinstance(value, property)}
    getters |= {name: value.func for name, value in defined.items() if isinstance(value, cached_property)}
    return get_type_hints(deps) | {name: get_type_hints(getter)["return"] for name, getter in getters.items()}


def _choices(kind: Any) -> set[Any]:
    """The members of a union; for any other type, the type itself."""
    return set(get_args(kind)) if get_origin(kind) in (Union, UnionType) else {kind}
