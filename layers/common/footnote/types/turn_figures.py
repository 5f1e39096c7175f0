"""`TurnFigures` of a stored turn and their sums, `Tally`, for statistics; `TurnMetrics` of a turn that ends for monitoring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from footnote.types.experiments import StoredAssignment
from footnote.types.feedback import Feedback
from footnote.types.request import Mode
from footnote.types.retrieval import Retriever
from footnote.types.trace import ModelUsage, Span, Usage, usage_of
from footnote.types.turn import Outcome

Ended = Literal["answered", "rejected", "error"] | Outcome
"""rejected: a guard rejected the request; error: something failed and there is no answer."""
GroupBy = Literal["user", "room", "search_type", "llm", "day", "hour", "collection", "outcome", "question", "document"]
"""The keys by which statistics may be grouped."""
LATENCY_BITS = 8
"""Significant bits of a latency in a histogram: times are rounded down by less than 1 / 2^7 = 0.8 %, below 256 ms not at all."""


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


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over the turns that agree in the first seven fields; None = over all users or rooms."""

    day: str
    """YYYY-MM-DD, UTC."""
    user_id: str | None
    room_id: str | None
    search_type: str
    collection: str
    """The name by which it was asked."""
    ended: str
    """How the turns ended: their outcome, else `error` or `answered`."""
    llm: str | None
    """The model that answered, else the one that used the most tokens."""
    turns: int = 0
    errors: int = 0
    cache_hits: int = 0
    feedback_up: int = 0
    feedback_down: int = 0
    own_up: int = 0
    """Thumbs up by the turns' own users."""
    own_down: int = 0
    latencies: Mapping[int, int] = field(default_factory=dict)
    """A histogram: latency in ms, rounded down by `latency_bucket` → number of turns."""
    used: Mapping[str | None, tuple[int, int]] = field(default_factory=dict)
    """Model → (prompt tokens, completion tokens)."""
    cited: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    """Document → (turns that cite it, thumbs up on them, thumbs down)."""


def latency_bucket(ms: int) -> int:
    """The lower bound of the histogram's bucket with this latency."""
    shift = max(0, ms.bit_length() - LATENCY_BITS)
    return ms >> shift << shift
