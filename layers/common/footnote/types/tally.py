"""Sums over turns, from which statistics are made: they add up over days, users and rooms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

GroupBy = Literal["user", "room", "search_type", "llm", "day", "hour", "collection", "outcome", "question", "document"]
"""The keys by which statistics may be grouped."""
LATENCY_BITS = 8
"""Significant bits of a latency in a histogram: times are rounded down by less than 1 / 2^7 = 0.8 %, below 256 ms not at all."""


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
