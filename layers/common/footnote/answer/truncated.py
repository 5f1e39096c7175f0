"""Says beside the text that a model's answer is truncated, and why."""

from __future__ import annotations

from dataclasses import replace

from footnote.types import CUT_WARNINGS, Turn


def is_truncated(turn: Turn) -> bool:
    """The model could not finish its answer."""
    return turn.answer is not None and turn.answer.cut is not None


async def warn_of_truncation(turn: Turn) -> Turn:
    """Adds the warning `cut_length`, `cut_content_filter`, `repetition` or `stopped`."""
    answer = turn.answer
    if answer is None or answer.cut is None or CUT_WARNINGS[answer.cut] in answer.warnings:
        return turn
    return replace(turn, answer=replace(answer, warnings=(*answer.warnings, CUT_WARNINGS[answer.cut])))
