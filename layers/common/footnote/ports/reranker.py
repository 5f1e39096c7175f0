"""Rerankers: models that read a question and a passage together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores texts for a question."""

    async def rerank(self, query: str, texts: Sequence[str]) -> Mapping[int, float]:
        """Position in `texts` → score 0..1, higher = better; texts that the model did not score are missing. Scores of different
        models cannot be compared. Unavailable if there is no usable reply in time."""

    async def close(self) -> None:
        """Closes connections."""
