"""What is counted of turns: `TurnFigures` of a stored one for statistics, `TurnMetrics` of one that ends for monitoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from footnote.types.feedback import Feedback
from footnote.types.record import ModelUsage, Span, Usage, usage_of
from footnote.types.request import Mode
from footnote.types.retrieval import Retriever
from footnote.types.turn import Outcome

Ended = Literal["answered", "rejected", "error"] | Outcome
"""rejected: the request could not be used; error: something failed and there is no answer."""


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """What statistics need to know of a stored turn, and the feedback on it."""

    trace_id: str
    user_id: str
    room_id: str
    search_type: str
    llm: str | None
    """The model that answered, else the one that used the most tokens."""
    question: str
    started_at: float
    latency_ms: int
    outcome: str | None
    is_error: bool
    used: tuple[ModelUsage, ...] = ()
    """What each model used."""
    cache_hit: bool = False
    """Whether the answer, or what was found, came from a cache."""
    cited: tuple[str, ...] = ()
    """Public chunk ids, in the order shown."""
    feedback: tuple[Feedback, ...] = ()

    @property
    def usage(self) -> Usage:
        """What all models used together."""
        return usage_of(self.used)


@dataclass(frozen=True, slots=True)
class TurnMetrics:
    """Ids, counts and times of a turn that has ended; no text of users or documents."""

    trace_id: str
    user_id: str
    collection: str
    mode: Mode
    retriever: Retriever
    ended: Ended
    ms: float
    """From the question to now."""
    first_token_ms: float | None
    model: str | None
    """The one that answered."""
    fell_back: bool
    """Another model answered than the one that was picked."""
    hits: int
    citations: int
    usage: Usage
    degraded: bool
    persisted: bool
    spans: tuple[Span, ...]
    """Without their details."""
