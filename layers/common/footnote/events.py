"""The events of a running turn, in order. The core yields them; a dialect encodes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from footnote.errors import FootnoteError
from footnote.types import Hit, Stage, Turn


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step begins."""

    name: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A step has ended. `status` as in `Span`; `detail`: a small summary of the result, without users' text."""

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
    """The search begins or continues. `place`: the embedder that computes the query vector, an external system, or the index."""

    place: Literal["embedder", "remote", "index"]


@dataclass(frozen=True, slots=True)
class PassagesRead:
    """The passages have been read. `count`: how many; 0 = nothing was found."""

    count: int


@dataclass(frozen=True, slots=True)
class Answering:
    """The answer is being written. An agent sends this in each round."""

    hits: tuple[Hit, ...] = field(default=(), compare=False)
    """The passages that it is written from, in the order of their numbers; () for an agent, which searches while it answers."""


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """An agent calls this tool; “unknown” = a tool that it was not offered."""

    name: str


@dataclass(frozen=True, slots=True)
class Think:
    """A piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """What is quoted without a model, shown until the model's answer comes; no piece of the answer. `turn`: as it would end without
    a model."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The queries that replace the question. Shown only to the caller."""

    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The turn has ended. `turn.trace.persisted` says whether it was saved."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn has ended with an error. `turn`: its last state; `text`: the text already sent."""

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
    | Quoted
    | Think
    | Token
    | Done
    | Failed
)
