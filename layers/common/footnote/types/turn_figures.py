"""`TurnFigures` of a stored turn for statistics, `TurnMetrics` of a turn that ends for monitoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from footnote.types.experiments import StoredAssignment
from footnote.types.feedback import Feedback
from footnote.types.record import ModelUsage, Span, Usage, usage_of
from footnote.types.request import Mode
from footnote.types.retrieval import Retriever
from footnote.types.turn import Outcome

Ended = Literal["answered", "rejected", "error"] | Outcome
"""rejected: a guard rejected the request; error: something failed and there is no answer."""


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """The figures of a stored turn for statistics, and the feedback on it."""

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
    """The tokens of each model."""
    cache_hit: bool = False
    """Whether the answer or the search results came from a cache."""
    cited: tuple[str, ...] = ()
    """Public chunk ids, in the order shown."""
    feedback: tuple[Feedback, ...] = ()
    experiment: StoredAssignment | None = None
    collection: str = ""
    """The name by which it was asked."""
    lang: str = ""
    documents: tuple[str, ...] = ()
    """Ids of all documents that the turn depends on, each once."""

    @property
    def usage(self) -> Usage:
        """The tokens of all models together."""
        return usage_of(self.used)


@dataclass(frozen=True, slots=True)
class TurnMetrics:
    """Ids, counts and times of a finished turn; no text of users or documents."""

    trace_id: str
    user_id: str
    collection: str
    mode: Mode
    retriever: Retriever
    ended: Ended
    ms: float
    """Total duration of the turn."""
    first_token_ms: float | None
    model: str | None
    """The model that answered."""
    fell_back: bool
    """Whether a different model answered than the one that was picked."""
    hits: int
    citations: int
    usage: Usage
    degraded: bool
    persisted: bool
    spans: tuple[Span, ...]
    """Without their details."""
