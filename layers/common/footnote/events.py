"""What a running turn says, in order. The core yields these; a dialect encodes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from footnote.errors import FootnoteError
from footnote.types import Stage, Turn


@dataclass(frozen=True, slots=True)
class StepStarted:
    name: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class StepFinished:
    """`status` as in `Span`; `detail` is what came out, small and free of users' text."""

    name: str
    ms: float
    status: str = "ok"
    detail: Mapping[str, Any] = field(default_factory=dict)
    stage: Stage = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class LanguageKnown:
    """The question's language, an ISO 639-1 code."""

    lang: str


@dataclass(frozen=True, slots=True)
class Searching:
    """The search begins or goes on; `place` is what is asked now: the embedder for the query's vector, another system, the index."""

    place: Literal["embedder", "remote", "index"]


@dataclass(frozen=True, slots=True)
class PassagesRead:
    """The passages are there, as many as this; 0 = none was found."""

    count: int


@dataclass(frozen=True, slots=True)
class Answering:
    """The answer is being written. An agent begins anew in each round."""


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """An agent calls this tool; “unknown” = one that was not offered."""

    name: str


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
    """The turn is over and saved (`turn.record.persisted` says whether that worked)."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn is over with an error; `turn` holds what there was, `text` what was already sent."""

    error: FootnoteError
    turn: Turn
    text: str = ""


Event = (
    StepStarted
    | StepFinished
    | LanguageKnown
    | Rewritten
    | Searching
    | PassagesRead
    | Answering
    | ToolCalled
    | Think
    | Token
    | Done
    | Failed
)
