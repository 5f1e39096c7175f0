"""What is asked? A follow-up becomes a question that stands alone."""

from __future__ import annotations

from footnote.types import Turn


def may_rewrite(turn: Turn) -> bool:
    return bool(turn.history)


async def rewrite(turn: Turn) -> Turn:
    return turn
