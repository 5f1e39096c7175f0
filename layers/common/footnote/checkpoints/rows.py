"""The first and the last row of a turn that has a checkpoint."""

from __future__ import annotations

from dataclasses import replace

from footnote.checkpoints.turn_checkpoint import TurnCheckpoint
from footnote.types import Turn


async def resume(turn: Turn, *, checkpoint: TurnCheckpoint | None) -> Turn:
    """Holds the lease, and counts calls that were cut off when a process died. A turn that replays replies does not look for its
    answer in the cache: it may have put it there itself, and what it cost would not be counted."""
    if checkpoint is None:
        return turn
    checkpoint.hold()
    turn = replace(turn, record=replace(turn.record, calls=(*turn.record.calls, *checkpoint.cut_off())))
    if not checkpoint.replays_replies:
        return turn
    return replace(turn, plan=turn.plan.without("answer_cache", "the request goes on where it was cut off"))


async def release(turn: Turn, *, checkpoint: TurnCheckpoint | None) -> Turn:
    """Finishes the request. One that failed, or whose turn could not be stored, goes on when it is asked again."""
    if checkpoint is not None:
        await checkpoint.release(finished=turn.record.persisted and turn.record.partial is None)
    return turn
