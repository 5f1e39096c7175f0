"""Is what we say supported? Each claim against the passage that it cites."""

from __future__ import annotations

from footnote.types import Turn


def has_sources(turn: Turn) -> bool:
    return turn.answer is not None and bool(turn.answer.citations) and not turn.answer.extractive


async def check_support(turn: Turn) -> Turn:
    return turn
