"""Records of admins and users in the embedded store: one row per kind and key."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from footnote.adapters.shared.records import CHANGED, LAST
from footnote.adapters.sqlite.database import Database, writing
from footnote.errors import Conflict
from footnote.ports import Clock, Kind, Record
from footnote.types import Page

# A deleted record keeps its row and version, without a value: versions of a key never restart, and their sum only grows.
RECORDS_SCHEMA = """
CREATE TABLE records (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT,
    version INTEGER NOT NULL,
    changed_at REAL NOT NULL,
    changed_by TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX records_by_version ON records (kind, version);
"""


class SqliteRecords:
    """`ports.Records` on SQLite."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, kind: Kind, key: str) -> Record | None:
        return await self._database.glance(_get, kind, key)

    async def put(self, kind: Kind, key: str, value: Mapping[str, Any], *, by: str, expected: int | None = None) -> Record:
        return await self._database.run(_put, kind, key, json.dumps(dict(value)), self._clock(), by, expected)

    async def delete(self, kind: Kind, key: str) -> bool:
        return await self._database.run(_delete, kind, key)

    async def list(
        self, kind: Kind, *, prefix: str = "", limit: int = 50, after: str | None = None, newest_first: bool = False
    ) -> Page[Record]:
        return await self._database.run(_list, kind, prefix, max(limit, 1), after, newest_first)

    async def changes(self, kind: Kind) -> int:
        return await self._database.run(_changes, kind)

    async def changes_of(self, kinds: Sequence[Kind]) -> int:
        """Like `changes`, of several kinds and cheap enough for each request."""
        return await self._database.glance(_changes_of, kinds)


def _load(row: sqlite3.Row) -> Record:
    return Record(row["key"], json.loads(row["value"]), row["version"], row["changed_at"], row["changed_by"])


def _get(connection: sqlite3.Connection, kind: Kind, key: str) -> Record | None:
    row = connection.execute("SELECT * FROM records WHERE kind = ? AND key = ? AND value IS NOT NULL", (kind, key)).fetchone()
    return None if row is None else _load(row)


def _put(connection: sqlite3.Connection, kind: Kind, key: str, value: str, now: float, by: str, expected: int | None) -> Record:
    with writing(connection):
        there = _get(connection, kind, key)
        if expected is not None and expected != (there.version if there else 0):
            raise Conflict(CHANGED)
        connection.execute(
            """INSERT INTO records VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value,
               version = version + 1, changed_at = excluded.changed_at, changed_by = excluded.changed_by""",
            (kind, key, value, now, by),
        )
        row = connection.execute("SELECT * FROM records WHERE kind = ? AND key = ?", (kind, key)).fetchone()
    return _load(row)


def _delete(connection: sqlite3.Connection, kind: Kind, key: str) -> bool:
    with writing(connection):
        return connection.execute(
            "UPDATE records SET value = NULL, version = version + 1 WHERE kind = ? AND key = ? AND value IS NOT NULL", (kind, key)
        ).rowcount > 0  # fmt: skip


def _list(connection: sqlite3.Connection, kind: Kind, prefix: str, limit: int, after: str | None, newest_first: bool) -> Page[Record]:
    beyond, order = ("key < :after", "DESC") if newest_first else ("key > :after", "ASC")
    found = connection.execute(
        f"""SELECT * FROM records WHERE kind = :kind AND key >= :prefix AND key < :last AND (:after IS NULL OR {beyond})
            AND value IS NOT NULL ORDER BY key {order} LIMIT :limit""",
        {"kind": kind, "prefix": prefix, "last": prefix + LAST, "after": after, "limit": limit + 1},
    ).fetchall()
    data = tuple(map(_load, found[:limit]))
    return Page(data, has_more=len(found) > limit, last_id=data[-1].key if data else None)


def _changes(connection: sqlite3.Connection, kind: Kind) -> int:
    return int(connection.execute("SELECT coalesce(sum(version), 0) FROM records WHERE kind = ?", (kind,)).fetchone()[0])


def _changes_of(connection: sqlite3.Connection, kinds: Sequence[Kind]) -> int:
    marks = ", ".join("?" for _ in kinds)
    return int(connection.execute(f"SELECT coalesce(sum(version), 0) FROM records WHERE kind IN ({marks})", tuple(kinds)).fetchone()[0])
