"""The cache in the embedded store: JSON values with an expiry."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from footnote.adapters.sqlite.database import Database
from footnote.ports import Amount, Clock

log = logging.getLogger(__name__)

SWEEP = 16
"""Most expired rows that one write deletes: more than it adds, and few enough to be cheap."""


class SqliteCache:
    """`ports.Cache` on SQLite."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._unwritten: dict[str, tuple[str, float]] = {}
        """Key → value and expiry, of what was put and waits to be written."""

    async def get(self, key: str) -> Any | None:
        now = self._clock()
        if (unwritten := self._unwritten.get(key)) is not None:
            text, expires_at = unwritten
            return json.loads(text) if expires_at > now else None
        found = await self._database.glance(_get, key, now)
        return None if found is None else json.loads(found)

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        text = json.dumps(value)
        self._unwritten.pop(key, None)
        await self._database.write(_put, key, text, self._clock(), ttl_s)

    async def put_later(self, key: str, value: Any, ttl_s: float) -> None:
        text, now = json.dumps(value), self._clock()
        unwritten = self._unwritten[key] = text, now + ttl_s

        def written(result: Future[None]) -> None:
            if self._unwritten.get(key) is unwritten:
                self._unwritten.pop(key, None)
            if (exc := result.exception()) is not None:
                log.warning("value not cached", extra={"error": type(exc).__name__})

        self._database.write_later(_put, key, text, now, ttl_s).add_done_callback(written)

    async def put_new(self, key: str, value: Any, ttl_s: float) -> bool:
        return await self._database.write(_put_new, key, json.dumps(value), self._clock(), ttl_s)

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        return await self._database.write(_add, Amount(key, amount, ttl_s), self._clock())

    async def add_all(self, amounts: Sequence[Amount]) -> None:
        await self._database.write(_add_all, amounts, self._clock())

    async def delete(self, key: str) -> None:
        self._unwritten.pop(key, None)
        await self._database.write(_delete, key)


def _get(connection: sqlite3.Connection, key: str, now: float) -> str | None:
    row = connection.execute("SELECT value FROM cache WHERE key = ? AND expires_at > ?", (key, now)).fetchone()
    return None if row is None else str(row["value"])


def _put(connection: sqlite3.Connection, key: str, value: str, now: float, ttl_s: float) -> None:
    _sweep(connection, now)
    connection.execute("INSERT OR REPLACE INTO cache VALUES (?, ?, ?)", (key, value, now + ttl_s))


def _put_new(connection: sqlite3.Connection, key: str, value: str, now: float, ttl_s: float) -> bool:
    _sweep(connection, now)
    written = connection.execute(
        """INSERT INTO cache VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
           WHERE expires_at <= ?""",
        (key, value, now + ttl_s, now),
    ).rowcount
    return written == 1


def _add(connection: sqlite3.Connection, added: Amount, now: float) -> int:
    _sweep(connection, now)
    (total,) = connection.execute(
        """INSERT INTO cache VALUES (:key, :amount, :until) ON CONFLICT (key) DO UPDATE SET
               value = iif(expires_at > :now, value + :amount, :amount), expires_at = iif(expires_at > :now, expires_at, :until)
           RETURNING value""",
        {"key": added.key, "amount": added.amount, "until": now + added.ttl_s, "now": now},
    ).fetchone()
    return int(total)


def _add_all(connection: sqlite3.Connection, amounts: Sequence[Amount], now: float) -> None:
    for each in amounts:
        _add(connection, each, now)


def _sweep(connection: sqlite3.Connection, now: float) -> None:
    connection.execute("DELETE FROM cache WHERE rowid IN (SELECT rowid FROM cache WHERE expires_at <= ? LIMIT ?)", (now, SWEEP))


def _delete(connection: sqlite3.Connection, key: str) -> None:
    connection.execute("DELETE FROM cache WHERE key = ?", (key,))
