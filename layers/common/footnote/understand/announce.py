"""Announces the queries that are searched instead of the question."""

from __future__ import annotations

from collections.abc import AsyncIterator

from footnote.events import Event, Rewritten
from footnote.types import Turn


async def announce_queries(turn: Turn) -> AsyncIterator[Event | Turn]:
    """Sends the rewritten queries as an event."""
    yield Rewritten(turn.rewritten)
    yield turn


def was_rewritten(turn: Turn) -> bool:
    """The question was rewritten."""
    return bool(turn.rewritten)
