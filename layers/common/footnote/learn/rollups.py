"""Roll-ups: each day's tallies, stored once its turns are over, so that statistics of a year do not read a year's turns.

A day is *fresh* if its roll-ups are those of its stored turns: any later change of a turn makes it stale, until it is rolled up again.
Statistics read fresh days from their roll-ups and all other turns directly, so they are always exact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from footnote.learn.stats import figures_of, own_feedback
from footnote.ports import RolledDay, Rollup, StatisticsStore
from footnote.turn_records.days import SETTLE_S, begin_of, day_after, day_of, end_of
from footnote.turn_records.tallies import merge, over_everybody, tallies_of
from footnote.types import Caller, Tally, TurnFigures
from footnote.types.copies import replace

TRIES = 3
"""How often a day is read in a row if its turns change meanwhile; the next run continues."""


async def store_rollups(caller: Caller, now: float, *, statistics: StatisticsStore) -> dict[str, int]:
    """Rolls up today and every day that is not fresh, newest first; returns the number of roll-ups of each.

    Each day is made from its stored turns, so repeated, late, simultaneous or out-of-order runs are harmless, and a run that was
    killed is continued by the next."""
    stored: dict[str, int] = {}
    for day in await statistics.unrolled_days(caller, day_of(now)):
        for _ in range(TRIES):
            count = await _roll_up(caller, day, now, statistics)
            if count is not None:
                stored[day.day] = count
                break
            (day,) = await statistics.rolled_days(caller, day.day, day.day)
    return {day: count for day, count in stored.items() if count >= 0}


async def _roll_up(caller: Caller, day: RolledDay, now: float, statistics: StatisticsStore) -> int | None:
    """The number of roll-ups; -1 = it is not time for them; None = the day has changed meanwhile."""
    is_settled = max(end_of(day.day), day.changed_at) + SETTLE_S <= now
    if not is_settled and (day.rolled is not None or not day.whole):
        return -1
    if day.whole:
        records = await statistics.figures(caller, begin_of(day.day), end_of(day.day))
        rollups = make_rollups(records)
    elif day.rolled is not None:  # its turns are past their time: what is left of the roll-ups is the truth
        rollups = await statistics.rollups(caller, day.day)
    else:
        return -1
    tallies = tuple(merge((tally for rollup in rollups for tally in rollup.tallies), over_everybody))
    done = await statistics.put_rollups(day.day, rollups, replace(day, tallies=tallies) if is_settled else None)
    return len(rollups) if done else None


def make_rollups(records: Iterable[TurnFigures]) -> list[Rollup]:
    """The roll-ups of these turns, which are of one day."""
    groups: dict[tuple[str, str, str], list[TurnFigures]] = {}
    for record in records:
        groups.setdefault((record.user_id, record.room_id, record.search_type), []).append(record)
    return [_rollup(key, group) for key, group in groups.items()]


def _rollup(key: tuple[str, str, str], records: Sequence[TurnFigures]) -> Rollup:
    tallies = tallies_of(records)
    # Without the cost, which depends on current prices.
    figures = {name: value for name, value in asdict(figures_of(tallies)).items() if value is not None}
    llm = next((record.llm for record in reversed(records) if record.llm), None)
    return Rollup(*key, figures, llm, tuple(tallies))


async def read_tallies(
    caller: Caller, first: str, last: str, *, statistics: StatisticsStore, people: bool = False, hours: bool = False
) -> list[Tally]:
    """The tallies of the turns from `first` to `last` (days, both included): an admin gets everybody's, others their own.

    `people`: by user and room, too. `hours`: by hour instead of day; all turns are read then."""
    days = [] if hours else await statistics.rolled_days(caller, first, last)
    usable = [day for day in days if day.is_fresh or (day.rolled is not None and not day.whole)]
    sums = [day for day in usable if day.is_fresh and caller.role == "admin" and not people]
    tallies = [tally for day in sums for tally in day.tallies]
    rows = await statistics.tallies(caller, [day for day in usable if day not in sums])
    tallies += rows if caller.role == "admin" else map(own_feedback, rows)
    for since, until in _gaps(first, last, [day.day for day in usable]):
        tallies += tallies_of(await statistics.figures(caller, since, until), hours=hours)
    return tallies


def _gaps(first: str, last: str, days: Sequence[str]) -> Iterator[tuple[float, float]]:
    """The times from `first` to `last` outside these days, which are in order."""
    for day in days:
        if first < day:
            yield begin_of(first), begin_of(day)
        first = day_after(day)
    if first <= last:
        yield begin_of(first), end_of(last)
