"""What is peculiar to the cache in SQLite; the rest is in the contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.store import open_store


async def test_what_is_put_later_is_stored_with_the_next_write_for_other_processes(tmp_path: Path, clock: Any) -> None:
    databases = [open_store(tmp_path) for _ in range(2)]
    cache, other = (SqliteCache(database, clock) for database in databases)
    await cache.put_later("k", 1, ttl_s=60)
    assert (await cache.get("k"), await other.get("k")) == (1, None)
    await cache.add("counter", 1, ttl_s=60)
    assert await other.get("k") == 1
    await cache.put_later("last", 2, ttl_s=60)
    databases[0].close()
    assert await other.get("last") == 2
    databases[1].close()


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
