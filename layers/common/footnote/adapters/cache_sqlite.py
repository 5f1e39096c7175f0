"""The cache in the embedded store: JSON values with an expiry."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from footnote.adapters.sqlite import Database, writing
from footnote.ports import Clock

SWEEP = 16
"""Expired rows that one `put` clears away at most: more than it adds, and little enough to cost nothing."""


class SqliteCache:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, key: str) -> Any | None:
        text = await self._database.run(_get, key, self._clock())
        return None if text is None else json.loads(text)

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        await self._database.run(_put, key, json.dumps(value), self._clock(), ttl_s)

    async def delete(self, key: str) -> None:
        await self._database.run(_delete, key)


def _get(connection: sqlite3.Connection, key: str, now: float) -> str | None:
    row = connection.execute("SELECT value FROM cache WHERE key = ? AND expires_at > ?", (key, now)).fetchone()
    return None if row is None else str(row["value"])


def _put(connection: sqlite3.Connection, key: str, value: str, now: float, ttl_s: float) -> None:
    with writing(connection):
        connection.execute("DELETE FROM cache WHERE rowid IN (SELECT rowid FROM cache WHERE expires_at <= ? LIMIT ?)", (now, SWEEP))
        connection.execute("INSERT OR REPLACE INTO cache VALUES (?, ?, ?)", (key, value, now + ttl_s))


def _delete(connection: sqlite3.Connection, key: str) -> None:
    with writing(connection):
        connection.execute("DELETE FROM cache WHERE key = ?", (key,))
