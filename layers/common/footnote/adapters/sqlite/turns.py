"""Turns in store.db: one row for each, its record as JSON."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Sequence

from footnote.adapters.shared.turns import NO_ROOM, NO_TURN, TAKEN, Retention, page_of, read_in_batches
from footnote.adapters.sqlite.database import Database, writing
from footnote.adapters.sqlite.statistics import count_turn
from footnote.adapters.sqlite.turn_rows import days_of, load_turn, mark_changed, read_feedback
from footnote.errors import Conflict, NotFound
from footnote.ports import Clock, Room, StoredTurn
from footnote.turn_records.days import day_of
from footnote.turn_records.read import started_at_of, title_of
from footnote.types import Caller, Mode, Page, TurnRecord

FORGOTTEN = 20
"""Turns past their time that are deleted with each one that ends."""


class SqliteTurnStore:
    """`ports.TurnStore` on SQLite. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, database: Database, clock: Clock, *, keep_s: float | None = None) -> None:
        self._database = database
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def save(self, record: TurnRecord) -> None:
        """A turn keeps the place that it had when it began; a record of its beginning that arrives late changes nothing."""
        await self._database.write(_save, record, self._clock(), self._retention.since)

    async def get(self, caller: Caller, trace_id: str) -> TurnRecord:
        kept = (trace_id, self._retention.since)

        def get(connection: sqlite3.Connection) -> TurnRecord:
            row = connection.execute("SELECT user_id, block FROM turns WHERE trace_id = ? AND started_at >= ?", kept).fetchone()
            if row is None or not (caller.sees_all or row["user_id"] == caller.user_id):
                raise NotFound(NO_TURN)
            return load_turn(row)

        return await self._database.run(get)

    async def history(
        self,
        caller: Caller,
        room_id: str,
        dialect: str,
        limit: int,
        *,
        mode: Mode = "rag",
        classes: frozenset[str] = frozenset(),
        before: str | None = None,
    ) -> list[TurnRecord]:
        """By user even for a caller who sees all: two people may use the same room id."""
        values = {
            **self._in_room(caller, room_id),
            "dialect": dialect,
            "mode": mode,
            "classes": json.dumps(sorted(classes)),
            "limit": max(limit, 0),
            "before": before,
        }

        def history(connection: sqlite3.Connection) -> list[TurnRecord]:
            rows = connection.execute(
                """SELECT block FROM turns WHERE user_id = :user AND room_id = :room AND dialect = :dialect AND status = 'done'
                      AND started_at >= :since AND json_extract(block, '$.search_type') = :mode
                      AND (:classes = '[]' OR EXISTS (SELECT 1 FROM json_each(block, '$.block_classes') AS has
                         JOIN json_each(:classes) AS wanted ON has.value = wanted.value))
                      AND NOT EXISTS (SELECT 1 FROM turns AS own WHERE own.trace_id = :before
                         AND (own.started_at, own.number) <= (turns.started_at, turns.number))
                   ORDER BY started_at DESC, number DESC LIMIT :limit""",
                values,
            ).fetchall()
            return [load_turn(row) for row in reversed(rows)]

        return await self._database.run(history)

    async def room_prompt(self, caller: Caller, room_id: str, dialect: str, name: str) -> str | None:
        query = """SELECT json_extract(said.value, '$.content') FROM turns JOIN json_each(block, '$.conversations') AS said
            WHERE user_id = :user AND room_id = :room AND dialect = :dialect AND started_at >= :since
               AND json_extract(said.value, '$.role') = 'system' AND json_extract(said.value, '$.name') = :name
            ORDER BY started_at, number LIMIT 1"""
        values = {**self._in_room(caller, room_id), "dialect": dialect, "name": name}
        row = await self._database.run(lambda connection: connection.execute(query, values).fetchone())
        return None if row is None else str(row[0])

    async def tokens(self, caller: Caller, room_id: str) -> int:
        query = """SELECT coalesce(sum(json_extract(block, '$.result.usage.total_tokens')), 0) FROM turns
            WHERE user_id = :user AND room_id = :room AND started_at >= :since"""
        values = self._in_room(caller, room_id)
        return await self._database.run(lambda connection: int(connection.execute(query, values).fetchone()[0]))

    async def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        query = "SELECT number FROM turns WHERE user_id = ? AND started_at >= ? ORDER BY started_at, number"
        own = (caller.user_id, self._retention.since)
        numbers = await self._database.run(lambda connection: [int(row[0]) for row in connection.execute(query, own)])
        async for stored in read_in_batches(numbers, lambda some: self._database.run(_read, caller.user_id, some)):
            yield stored

    async def delete_all_of(self, caller: Caller) -> int:
        now, since, user_id = self._clock(), self._retention.since, caller.user_id

        def delete(connection: sqlite3.Connection) -> int:
            with writing(connection):
                mark_changed(connection, days_of(connection, user_id), now)
                (turns,) = connection.execute(
                    "SELECT count(*) FROM turns WHERE user_id = ? AND started_at >= ?", (user_id, since)
                ).fetchone()
                _delete_shares(connection, user_id)
                for table in ("turns", "feedback", "rollups"):
                    connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,))
            return int(turns)

        return await self._database.run(delete)

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        limit, values = max(limit, 1), self._in_room(caller, after)

        def rooms(connection: sqlite3.Connection) -> Page[Room]:
            last = None
            if after is not None:
                last = connection.execute(
                    "SELECT max(started_at) FROM turns WHERE user_id = :user AND room_id = :room AND started_at >= :since", values
                ).fetchone()[0]
                if last is None:
                    raise NotFound(NO_ROOM)
            # Every turn has a room; one that was given none has its trace's name. The index holds all that the inner part reads.
            found = connection.execute(
                """SELECT *, (SELECT block FROM turns WHERE user_id = :user AND room_id = named AND started_at >= :since
                              ORDER BY started_at, number LIMIT 1) AS block
                   FROM (SELECT room_id AS named, count(*) AS turns, max(started_at) AS updated_at FROM turns
                         WHERE user_id = :user AND started_at >= :since
                         GROUP BY room_id HAVING max(room_id <> trace_id)
                            AND (:last IS NULL OR updated_at < :last OR (updated_at = :last AND room_id > :room))
                         ORDER BY updated_at DESC, room_id LIMIT :limit)
                   ORDER BY updated_at DESC, named""",
                {**values, "last": last, "limit": limit + 1},
            ).fetchall()
            return page_of(
                found,
                limit,
                lambda row: Room(row["named"], title_of(load_turn(row)), row["turns"], row["updated_at"]),
                lambda row: str(row["named"]),
            )

        return await self._database.run(rooms)

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        limit, values = max(limit, 1), {**self._in_room(caller, room_id), "after": after}
        in_room = "FROM turns WHERE user_id = :user AND room_id = :room AND started_at >= :since"

        def room(connection: sqlite3.Connection) -> Page[StoredTurn]:
            last = connection.execute(
                f"SELECT started_at, number {in_room} AND trace_id = coalesce(:after, trace_id) LIMIT 1", values
            ).fetchone()
            if last is None:
                raise NotFound(NO_ROOM)
            found = connection.execute(
                f"""SELECT trace_id, block {in_room} AND (:after IS NULL OR (started_at, number) > (:at, :number))
                    ORDER BY started_at, number LIMIT :limit""",
                {**values, "at": last["started_at"], "number": last["number"], "limit": limit + 1},
            ).fetchall()
            return page_of(found, limit, lambda row: _load(connection, caller.user_id, row), lambda row: str(row["trace_id"]))

        return await self._database.run(room)

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        now, values = self._clock(), self._in_room(caller, room_id)

        def delete(connection: sqlite3.Connection) -> int:
            with writing(connection):
                mark_changed(connection, days_of(connection, caller.user_id, room_id), now)
                _delete_shares(connection, caller.user_id, room_id)
                connection.execute("DELETE FROM rollups WHERE user_id = :user AND room_id = :room", values)
                return connection.execute(
                    "DELETE FROM turns WHERE user_id = :user AND room_id = :room AND started_at >= :since", values
                ).rowcount

        return await self._database.run(delete)

    def _in_room(self, caller: Caller, room_id: str | None) -> dict[str, str | float | None]:
        """The values of a query for the caller's turns of a room."""
        return {"user": caller.user_id, "room": room_id, "since": self._retention.since}


def _save(connection: sqlite3.Connection, record: TurnRecord, now: float, since: float) -> None:
    row = connection.execute(
        """INSERT INTO turns (trace_id, user_id, room_id, dialect, status, started_at, block, counted)
           VALUES (:trace_id, :user_id, :room_id, :dialect, :status, :started_at, :block, :is_over)
           ON CONFLICT (trace_id) DO UPDATE SET room_id = excluded.room_id, dialect = excluded.dialect,
               status = iif(:is_over, excluded.status, turns.status), block = iif(:is_over, excluded.block, turns.block),
               counted = turns.counted + :is_over
           WHERE turns.user_id = excluded.user_id
           RETURNING started_at, counted""",
        {
            **{name: record[name] for name in ("trace_id", "user_id", "room_id", "dialect", "status")},
            "started_at": started_at_of(record),
            "block": _text(record),
            "is_over": record["status"] != "idle",
        },
    ).fetchone()
    if row is None:
        raise Conflict(TAKEN)
    days = [day_of(row["started_at"])]
    if record["status"] != "idle":
        if row["counted"] == 1:
            days.append(count_turn(connection, record))
        _forget(connection, since)
    mark_changed(connection, days, now)


def _forget(connection: sqlite3.Connection, since: float) -> None:
    """Deletes some of the turns past their time."""
    if since > 0:
        connection.execute(
            "DELETE FROM turns WHERE number IN (SELECT number FROM turns WHERE started_at < ? ORDER BY started_at LIMIT ?)",
            (since, FORGOTTEN),
        )


def _text(record: TurnRecord) -> str:
    # A span's detail may hold a library's number type; better its text than a lost turn.
    return json.dumps(record, default=str)


def _load(connection: sqlite3.Connection, user_id: str, row: sqlite3.Row) -> StoredTurn:
    return StoredTurn(load_turn(row), read_feedback(connection, user_id, row["trace_id"]))


def _read(connection: sqlite3.Connection, user_id: str, numbers: Sequence[int]) -> list[StoredTurn]:
    """The turns with these numbers, in their order."""
    rows = (connection.execute("SELECT trace_id, block FROM turns WHERE number = ?", (number,)).fetchone() for number in numbers)
    return [_load(connection, user_id, row) for row in rows if row is not None]


def _delete_shares(connection: sqlite3.Connection, user_id: str, room_id: str | None = None) -> None:
    """Deletes the records of the user's links, to one room or to all, in the transaction that deletes the turns."""
    connection.execute(
        """UPDATE records SET value = NULL, version = version + 1
           WHERE kind = 'share' AND json_extract(value, '$.user_id') = :user
              AND (:room IS NULL OR json_extract(value, '$.room_id') = :room)""",
        {"user": user_id, "room": room_id},
    )
