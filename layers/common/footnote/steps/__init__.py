"""Step tables and their runner. `rows`: the kinds of rows; `runner`: executes a table; `check`: validates it when it is built."""

from __future__ import annotations

from footnote.steps.progress import was_stopped
from footnote.steps.rows import (
    BLOCK,
    FAIL,
    FALLBACK,
    IGNORE,
    SKIP,
    OnError,
    Parallel,
    Policy,
    Row,
    Step,
    StepFunction,
    Switch,
    known_early,
    steps_of,
)
from footnote.steps.runner import Runner, last_turn

__all__ = [
    "BLOCK",
    "FAIL",
    "FALLBACK",
    "IGNORE",
    "SKIP",
    "OnError",
    "Parallel",
    "Policy",
    "Row",
    "Runner",
    "Step",
    "StepFunction",
    "Switch",
    "known_early",
    "last_turn",
    "steps_of",
    "was_stopped",
]
