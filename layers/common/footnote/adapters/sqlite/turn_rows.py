"""The rows of turns and feedback in store.db: how they are read, and what a change of them does to their day."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from footnote.turn_records.days import DAY_S, day_of, end_of
from footnote.types import Feedback, TurnRecord


def load_turn(row: sqlite3.Row) -> TurnRecord:
    """The record in a row's column `block`."""
    record: TurnRecord = json.loads(row["block"])
    return record


def load_feedback(row: sqlite3.Row) -> Feedback:
    """The feedback in a row."""
    values = {name: row[name] for name in row.keys() if name != "block"}  # noqa: SIM118
    values["selected_citations"] = tuple(json.loads(row["selected_citations"]))
    values["tags"] = tuple(json.loads(row["tags"]))
    return Feedback(**values)


def read_feedback(connection: sqlite3.Connection, user_id: str, trace_id: str) -> Feedback | None:
    """The user's feedback on a turn, however old the turn is."""
    row = connection.execute("SELECT * FROM feedback WHERE trace_id = ? AND user_id = ?", (trace_id, user_id)).fetchone()
    return None if row is None else load_feedback(row)


def day_of_turn(connection: sqlite3.Connection, trace_id: str) -> list[str]:
    """The day of a stored turn; [] = it is not stored."""
    return [day_of(row["started_at"]) for row in connection.execute("SELECT started_at FROM turns WHERE trace_id = ?", (trace_id,))]


def days_of(connection: sqlite3.Connection, user_id: str, room_id: str | None = None) -> list[str]:
    """The days of a user's turns and roll-ups in a room; None = in all rooms, and of the turns on which they gave feedback."""
    own = "user_id = :user" if room_id is None else "user_id = :user AND room_id = :room"
    numbers = f"SELECT DISTINCT CAST(started_at / {DAY_S} AS INTEGER) FROM turns WHERE {own}"
    if room_id is None:
        numbers += f" UNION SELECT CAST(started_at / {DAY_S} AS INTEGER) FROM turns JOIN feedback USING (trace_id) WHERE feedback.{own}"
    values = {"user": user_id, "room": room_id}
    days = {day_of(row[0] * DAY_S) for row in connection.execute(numbers, values)}
    return sorted(days.union(row[0] for row in connection.execute(f"SELECT DISTINCT day FROM rollups WHERE {own}", values)))


def mark_changed(connection: sqlite3.Connection, days: Iterable[str], now: float) -> None:
    """Raises the version of those of the days that are over: their roll-ups are not fresh any more."""
    connection.executemany(
        """INSERT INTO rolled_days (day, version, changed_at) VALUES (?, 1, ?)
           ON CONFLICT DO UPDATE SET version = version + 1, changed_at = excluded.changed_at""",
        [(day, now) for day in set(days) if end_of(day) <= now],
    )
