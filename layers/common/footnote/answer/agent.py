"""What do we say? A model that may search and call tools, round by round."""

from __future__ import annotations

from footnote.types import Turn


async def plan(turn: Turn) -> Turn:
    return turn
