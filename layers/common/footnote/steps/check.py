"""A table that cannot work is refused when it is built, not in the middle of a turn."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from footnote.steps.rows import FALLBACK, OnError, Row, StepFunction, steps_of


@cache
def port_names(function: StepFunction) -> tuple[str, ...]:
    return tuple(name for name, parameter in inspect.signature(function).parameters.items() if parameter.kind is parameter.KEYWORD_ONLY)


def check_ports(rows: Sequence[Row], ports: Mapping[str, Any]) -> None:
    """TypeError for a step that names a port nobody provides, or that falls back on nothing."""
    for step in steps_of(rows):
        named = {name for function in (step.run, step.fallback) if function is not None for name in port_names(function)}
        if missing := sorted(named - ports.keys()):
            raise TypeError(f"step {step.name!r} needs the port {missing[0]!r}")
        if (step.on_error is FALLBACK or not isinstance(step.on_error, OnError)) and step.fallback is None:
            raise TypeError(f"step {step.name!r} has no fallback")
