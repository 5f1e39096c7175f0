"""The audit log."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.turn_store import open_store
from footnote.guard.audit import audit, read_audit
from footnote.types import Caller
from tests.conftest import HandClock

ANN = Caller("ann", role="admin")


@pytest.fixture
async def records(tmp_path: Path, clock: HandClock) -> AsyncIterator[SqliteRecords]:
    database = open_store(tmp_path)
    yield SqliteRecords(database, clock)
    database.close()


async def test_the_latest_change_is_listed_first_page_by_page(records: Any, clock: HandClock) -> None:
    for number in range(5):
        await audit(records, ANN, "document.delete", f"doc-{number}", now=clock(), chunks=number)
        clock.advance(0.001)
    first = await read_audit(records, 3)
    rest = await read_audit(records, 3, first.last_id)
    assert [entry.object_id for entry in (*first.data, *rest.data)] == ["doc-4", "doc-3", "doc-2", "doc-1", "doc-0"]
    assert (first.has_more, rest.has_more) == (True, False)
    newest = first.data[0]
    assert (newest.user_id, newest.action, newest.facts, newest.at) == (
        "ann",
        "document.delete",
        {"chunks": 4},
        pytest.approx(1_700_000_000.004),
    )


async def test_changes_of_one_moment_are_all_kept(records: Any, clock: HandClock) -> None:
    for _ in range(20):
        await audit(records, ANN, "setting.set", "rag.alpha", now=clock())
    assert len((await read_audit(records, 100)).data) == 20
