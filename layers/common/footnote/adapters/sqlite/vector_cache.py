"""The vector cache in vector_cache.db, a file of its own: it may be deleted at any time, so its commits need not wait for the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from footnote.adapters.sqlite.database import DELETE, Database, writing
from footnote.ports import VECTORS_KEPT_S, Clock

VERSION = 1
SCHEMA = """
CREATE TABLE vectors (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    embedder TEXT NOT NULL,
    vector BLOB NOT NULL,
    made_at REAL NOT NULL,
    UNIQUE (key, embedder)
);
"""
MAX_BYTES = 2**30
"""Maximum size of the file: about 200,000 passages of the built-in model. Beyond it the oldest entries are dropped."""
DROPPED = 0.05
"""The share of the entries that is dropped at once."""
AT_ONCE = 500
"""Keys in one statement."""


class SqliteVectorCache:
    """`ports.VectorCache` in a data folder; the file is made when it is first used."""

    def __init__(self, folder: Path, clock: Clock, max_bytes: int = MAX_BYTES) -> None:
        self._database = Database(folder / "vector_cache.db", SCHEMA, VERSION, damaged=DELETE, durable=False)
        self._clock = clock
        self._max_bytes = max_bytes

    async def get(self, embedder: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        return await self._database.run(_get, embedder, keys, self._clock() - VECTORS_KEPT_S)

    async def put(self, embedder: str, vectors: Mapping[bytes, bytes]) -> None:
        await self._database.run(_put, embedder, vectors, self._clock(), self._max_bytes)

    async def delete(self, keys: Sequence[bytes]) -> None:
        if self._database.path.exists():
            await self._database.run(_delete, keys)

    async def close(self) -> None:
        self._database.close()


def _get(connection: sqlite3.Connection, embedder: str, keys: Sequence[bytes], since: float) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        rows = connection.execute(
            f"SELECT key, vector FROM vectors WHERE key IN ({', '.join('?' * len(some))}) AND embedder = ? AND made_at > ?",
            (*some, embedder, since),
        )
        found |= {row["key"]: row["vector"] for row in rows}
    return found


def _put(connection: sqlite3.Connection, embedder: str, vectors: Mapping[bytes, bytes], now: float, max_bytes: int) -> None:
    with writing(connection):
        connection.execute(
            "DELETE FROM vectors WHERE number < (SELECT number FROM vectors WHERE made_at > ? ORDER BY number LIMIT 1)",
            (now - VECTORS_KEPT_S,),
        )
        connection.executemany(
            "INSERT OR REPLACE INTO vectors (key, embedder, vector, made_at) VALUES (?, ?, ?, ?)",
            [(key, embedder, vector, now) for key, vector in vectors.items()],
        )
        if _used_bytes(connection) > max_bytes:
            # Rows are numbered in the order in which they were made.
            connection.execute(
                """DELETE FROM vectors WHERE number <= (SELECT min(number) FROM vectors)
                   + ? * ((SELECT max(number) FROM vectors) - (SELECT min(number) FROM vectors))""",
                (DROPPED,),
            )


def _used_bytes(connection: sqlite3.Connection) -> int:
    """The pages in use; freed ones are filled again before the file grows."""
    pages, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size"))
    return int((pages - free) * size)


def _delete(connection: sqlite3.Connection, keys: Sequence[bytes]) -> None:
    with writing(connection):
        connection.executemany("DELETE FROM vectors WHERE key = ?", [(key,) for key in keys])
