"""What a running turn says, in order. The core yields these; a dialect encodes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from footnote.errors import FootnoteError
from footnote.types import Turn


@dataclass(frozen=True, slots=True)
class StepStarted:
    name: str


@dataclass(frozen=True, slots=True)
class StepFinished:
    """`status` as in `Span`; `detail` is what came out, small and free of users' text."""

    name: str
    ms: float
    status: str = "ok"
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Think:
    text: str


@dataclass(frozen=True, slots=True)
class Token:
    text: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What is searched for in place of the question; for the eyes of whoever asked alone."""

    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The turn is over and saved (`turn.persisted` says whether that worked)."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn is over with an error; `turn` holds what there was, `text` what was already sent."""

    error: FootnoteError
    turn: Turn
    text: str = ""


Event = StepStarted | StepFinished | Rewritten | Think | Token | Done | Failed
