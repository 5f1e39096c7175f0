"""What lasts between turns? Answers, for those who may read all that they cite."""

from __future__ import annotations

from footnote.types import Turn


def may_answer_again(turn: Turn) -> bool:
    return turn.profile.answer_cache_s > 0


async def find_answer(turn: Turn) -> Turn:
    return turn


async def keep_answer(turn: Turn) -> Turn:
    return turn
