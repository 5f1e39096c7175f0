"""Days of turns, in UTC, as YYYY-MM-DD."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

DAY_S = 86_400.0
SETTLE_S = 120.0
"""Longer than a write to a store takes, and than clocks of processes differ. Newer changes may not be there yet, so nothing permanent is
made from them."""


def day_of(at: float) -> str:
    """The day of a time in seconds since the epoch."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def begin_of(day: str) -> float:
    """When a day begins, in seconds since the epoch."""
    return datetime.combine(date.fromisoformat(day), time.min, UTC).timestamp()


def end_of(day: str) -> float:
    """When a day ends, in seconds since the epoch."""
    return begin_of(day) + DAY_S


def day_after(day: str) -> str:
    """The next day."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
