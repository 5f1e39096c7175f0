"""Tables of steps and what runs them. A row: `rows`; how a table runs: `runner`; what is refused when it is built: `check`."""

from __future__ import annotations

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
]
