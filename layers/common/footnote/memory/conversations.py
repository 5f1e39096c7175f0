"""What lasts between turns? Every turn is stored, whatever became of it."""

from __future__ import annotations

from footnote.ports import TurnStore
from footnote.types import Turn


async def save_turn(turn: Turn, *, turns: TurnStore) -> Turn:
    """`turn.persisted`. A turn without an answer is stored as an error."""
    saved = turn.with_(persisted=True)
    await turns.save(saved, "done" if turn.answer is not None else "error")
    return saved
