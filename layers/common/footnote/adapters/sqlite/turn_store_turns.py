"""Turns in store.db. `since`: turns that started before are as good as deleted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from footnote.adapters.shared.turns import NO_ROOM, NO_TURN, TAKEN, page_of
from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.turn_store_feedback import day_of_turn, load_turn, read_feedback
from footnote.adapters.sqlite.turn_store_rollups import days_of, mark_changed
from footnote.adapters.sqlite.turn_store_shares import delete_shares
from footnote.errors import Conflict, NotFound
from footnote.ports import Room, StoredTurn
from footnote.turn_records.read import started_at_of, title_of, trimmed
from footnote.types import Caller, Mode, Page, TurnRecord

FORGOTTEN = 20
"""Turns past their time that are deleted with each one that is saved."""


def save(connection: sqlite3.Connection, record: TurnRecord, since: float, now: float) -> None:
    """A turn keeps the place that it had when it began; a record of its beginning that arrives late changes nothing."""
    with writing(connection):
        connection.execute(
            "DELETE FROM turns WHERE number IN (SELECT number FROM turns WHERE started_at < ? ORDER BY started_at LIMIT ?)",
            (since, FORGOTTEN),
        )
        written = connection.execute(
            """INSERT INTO turns (trace_id, user_id, room_id, dialect, status, started_at, block) VALUES (?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (trace_id) DO UPDATE SET room_id = excluded.room_id, dialect = excluded.dialect,
                   status = iif(excluded.status = 'idle', turns.status, excluded.status),
                   block = iif(excluded.status = 'idle', turns.block, excluded.block)
               WHERE turns.user_id = excluded.user_id""",
            (
                *(record["trace_id"], record["user_id"], record["room_id"], record["dialect"], record["status"]),
                *(started_at_of(record), _text(record)),
            ),
        ).rowcount
        if not written:
            raise Conflict(TAKEN)
        mark_changed(connection, day_of_turn(connection, record["trace_id"]), now)


def _text(record: TurnRecord) -> str:
    # A span's detail may hold a library's number type; better its text than a lost turn.
    return json.dumps(record, default=str)


def get(connection: sqlite3.Connection, caller: Caller, trace_id: str, since: float) -> TurnRecord:
    """As `TurnStore.get`."""
    row: sqlite3.Row | None = connection.execute(
        "SELECT user_id, block FROM turns WHERE trace_id = ? AND started_at >= ?", (trace_id, since)
    ).fetchone()
    if row is None or not (caller.sees_all or row["user_id"] == caller.user_id):
        raise NotFound(NO_TURN)
    return load_turn(row)


def trim(connection: sqlite3.Connection, user_id: str, trace_id: str) -> None:
    """As `TurnStore.trim`."""
    with writing(connection):
        row = connection.execute("SELECT block FROM turns WHERE trace_id = ? AND user_id = ?", (trace_id, user_id)).fetchone()
        if row is not None:
            record = load_turn(row)
            record["conversations"] = trimmed(record["conversations"])
            connection.execute("UPDATE turns SET block = ? WHERE trace_id = ?", (_text(record), trace_id))


def history(
    connection: sqlite3.Connection,
    user_id: str,
    room_id: str,
    dialect: str,
    mode: Mode,
    classes: frozenset[str],
    limit: int,
    since: float,
    before: str | None,
) -> list[TurnRecord]:
    """By user even for a caller who sees all: two people may use the same room id."""
    rows = connection.execute(
        """SELECT block FROM turns WHERE user_id = :user AND room_id = :room AND dialect = :dialect AND status = 'done'
              AND started_at >= :since AND json_extract(block, '$.search_type') = :mode
              AND (:classes = '[]' OR EXISTS (
                 SELECT 1 FROM json_each(block, '$.block_classes') AS has JOIN json_each(:classes) AS wanted ON has.value = wanted.value))
              AND NOT EXISTS (SELECT 1 FROM turns AS own WHERE own.trace_id = :before
                 AND (own.started_at, own.number) <= (turns.started_at, turns.number))
           ORDER BY started_at DESC, number DESC LIMIT :limit""",
        {"user": user_id, "room": room_id, "dialect": dialect, "mode": mode, "classes": json.dumps(sorted(classes)), "limit": limit,
         "since": since, "before": before},
    ).fetchall()  # fmt: skip
    return [load_turn(row) for row in reversed(rows)]


def room_prompt(connection: sqlite3.Connection, user_id: str, room_id: str, dialect: str, name: str, since: float) -> str | None:
    """As `TurnStore.room_prompt`."""
    row = connection.execute(
        """SELECT json_extract(said.value, '$.content') FROM turns JOIN json_each(block, '$.conversations') AS said
           WHERE user_id = ? AND room_id = ? AND dialect = ? AND started_at >= ?
              AND json_extract(said.value, '$.role') = 'system' AND json_extract(said.value, '$.name') = ?
           ORDER BY started_at, number LIMIT 1""",
        (user_id, room_id, dialect, since, name),
    ).fetchone()
    return None if row is None else str(row[0])


def tokens(connection: sqlite3.Connection, user_id: str, room_id: str, since: float) -> int:
    """As `TurnStore.tokens`."""
    return int(
        connection.execute(
            """SELECT coalesce(sum(json_extract(block, '$.result.usage.total_tokens')), 0) FROM turns
               WHERE user_id = ? AND room_id = ? AND started_at >= ?""",
            (user_id, room_id, since),
        ).fetchone()[0]
    )


def numbers_of(connection: sqlite3.Connection, user_id: str, since: float) -> list[int]:
    """Of a user's turns, oldest first."""
    rows = connection.execute(
        "SELECT number FROM turns WHERE user_id = ? AND started_at >= ? ORDER BY started_at, number", (user_id, since)
    )
    return [row["number"] for row in rows]


def read(connection: sqlite3.Connection, user_id: str, numbers: Sequence[int]) -> list[StoredTurn]:
    """The turns with these numbers, in their order."""
    rows = (connection.execute("SELECT trace_id, block FROM turns WHERE number = ?", (number,)).fetchone() for number in numbers)
    return [StoredTurn(load_turn(row), read_feedback(connection, user_id, row["trace_id"])) for row in rows if row is not None]


def delete_all_of(connection: sqlite3.Connection, user_id: str, since: float, now: float) -> int:
    """As `TurnStore.delete_all_of`."""
    with writing(connection):
        mark_changed(connection, days_of(connection, user_id), now)
        (turns,) = connection.execute("SELECT count(*) FROM turns WHERE user_id = ? AND started_at >= ?", (user_id, since)).fetchone()
        delete_shares(connection, user_id)
        for table in ("turns", "feedback", "rollups"):
            connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,))
    return int(turns)


# --- conversations -----------------------------------------------------------------------------------


def rooms(connection: sqlite3.Connection, user_id: str, limit: int, after: str | None, since: float) -> Page[Room]:
    """As `TurnStore.rooms`."""
    last = None
    if after is not None:
        last = connection.execute(
            "SELECT max(started_at) FROM turns WHERE user_id = ? AND room_id = ? AND started_at >= ?", (user_id, after, since)
        ).fetchone()[0]
        if last is None:
            raise NotFound(NO_ROOM)
    # Every turn has a room; one that was given none has its trace's name. The index holds all that the inner part reads.
    found = connection.execute(
        """SELECT *, (SELECT block FROM turns WHERE user_id = :user AND room_id = room AND started_at >= :since
                      ORDER BY started_at, number LIMIT 1) AS block
           FROM (SELECT room_id AS room, count(*) AS turns, max(started_at) AS updated_at FROM turns
                 WHERE user_id = :user AND started_at >= :since
                 GROUP BY room_id HAVING max(room_id <> trace_id)
                    AND (:last IS NULL OR updated_at < :last OR (updated_at = :last AND room_id > :after))
                 ORDER BY updated_at DESC, room_id LIMIT :limit)
           ORDER BY updated_at DESC, room""",
        {"user": user_id, "since": since, "last": last, "after": after, "limit": limit + 1},
    ).fetchall()

    def load(row: sqlite3.Row) -> Room:
        return Room(row["room"], title_of(load_turn(row)), row["turns"], row["updated_at"])

    return page_of(found, limit, load, lambda row: str(row["room"]))


def room(connection: sqlite3.Connection, user_id: str, room_id: str, limit: int, after: str | None, since: float) -> Page[StoredTurn]:
    """As `TurnStore.room`."""
    last = connection.execute(
        """SELECT started_at, number FROM turns WHERE user_id = ? AND room_id = ? AND started_at >= ? AND trace_id = coalesce(?, trace_id)
           LIMIT 1""",
        (user_id, room_id, since, after),
    ).fetchone()
    if last is None:
        raise NotFound(NO_ROOM)
    found = connection.execute(
        """SELECT trace_id, block FROM turns WHERE user_id = ? AND room_id = ? AND started_at >= ?
              AND (? IS NULL OR (started_at, number) > (?, ?)) ORDER BY started_at, number LIMIT ?""",
        (user_id, room_id, since, after, *last, limit + 1),
    ).fetchall()

    def load(row: sqlite3.Row) -> StoredTurn:
        return StoredTurn(load_turn(row), read_feedback(connection, user_id, row["trace_id"]))

    return page_of(found, limit, load, lambda row: str(row["trace_id"]))


def delete_room(connection: sqlite3.Connection, user_id: str, room_id: str, since: float, now: float) -> int:
    """As `TurnStore.delete_room`."""
    with writing(connection):
        mark_changed(connection, days_of(connection, user_id, room_id), now)
        delete_shares(connection, user_id, room_id)
        connection.execute("DELETE FROM rollups WHERE user_id = ? AND room_id = ?", (user_id, room_id))
        return connection.execute(
            "DELETE FROM turns WHERE user_id = ? AND room_id = ? AND started_at >= ?", (user_id, room_id, since)
        ).rowcount
