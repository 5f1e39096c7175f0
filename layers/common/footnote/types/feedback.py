"""`Feedback`: a user's rating of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Rating = Literal["up", "down"]

REASONS = ("wrong", "incomplete", "outdated", "wrong_source", "unclear", "other")
"""The usual reasons for a thumbs-down. Any other reason is free text and counts as `other`."""
UP_TAGS = ("complete", "clear", "exact", "concise")
"""The usual tags of a good answer."""
DOWN_TAGS = ("too_long", "too_short", "too_technical")
"""The usual tags of a bad answer."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """A user's rating of an answer. `trace_id`: of the rated turn; `reason`: one of REASONS, or free text; `comment`: free text beside
    a usual reason."""

    trace_id: str
    user_id: str
    rating: Rating
    reason: str | None = None
    proposed_answer: str | None = None
    selected_citations: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    created_at: float = 0.0
    comment: str | None = None

    @property
    def usual_reason(self) -> str | None:
        """One of REASONS; None without a reason."""
        if self.reason is None:
            return "other" if self.comment else None
        return self.reason if self.reason in REASONS else "other"
