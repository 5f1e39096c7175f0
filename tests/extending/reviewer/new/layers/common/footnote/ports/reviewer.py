"""The port of reviewers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reviewer(Protocol):
    """Reads question and passage together."""

    async def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """How well each passage answers it, 0..1; Unavailable where nobody can say."""
        ...
