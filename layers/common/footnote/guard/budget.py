"""What may this user still spend today?"""

from __future__ import annotations

from footnote.types import Turn


def spends(turn: Turn) -> bool:
    return not turn.is_test


async def check_budget(turn: Turn) -> Turn:
    return turn


async def spend(turn: Turn) -> Turn:
    return turn
