"""The entries of the ledger in the embedded store. A rule runs inside one write transaction."""

from __future__ import annotations

import heapq
import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

from footnote.adapters.shared.ledger import Attempt
from footnote.adapters.sqlite.database import Database, writing
from footnote.ports.ledger import Body, DocumentScope, Transaction

R = TypeVar("R")

# `kind`, `place` and `scope`, `position`: the lists that have the entry.
LEDGER_SCHEMA = """
CREATE TABLE ledger (
    key TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    scope TEXT,
    position TEXT,
    kind TEXT,
    place TEXT
);
CREATE INDEX ledger_by_scope ON ledger (scope, position, key) WHERE scope IS NOT NULL;
CREATE INDEX ledger_by_kind ON ledger (kind, place, key) WHERE kind IS NOT NULL;
CREATE TABLE ledger_counts (
    collection TEXT NOT NULL,
    permission_groups TEXT NOT NULL,
    state TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (collection, permission_groups, state)
) WITHOUT ROWID;
"""

FEW = 200
"""Counts that are read in the calling thread."""


class SqliteLedgerStore:
    """`ports.ledger.LedgerStore` on SQLite. Nothing lags behind."""

    most_written = sys.maxsize

    def __init__(self, database: Database) -> None:
        self._database = database

    async def change(self, rule: Callable[[Transaction], R]) -> R:
        return await self._database.run(_change, rule)

    async def get_many(self, keys: Sequence[str]) -> dict[str, Body]:
        return await self._database.run(_get_many, keys)

    async def newest(self, scopes: Sequence[str], after: str, limit: int) -> list[str]:
        return await self._database.run(_newest, scopes, after, limit)

    async def of_kind(self, kind: str, *, prefix: str = "", limit: int | None = None) -> list[str]:
        return await self._database.run(_of_kind, kind, prefix, limit)

    async def counts(self, collection: str | None = None) -> dict[DocumentScope, Counter[str]]:
        found = await self._database.glance(_counts, collection, FEW + 1)
        if len(found) > FEW:
            found = await self._database.run(_counts, collection, -1)
        scopes: dict[DocumentScope, Counter[str]] = {}
        for stored, groups, state, number in found:
            scopes.setdefault(DocumentScope(stored, groups), Counter())[state] = number
        return scopes

    async def close(self) -> None:
        """The store closes its file itself."""


def _change(connection: sqlite3.Connection, rule: Callable[[Transaction], R]) -> R:
    def read(key: str) -> str | None:
        row = connection.execute("SELECT body FROM ledger WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    with writing(connection):
        attempt = Attempt(read)
        result = rule(attempt)
        _write(connection, attempt)
        return result


def _write(connection: sqlite3.Connection, attempt: Attempt) -> None:
    changed = [(key, entry) for key, entry in attempt.entries.items() if entry.is_changed]
    connection.executemany("DELETE FROM ledger WHERE key = ?", [(key,) for key, entry in changed if entry.body is None])
    connection.executemany(
        """INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
           body = excluded.body, scope = excluded.scope, position = excluded.position, kind = excluded.kind, place = excluded.place""",
        [(key, entry.body, *(entry.scope or (None, None)), *(entry.kind or (None, None))) for key, entry in changed if entry.body],
    )
    counted = Counter[tuple[DocumentScope, str]]()
    for _, entry in changed:
        counted.update(entry.counted)
    connection.executemany(
        "INSERT INTO ledger_counts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number",
        [(*scope, state, number) for (scope, state), number in counted.items() if number],
    )


def _get_many(connection: sqlite3.Connection, keys: Sequence[str]) -> dict[str, Body]:
    rows = connection.execute("SELECT key, body FROM ledger WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(list(keys)),))
    return {key: json.loads(body) for key, body in rows}


def _newest(connection: sqlite3.Connection, scopes: Sequence[str], after: str, limit: int) -> list[str]:
    query = "SELECT position, key FROM ledger WHERE scope = ? AND position > ? ORDER BY position"
    listed = heapq.merge(*(map(tuple, connection.execute(query, (scope, after))) for scope in scopes))
    return [key for _, key in islice(listed, limit)]


def _of_kind(connection: sqlite3.Connection, kind: str, prefix: str, limit: int | None) -> list[str]:
    rows = connection.execute(
        "SELECT key FROM ledger WHERE kind = ? AND place >= ? AND place < ? ORDER BY place LIMIT ?",
        (kind, prefix, f"{prefix}\U0010ffff", -1 if limit is None else limit),
    )
    return [row[0] for row in rows]


def _counts(connection: sqlite3.Connection, collection: str | None, limit: int) -> list[tuple[str, str, str, int]]:
    where = "" if collection is None else "WHERE collection = :collection"
    query = f"SELECT collection, permission_groups, state, number FROM ledger_counts {where} LIMIT :limit"
    return [tuple(row) for row in connection.execute(query, {"collection": collection, "limit": limit})]
