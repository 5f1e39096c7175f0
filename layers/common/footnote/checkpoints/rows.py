"""The first and the last step of a turn with a checkpoint."""

from __future__ import annotations

from dataclasses import replace

from footnote.checkpoints.turn_checkpoint import TurnCheckpoint
from footnote.types import Turn


async def resume(turn: Turn, *, checkpoint: TurnCheckpoint | None) -> Turn:
    """Holds the lease and records the calls that were interrupted when a process died. A turn that replays replies does not read
    the answer cache: it may have stored the answer there itself, and its tokens would not be counted."""
    if checkpoint is None:
        return turn
    checkpoint.hold()
    turn = replace(turn, record=replace(turn.record, calls=(*turn.record.calls, *checkpoint.cut_off())))
    if not checkpoint.replays_replies:
        return turn
    return replace(turn, plan=turn.plan.without("answer_cache", "the request goes on where it was cut off"))


async def release(turn: Turn, *, checkpoint: TurnCheckpoint | None) -> Turn:
    """Finishes the request. If the turn failed, was stopped or could not be stored, repeating the request resumes it."""
    if checkpoint is not None:
        await checkpoint.release(finished=turn.record.persisted and not turn.broke_off)
    return turn
