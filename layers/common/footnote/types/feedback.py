"""`Feedback`: a user's rating of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Feedback:
    """A user's rating of an answer. `trace_id`: of the rated turn."""

    trace_id: str
    user_id: str
    rating: Literal["up", "down"]
    reason: str | None = None
    proposed_answer: str | None = None
    selected_citations: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    created_at: float = 0.0
