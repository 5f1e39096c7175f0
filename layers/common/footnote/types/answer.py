"""What is answered: `Answer`, its citations, and the messages that a language model reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from footnote.types.evidence import Hit

Cut = Literal["length", "content_filter"]
"""Why a model's reply is not whole: its limit of tokens, or its provider's filter."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that the answer leans on. Neutral: each dialect shows it in its own form."""

    number: int
    hit: Hit
    snippet: str
    """The sentence or passage that supports the claim, as it stands in the chunk."""
    page: int | None = None
    """Where the snippet stands."""
    bounds: tuple[tuple[int, int], ...] = ()
    """Where the cited sentences stand in the chunk's text; the first is the snippet."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where this citation's markers stand in the answer's text."""


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    citations: tuple[Citation, ...] = ()
    extractive: bool = False
    """True when the sentences were picked from the documents and no language model wrote them."""
    model: str | None = None
    warnings: tuple[str, ...] = ()
    cut: Cut | None = None
    """Why the text ends before its end; None = it is whole."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to have a tool called. `arguments`: JSON as the model wrote it."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Of an assistant."""
    tool_call_id: str | None = None
    """Of a tool: whose result `content` is."""
    name: str | None = None
    images: tuple[str, ...] = ()
    """Of a user: `data:` URIs."""
