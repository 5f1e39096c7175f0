"""What is peculiar to the cache in SQLite; the rest is in the contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.store import open_store


async def test_every_write_clears_some_expired_rows_away(tmp_path: Path, clock: Any) -> None:
    database = open_store(tmp_path)
    cache = SqliteCache(database, clock)
    for number in range(20):
        await cache.put(f"old-{number}", number, ttl_s=1)
    clock.advance(1)
    counts = []
    for number in range(3):
        await cache.put(f"new-{number}", number, ttl_s=60)
        counts.append(database.call(lambda connection: connection.execute("SELECT COUNT(*) FROM cache").fetchone()[0]))
    assert counts == [5, 2, 3]
    database.close()
