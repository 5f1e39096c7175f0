"""The directory of collections: names, aliases, settings."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.store import open_store
from footnote.collections import Collections, service
from footnote.errors import Conflict, StoreUnavailable
from footnote.types import CollectionSettings, StoredName


@pytest.fixture
def records(tmp_path: Path) -> SqliteRecords:
    return SqliteRecords(open_store(tmp_path), lambda: 1000.0)


async def _create(collections: Collections, name: str, settings: CollectionSettings = CollectionSettings()) -> StoredName:  # noqa: B008
    return (await collections.create(name, settings, title="", description="", by="ann")).stored


async def test_without_a_record_a_collection_has_the_defaults_and_is_stored_under_its_name(records: SqliteRecords) -> None:
    collections = Collections(records, lambda: 1000.0)
    assert await collections.get("handbook") == CollectionSettings()
    assert await collections.resolve("handbook") == await collections.open("handbook", by="ann") == "handbook"


async def test_another_process_sees_the_settings(records: SqliteRecords) -> None:
    settings = CollectionSettings("table", "none", ("de", "ko"), ("hr",))
    stored = await _create(Collections(records, lambda: 1000.0), "handbook", settings)
    assert await Collections(records, lambda: 1000.0).get(stored) == settings


async def test_a_name_is_given_once(records: SqliteRecords) -> None:
    collections = Collections(records, lambda: 1000.0)
    await _create(collections, "handbook")
    with pytest.raises(Conflict):
        await _create(Collections(records, lambda: 1000.0), "handbook")


class Slow:
    """A record store whose replies can be held up; `fails`: they are errors then."""

    def __init__(self, records: SqliteRecords, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reads, self.now, self.fails = 0, 100.0, False
        self.free = asyncio.Event()
        self.free.set()
        self._get = records.get
        monkeypatch.setattr(records, "get", self.get)
        monkeypatch.setattr(service, "time", self)

    def monotonic(self) -> float:
        return self.now

    async def get(self, kind: Any, key: str) -> Any:
        self.reads += 1
        await self.free.wait()
        if self.fails:
            raise StoreUnavailable("down")
        return await self._get(kind, key)


async def test_while_the_store_is_away_what_was_known_stays_in_use(records: SqliteRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Slow(records, monkeypatch)
    collections, unread = (Collections(records, lambda: 1000.0) for _ in range(2))
    await _create(collections, "handbook", CollectionSettings("table"))
    await _create(collections, "gone")
    await collections.delete("gone", by="ann")
    store.fails = True
    for _ in range(3):
        assert (await collections.get("handbook")).chunker == "table"
        assert await collections.is_deleted("gone")
        store.now += 3600
    with pytest.raises(StoreUnavailable, match="list of collections"):
        await unread.get("handbook")
    store.fails = False
    store.now += service.LATEST_S
    assert not await unread.is_deleted("handbook")


async def test_questions_share_one_read_and_do_not_wait_for_it(records: SqliteRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Slow(records, monkeypatch)
    collections = Collections(records, lambda: 1000.0)
    await asyncio.gather(*(collections.directory() for _ in range(10)))
    assert store.reads == 1
    store.free.clear()
    store.now += service.FRESH_S
    for _ in range(2):
        await asyncio.gather(*(collections.directory() for _ in range(10)))
        await asyncio.sleep(0)
    assert store.reads == 2
    await collections.close()


async def test_a_store_that_hangs_delays_all_questions_together_once(records: SqliteRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "WAIT_S", 0.05)
    store = Slow(records, monkeypatch)
    collections = Collections(records, lambda: 1000.0)
    await _create(collections, "handbook")
    await collections.directory()
    store.free.clear()
    store.now += service.LATEST_S
    before = store.reads
    await asyncio.gather(*(collections.directory() for _ in range(10)))
    async with asyncio.timeout(2):
        for _ in range(100):
            await collections.directory()
    assert store.reads == before + 1
    await collections.close()


async def _begin_read(collections: Collections, store: Slow) -> None:
    """Leaves a second read under way."""
    await collections.directory()
    store.now += service.FRESH_S
    store.free.clear()
    await collections.directory()  # begins a read, and ends before it
    await asyncio.sleep(0)


async def test_a_read_from_before_the_process_was_suspended_is_repeated(records: SqliteRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Slow(records, monkeypatch)
    collections = Collections(records, lambda: 1000.0)
    await _begin_read(collections, store)
    store.now += 3600
    asyncio.get_running_loop().call_later(0.01, store.free.set)
    await collections.directory()
    assert store.reads == 3


async def test_a_change_elsewhere_that_is_known_of_holds_at_once(records: SqliteRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Collections(SqliteRecords(records._database, lambda: 1000.0), lambda: 1000.0)
    store = Slow(records, monkeypatch)
    collections = Collections(records, lambda: 1000.0)
    await _begin_read(collections, store)
    store.now += 0.01
    await _create(elsewhere, "handbook", CollectionSettings("table"))
    collections.expire()
    store.now += 0.01
    asyncio.get_running_loop().call_later(0.01, store.free.set)
    assert (await collections.get("handbook")).chunker == "table"
    assert store.reads == 3
