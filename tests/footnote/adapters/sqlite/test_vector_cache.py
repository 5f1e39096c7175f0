"""The size and the file of the vector cache."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from footnote.adapters.sqlite.vector_cache import SqliteVectorCache
from footnote.ports import VECTORS_KEPT_S
from tests.conftest import HandClock

MAX_BYTES = 2**20


async def test_the_oldest_vectors_make_room_and_the_file_stays_within_its_size(tmp_path: Path, clock: HandClock) -> None:
    cache = SqliteVectorCache(tmp_path, clock, MAX_BYTES)
    keys = [number.to_bytes(32, "big") for number in range(2000)]
    for key in keys:
        await cache.put("model", {key: os.urandom(1536)})
    found = await cache.get("model", keys)
    assert list(found) == keys[-len(found) :]
    assert 0.6 * MAX_BYTES < len(found) * 1536 < MAX_BYTES
    assert (tmp_path / "vector_cache.db").stat().st_size < 1.1 * MAX_BYTES
    await cache.close()


async def test_expired_entries_take_no_space(tmp_path: Path, clock: HandClock) -> None:
    cache = SqliteVectorCache(tmp_path, clock)
    await cache.put("model", {b"a": b"1"})
    clock.advance(VECTORS_KEPT_S)
    for key in (b"b", b"c"):
        await cache.put("model", {key: b"2"})
    await cache.close()
    with closing(sqlite3.connect(tmp_path / "vector_cache.db")) as connection:
        assert connection.execute("SELECT key FROM vectors").fetchall() == [(b"b",), (b"c",)]


async def test_a_cache_that_was_never_used_makes_no_file_by_a_delete(tmp_path: Path, clock: HandClock) -> None:
    cache = SqliteVectorCache(tmp_path, clock)
    await cache.delete([b"a"])
    await cache.close()
    assert list(tmp_path.iterdir()) == []
