"""The figures of turns, and the roll-ups of days that are made from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from footnote.types import Caller, Outcome, Tally, TurnFigures, TurnMetrics


@dataclass(frozen=True, slots=True)
class Rollup:
    """The figures of one user, room and search type on one day, by name, and the tallies that add up. `llm`: of the last turn that
    used one."""

    user_id: str
    room_id: str
    search_type: str
    figures: Mapping[str, float]
    llm: str | None = None
    tallies: tuple[Tally, ...] = ()
    """Empty: turns were counted, but not rolled up yet."""


@dataclass(frozen=True, slots=True)
class RolledDay:
    """A day (YYYY-MM-DD, UTC), and what its roll-ups are made from."""

    day: str
    version: int = 0
    """Raised by each change of a turn, or of feedback on it, that comes after the turn's day was over."""
    changed_at: float = 0.0
    """When `version` was raised last."""
    rolled: int | None = None
    """The version from which the roll-ups are made; None = they are not made, or the day was not over."""
    whole: bool = True
    """Whether all turns of the day are still kept. Otherwise the roll-ups are what is left of it."""
    tallies: tuple[Tally, ...] = ()
    """The sums over all users and rooms; for admins only."""

    @property
    def is_fresh(self) -> bool:
        """Whether the roll-ups are those of the stored turns."""
        return self.rolled == self.version


class StatisticsStore(Protocol):
    """Figures of stored turns, and roll-ups of days. A user's or a room's roll-ups end with its turns."""

    async def figures(self, caller: Caller, since: float, until: float) -> list[TurnFigures]:
        """Turns that started in [since, until) and are over, oldest first. An admin gets everybody's turns, with all feedback on
        them; others get their own turns and feedback."""

    async def ended_as(
        self, caller: Caller, outcomes: Collection[Outcome], since: float, until: float, limit: int | None
    ) -> list[TurnFigures]:
        """Turns with these outcomes that started in [since, until), newest first, at most `limit`, None = all, without feedback. An
        admin gets everybody's, others their own."""

    async def put_rollups(self, day: str, rollups: Sequence[Rollup], rolled: RolledDay | None = None) -> bool:
        """Replaces all roll-ups of a day (YYYY-MM-DD, UTC). `rolled`: the day as it was before its turns were read, with the sums
        over everybody; None = the day is not over. Returns False if the day has changed since: its turns have to be read again.
        Cut off at any point, it leaves a day that is not fresh."""

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        """A day's roll-ups by user, room and search type; an admin gets everybody's."""

    async def rolled_days(self, caller: Caller, first: str, last: str) -> list[RolledDay]:
        """The days from `first` to `last` that were rolled up or changed, in order. Others than admins get them without tallies."""

    async def unrolled_days(self, caller: Caller, last: str) -> list[RolledDay]:
        """The days up to `last` that have turns or were changed, and are not fresh, newest first; without tallies."""

    async def tallies(self, caller: Caller, days: Sequence[RolledDay]) -> list[Tally]:
        """The tallies in the roll-ups of these days, by user and room; an admin gets everybody's. A fresh day's are those of its
        stored turns."""


class Meter(Protocol):
    """Counts and measures turns."""

    def measure(self, turn: TurnMetrics) -> None:
        """Counts a turn that has ended, with or without an answer."""
