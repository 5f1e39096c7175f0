"""What is asked? Typos and unclear wording are mended before the search."""

from __future__ import annotations

from footnote.types import Turn


def may_reformulate(turn: Turn) -> bool:
    return turn.profile.reformulate and turn.model is not None


async def reformulate(turn: Turn) -> Turn:
    return turn
