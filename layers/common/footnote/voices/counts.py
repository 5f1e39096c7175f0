"""Counts voices: over time, or by channel, product or rating."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, get_args

from footnote.voices.voice import Voice

By = Literal["day", "week", "month", "channel", "product", "rating", "theme"]
BYS: tuple[By, ...] = get_args(By)
MOST_GAPS = 400
"""Periods without voices that are listed; a longer series shows those with voices only."""


@dataclass(frozen=True, slots=True)
class Count:
    """Voices with one key: the first day of a period, a channel, a product, a whole rating. None = it is not known."""

    key: str | None
    voices: int
    rating: float | None
    """The mean; None = none of them has one."""


def count(voices: Sequence[Voice], by: By) -> list[Count]:
    """Voices by key: periods in order, with those in between that have none; ratings in order; others by size. `theme` is not counted
    here."""
    groups: dict[str | None, list[Voice]] = {}
    for voice in voices:
        groups.setdefault(KEYS[by](voice), []).append(voice)
    rows = [Count(key, len(group), mean_rating(group)) for key, group in groups.items()]
    if by in STEPS:
        return _in_order(rows, STEPS[by])
    if by == "rating":
        return sorted(rows, key=lambda row: (row.key is None, row.key or ""))
    return sorted(rows, key=lambda row: (row.key is None, -row.voices, row.key or ""))


def mean_rating(voices: Sequence[Voice]) -> float | None:
    """The mean of their ratings, to two places; None if there are none."""
    rated = [voice.rating for voice in voices if voice.rating is not None]
    return round(sum(rated) / len(rated), 2) if rated else None


def _day(voice: Voice) -> date | None:
    return None if voice.at is None else datetime.fromtimestamp(voice.at, UTC).date()


def _key_of_week(voice: Voice) -> str | None:
    day = _day(voice)
    return None if day is None else (day - timedelta(days=day.weekday())).isoformat()


def _key_of_day(voice: Voice) -> str | None:
    day = _day(voice)
    return None if day is None else day.isoformat()


def _key_of_month(voice: Voice) -> str | None:
    day = _day(voice)
    return None if day is None else day.replace(day=1).isoformat()


def _key_of_rating(voice: Voice) -> str | None:
    return None if voice.rating is None else str(int(voice.rating + 0.5))


KEYS: Mapping[By, Callable[[Voice], str | None]] = {
    "day": _key_of_day,
    "week": _key_of_week,
    "month": _key_of_month,
    "channel": lambda voice: voice.channel,
    "product": lambda voice: voice.product,
    "rating": _key_of_rating,
}
STEPS: Mapping[By, Callable[[date], date]] = {
    "day": lambda day: day + timedelta(days=1),
    "week": lambda day: day + timedelta(days=7),
    "month": lambda day: (day.replace(day=28) + timedelta(days=4)).replace(day=1),
}


def _in_order(rows: Sequence[Count], step: Callable[[date], date]) -> list[Count]:
    by_key = {row.key: row for row in rows if row.key is not None}
    ordered = [by_key[key] for key in sorted(by_key)]
    if ordered:
        filled: list[Count] = []
        at, last = date.fromisoformat(min(by_key)), date.fromisoformat(max(by_key))
        while at <= last and len(filled) <= len(ordered) + MOST_GAPS:
            filled.append(by_key.get(at.isoformat(), Count(at.isoformat(), 0, None)))
            at = step(at)
        ordered = filled if at > last else ordered
    return ordered + [row for row in rows if row.key is None]
