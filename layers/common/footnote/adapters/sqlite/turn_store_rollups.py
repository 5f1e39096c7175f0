"""The roll-ups in store.db. A change of a turn and the mark on its day are one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from footnote.adapters.sqlite.database import writing
from footnote.ports import RolledDay, Rollup
from footnote.turn_records.days import DAY_S, begin_of, day_after, day_of, end_of
from footnote.turn_records.tallies import dump, load
from footnote.types import Caller, Tally


def mark_changed(connection: sqlite3.Connection, days: Iterable[str], now: float) -> None:
    """Raises the version of those of the days that are over: their roll-ups are not fresh any more."""
    connection.executemany(
        """INSERT INTO rolled_days (day, version, changed_at) VALUES (?, 1, ?)
           ON CONFLICT DO UPDATE SET version = version + 1, changed_at = excluded.changed_at""",
        [(day, now) for day in set(days) if end_of(day) <= now],
    )


def days_of(connection: sqlite3.Connection, user_id: str, room_id: str | None = None) -> list[str]:
    """The days of a user's turns and roll-ups in a room; None = in all rooms, and of the turns on which they gave feedback."""
    own = "user_id = :user" if room_id is None else "user_id = :user AND room_id = :room"
    numbers = f"SELECT DISTINCT CAST(started_at / {DAY_S} AS INTEGER) FROM turns WHERE {own}"
    if room_id is None:
        numbers += f" UNION SELECT CAST(started_at / {DAY_S} AS INTEGER) FROM turns JOIN feedback USING (trace_id) WHERE feedback.{own}"
    values = {"user": user_id, "room": room_id}
    days = {day_of(row[0] * DAY_S) for row in connection.execute(numbers, values)}
    return sorted(days.union(row[0] for row in connection.execute(f"SELECT DISTINCT day FROM rollups WHERE {own}", values)))


def put_rollups(connection: sqlite3.Connection, day: str, rollups: Sequence[Rollup], rolled: RolledDay | None) -> bool:
    """As `TurnStore.put_rollups`."""
    with writing(connection):
        if rolled is not None:
            row = connection.execute("SELECT version FROM rolled_days WHERE day = ?", (day,)).fetchone()
            if (row["version"] if row else 0) != rolled.version:
                return False
        connection.execute("DELETE FROM rollups WHERE day = ?", (day,))
        connection.executemany(
            "INSERT INTO rollups VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (day, each.user_id, each.room_id, each.search_type, json.dumps(dict(each.figures)), each.llm, _text(each.tallies))
                for each in rollups
            ],
        )
        if rolled is not None:
            connection.execute(
                """INSERT INTO rolled_days (day, rolled, tallies) VALUES (?, ?, ?)
                   ON CONFLICT DO UPDATE SET rolled = excluded.rolled, tallies = excluded.tallies""",
                (day, rolled.version, _text(rolled.tallies)),
            )
    return True


def rollups(connection: sqlite3.Connection, caller: Caller, day: str) -> list[Rollup]:
    """As `TurnStore.rollups`."""
    rows = connection.execute(
        "SELECT * FROM rollups WHERE day = ? AND (? OR user_id = ?) ORDER BY user_id, room_id, search_type",
        (day, caller.role == "admin", caller.user_id),
    )
    return [
        Rollup(row["user_id"], row["room_id"], row["search_type"], json.loads(row["figures"]), row["llm"], tuple(_tallies(row)))
        for row in rows
    ]


def rolled_days(connection: sqlite3.Connection, caller: Caller, first: str, last: str, since: float) -> list[RolledDay]:
    """As `TurnStore.rolled_days`. `since`: turns that started before are not kept."""
    everybody = caller.role == "admin"
    columns = "*" if everybody else "day, version, changed_at, rolled"
    rows = connection.execute(f"SELECT {columns} FROM rolled_days WHERE day BETWEEN ? AND ? ORDER BY day", (first, last))
    return [
        RolledDay(
            row["day"],
            row["version"],
            row["changed_at"],
            row["rolled"],
            begin_of(row["day"]) >= since,
            tuple(load(json.loads(row["tallies"]), row["day"], None, None, None)) if everybody else (),
        )
        for row in rows
    ]


def unrolled_days(connection: sqlite3.Connection, last: str, since: float) -> list[RolledDay]:
    """As `TurnStore.unrolled_days`."""
    rows = connection.execute("SELECT day, version, changed_at, rolled FROM rolled_days WHERE day <= ?", (last,))
    known = {
        row["day"]: RolledDay(row["day"], row["version"], row["changed_at"], row["rolled"], begin_of(row["day"]) >= since) for row in rows
    }
    for day in _days_with_turns(connection, since, end_of(last)):
        known.setdefault(day, RolledDay(day, whole=begin_of(day) >= since))
    return sorted((each for each in known.values() if not each.is_fresh), key=lambda each: each.day, reverse=True)


def _days_with_turns(connection: sqlite3.Connection, since: float, until: float) -> list[str]:
    """From turn to first turn of a later day, by the index."""
    days: list[str] = []
    while True:
        at = connection.execute("SELECT min(started_at) FROM turns WHERE started_at >= ? AND started_at < ?", (since, until)).fetchone()[0]
        if at is None:
            return days
        days.append(day_of(at))
        since = begin_of(day_after(days[-1]))


def tallies(connection: sqlite3.Connection, caller: Caller, days: Sequence[RolledDay]) -> list[Tally]:
    """As `TurnStore.tallies`."""
    if not days:
        return []
    wanted, everybody = {each.day for each in days}, caller.role == "admin"
    rows = connection.execute(
        f"SELECT * FROM rollups WHERE {'' if everybody else 'user_id = :user AND '}day BETWEEN :first AND :last ORDER BY day",
        {"user": caller.user_id, "first": min(wanted), "last": max(wanted)},
    )
    return [tally for row in rows if row["day"] in wanted for tally in _tallies(row)]


def _tallies(row: sqlite3.Row) -> list[Tally]:
    return load(json.loads(row["tallies"]), row["day"], row["user_id"], row["room_id"], row["search_type"])


def _text(tallies: Iterable[Tally]) -> str:
    return json.dumps(dump(tallies), separators=(",", ":"))
