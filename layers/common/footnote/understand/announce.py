"""What is asked? Whoever asked is told what is searched for in place of the question."""

from __future__ import annotations

from collections.abc import AsyncIterator

from footnote.events import Event, Rewritten
from footnote.types import Turn


async def announce_queries(turn: Turn) -> AsyncIterator[Event | Turn]:
    yield Rewritten(turn.rewritten)
    yield turn


def was_rewritten(turn: Turn) -> bool:
    """The question was reworded."""
    return bool(turn.rewritten)
