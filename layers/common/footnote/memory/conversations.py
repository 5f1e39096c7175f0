"""What lasts between turns? Every turn is stored, whatever became of it."""

from __future__ import annotations

from footnote.ports import TurnStore
from footnote.types import Turn


def is_kept(turn: Turn) -> bool:
    return not turn.is_test


def needs_history(turn: Turn) -> bool:
    return turn.profile.history > 0 and turn.room_id is not None and not turn.history


async def open_turn(turn: Turn, *, turns: TurnStore) -> Turn:
    """Stores the question, so that a turn whose process dies is not lost, and has its place in its room."""
    return turn


async def load_history(turn: Turn, *, turns: TurnStore) -> Turn:
    """`turn.history`"""
    return turn


async def save_turn(turn: Turn, *, turns: TurnStore) -> Turn:
    """`turn.persisted`. A turn without an answer is stored as an error."""
    saved = turn.with_(persisted=True)
    await turns.save(saved, "done" if turn.answer is not None else "error")
    return saved
