"""Questions that were not answered: those that ask the same are one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.ports import TurnStore
from footnote.text.agreement import readings
from footnote.types import Caller, Outcome, TurnFigures

UNANSWERED: tuple[Outcome, ...] = ("no_hits", "closest", "refused")
WITHHELD: tuple[Outcome, ...] = ("forbidden", "blocked")
"""A question that a check refused, or could not check, is shown to nobody, even if it was let through another time."""
MOST_TURNS = 2_000
"""Turns that are looked at, the newest."""
MOST_QUESTIONS = 100


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Questions that ask the same. `question`: as it was worded last."""

    question: str
    lang: str
    turns: tuple[TurnFigures, ...]
    """Newest first."""


async def unanswered_questions(
    caller: Caller, since: float, until: float, *, turns: TurnStore, wanted: Callable[[TurnFigures], bool] = lambda _: True
) -> list[Unanswered]:
    """The questions of turns in [since, until) that showed the closest passages or nothing, the most frequent first, at most
    MOST_QUESTIONS."""
    asked = await turns.ended_as(caller, UNANSWERED, since, until, MOST_TURNS)
    withheld = {reading for each in await turns.ended_as(caller, WITHHELD, 0.0, math.inf, MOST_TURNS) for reading in _readings(each)}
    groups = _group([each for each in asked if wanted(each) and withheld.isdisjoint(_readings(each))])
    found = [Unanswered(group[0].question, group[0].lang, tuple(group)) for group in groups]
    return sorted(found, key=lambda each: (-len(each.turns), -each.turns[0].started_at))[:MOST_QUESTIONS]


def _group(records: Sequence[TurnFigures]) -> list[list[TurnFigures]]:
    groups: list[list[TurnFigures]] = []
    known: dict[tuple[str, str], list[TurnFigures]] = {}
    for record in records:
        own = _readings(record)
        group = next((known[reading] for reading in own if reading in known), None)
        if group is None:
            groups.append(group := [])
        group.append(record)
        known |= dict.fromkeys(own, group)
    return groups


def _readings(record: TurnFigures) -> list[tuple[str, str]]:
    return [(record.lang, reading) for reading in readings(record.question, record.lang)]
