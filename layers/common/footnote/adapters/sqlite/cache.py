"""The cache in the embedded store: JSON values with an expiry."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from footnote.adapters.sqlite.database import Database, writing
from footnote.ports import Clock

SWEEP = 16
"""Most expired rows that one write deletes: more than it adds, and few enough to be cheap."""


class SqliteCache:
    """`ports.Cache` on SQLite."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, key: str) -> Any | None:
        text = await self._database.run(_get, key, self._clock())
        return None if text is None else json.loads(text)

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        await self._database.run(_put, key, json.dumps(value), self._clock(), ttl_s)

    async def put_new(self, key: str, value: Any, ttl_s: float) -> bool:
        return await self._database.run(_put_new, key, json.dumps(value), self._clock(), ttl_s)

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        return await self._database.run(_add, key, amount, self._clock(), ttl_s)

    async def delete(self, key: str) -> None:
        await self._database.run(_delete, key)


def _get(connection: sqlite3.Connection, key: str, now: float) -> str | None:
    row = connection.execute("SELECT value FROM cache WHERE key = ? AND expires_at > ?", (key, now)).fetchone()
    return None if row is None else str(row["value"])


def _put(connection: sqlite3.Connection, key: str, value: str, now: float, ttl_s: float) -> None:
    with writing(connection):
        _sweep(connection, now)
        connection.execute("INSERT OR REPLACE INTO cache VALUES (?, ?, ?)", (key, value, now + ttl_s))


def _put_new(connection: sqlite3.Connection, key: str, value: str, now: float, ttl_s: float) -> bool:
    with writing(connection):
        _sweep(connection, now)
        written = connection.execute(
            """INSERT INTO cache VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
               WHERE expires_at <= ?""",
            (key, value, now + ttl_s, now),
        ).rowcount
    return written == 1


def _add(connection: sqlite3.Connection, key: str, amount: int, now: float, ttl_s: float) -> int:
    with writing(connection):
        _sweep(connection, now)
        counter = connection.execute("SELECT value, expires_at FROM cache WHERE key = ? AND expires_at > ?", (key, now)).fetchone()
        total, until = (int(counter["value"]) + amount, counter["expires_at"]) if counter else (amount, now + ttl_s)
        connection.execute("INSERT OR REPLACE INTO cache VALUES (?, ?, ?)", (key, str(total), until))
    return total


def _sweep(connection: sqlite3.Connection, now: float) -> None:
    connection.execute("DELETE FROM cache WHERE rowid IN (SELECT rowid FROM cache WHERE expires_at <= ? LIMIT ?)", (now, SWEEP))


def _delete(connection: sqlite3.Connection, key: str) -> None:
    with writing(connection):
        connection.execute("DELETE FROM cache WHERE key = ?", (key,))
