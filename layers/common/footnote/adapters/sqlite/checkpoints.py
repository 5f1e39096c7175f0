"""Checkpoints in checkpoints.db, a file of its own: losing it costs a model call, so its commits need not wait for the disk."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from footnote.adapters.sqlite.database import DELETE, Database, writing
from footnote.errors import BadRequest, Conflict, StillRunning
from footnote.ports import CHECKPOINTS_KEPT_S, OTHER_BODY, TAKEN_OVER, Checkpoint, Clock, RequestKey

VERSION = 1
SCHEMA = """
CREATE TABLE requests (
    number INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    key TEXT NOT NULL,
    body TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    room_id TEXT NOT NULL,
    owner TEXT,
    lease_until REAL NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0,
    marks TEXT NOT NULL DEFAULT '{}',
    started_at REAL NOT NULL,
    UNIQUE (user_id, key)
);
CREATE INDEX requests_by_age ON requests (started_at);
CREATE TABLE entries (
    request INTEGER NOT NULL REFERENCES requests ON DELETE CASCADE,
    entry TEXT NOT NULL
);
CREATE INDEX entries_by_request ON entries (request);
"""


def open_checkpoints(folder: Path) -> Database:
    """The file in a data folder, made when it is first used."""
    return Database(folder / "checkpoints.db", SCHEMA, VERSION, damaged=DELETE, durable=False)


class SqliteCheckpoints:
    """`ports.Checkpoints`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, request: RequestKey, trace_id: str, room_id: str, owner: str, lease_s: float) -> Checkpoint:
        return await self._database.run(_take, request, trace_id, room_id, owner, lease_s, self._clock())

    async def renew(self, request: RequestKey, owner: str, lease_s: float) -> None:
        await self._database.run(_renew, request, owner, self._clock() + lease_s)

    async def append(self, request: RequestKey, owner: str, entries: Sequence[Mapping[str, Any]]) -> None:
        await self._database.run(_append, request, owner, [json.dumps(entry) for entry in entries])

    async def mark(self, request: RequestKey, owner: str, name: str, value: Any) -> Any | None:
        return await self._database.run(_mark, request, owner, name, value)

    async def release(self, request: RequestKey, owner: str, *, finished: bool) -> None:
        await self._database.run(_release, request, owner, finished)

    async def delete(self, user_id: str, room_id: str | None = None) -> None:
        await self._database.run(_delete, user_id, room_id)

    async def close(self) -> None:
        self._database.close()


def _take(
    connection: sqlite3.Connection, request: RequestKey, trace_id: str, room_id: str, owner: str, lease_s: float, now: float
) -> Checkpoint:
    with writing(connection):
        connection.execute("DELETE FROM requests WHERE started_at < ?", (now - CHECKPOINTS_KEPT_S,))
        connection.execute(
            """INSERT INTO requests (user_id, key, body, trace_id, room_id, lease_until, started_at) VALUES (?, ?, ?, ?, ?, 0, ?)
               ON CONFLICT (user_id, key) DO NOTHING""",
            (request.user_id, request.key, request.body, trace_id, room_id, now),
        )
        row = connection.execute("SELECT * FROM requests WHERE user_id = ? AND key = ?", (request.user_id, request.key)).fetchone()
        if row["body"] != request.body:
            raise BadRequest(OTHER_BODY)
        if row["finished"]:
            return Checkpoint(row["trace_id"], row["started_at"], finished=True)
        if row["lease_until"] > now:
            raise StillRunning(retry_after_s=row["lease_until"] - now)
        connection.execute("UPDATE requests SET owner = ?, lease_until = ? WHERE number = ?", (owner, now + lease_s, row["number"]))
        entries = connection.execute("SELECT entry FROM entries WHERE request = ? ORDER BY rowid", (row["number"],))
        return Checkpoint(row["trace_id"], row["started_at"], entries=tuple(json.loads(each["entry"]) for each in entries))


def _own(connection: sqlite3.Connection, request: RequestKey, owner: str) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute(
        "SELECT number, marks FROM requests WHERE user_id = ? AND key = ? AND owner = ?", (request.user_id, request.key, owner)
    ).fetchone()
    if row is None:
        raise Conflict(TAKEN_OVER)
    return row


def _renew(connection: sqlite3.Connection, request: RequestKey, owner: str, until: float) -> None:
    with writing(connection):
        number = _own(connection, request, owner)["number"]
        connection.execute("UPDATE requests SET lease_until = ? WHERE number = ?", (until, number))


def _append(connection: sqlite3.Connection, request: RequestKey, owner: str, entries: Sequence[str]) -> None:
    with writing(connection):
        number = _own(connection, request, owner)["number"]
        connection.executemany("INSERT INTO entries (request, entry) VALUES (?, ?)", [(number, entry) for entry in entries])


def _mark(connection: sqlite3.Connection, request: RequestKey, owner: str, name: str, value: Any) -> Any | None:
    with writing(connection):
        row = _own(connection, request, owner)
        marks = json.loads(row["marks"])
        connection.execute("UPDATE requests SET marks = ? WHERE number = ?", (json.dumps({**marks, name: value}), row["number"]))
        return marks.get(name)


def _release(connection: sqlite3.Connection, request: RequestKey, owner: str, finished: bool) -> None:
    """What was replayed is not needed once the reply is stored with the turn."""
    with writing(connection):
        found = connection.execute(
            "SELECT number FROM requests WHERE user_id = ? AND key = ? AND owner = ?", (request.user_id, request.key, owner)
        ).fetchone()
        if found is None:
            return
        connection.execute("UPDATE requests SET owner = NULL, lease_until = 0, finished = ? WHERE number = ?", (finished, found["number"]))
        if finished:
            connection.execute("DELETE FROM entries WHERE request = ?", (found["number"],))


def _delete(connection: sqlite3.Connection, user_id: str, room_id: str | None) -> None:
    with writing(connection):
        connection.execute(
            "DELETE FROM requests WHERE user_id = :user AND (:room IS NULL OR room_id = :room)", {"user": user_id, "room": room_id}
        )
