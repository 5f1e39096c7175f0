"""What lasts between turns? What a question found."""

from __future__ import annotations

from footnote.types import Turn


def may_search_again(turn: Turn) -> bool:
    return turn.profile.search_cache_s > 0 and not turn.hits


async def recall_searches(turn: Turn) -> Turn:
    return turn


async def keep_searches(turn: Turn) -> Turn:
    return turn
