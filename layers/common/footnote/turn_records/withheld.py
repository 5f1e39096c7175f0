"""Questions that a check refused, or could not check: nobody else ever sees them, even if they passed another time."""

from __future__ import annotations

import math

from footnote.ports import StatisticsStore
from footnote.types import Caller, Outcome

WITHHELD: tuple[Outcome, ...] = ("forbidden", "blocked")


async def withheld_questions(caller: Caller, statistics: StatisticsStore) -> list[str]:
    """Every such question among the stored turns that the caller gets: everybody's for an admin, their own for others. There is no
    limit: a question that is left out would be shown."""
    return [turn.question for turn in await statistics.ended_as(caller, WITHHELD, 0.0, math.inf, None)]
