"""The audit log."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.store import open_store
from footnote.guard import audit as module
from footnote.guard.audit import AuditFilter, audit, read_audit
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


async def test_a_filtered_page_looks_at_a_part_and_the_next_one_goes_on(
    records: Any, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_READ", 4)
    monkeypatch.setattr(module, "PAGE", 3)
    for number in range(9):
        await audit(records, ANN, "term.set" if number in (0, 1, 6) else "document.delete", f"{number}", now=clock())
        clock.advance(1)
    pages, after, has_more = [], None, True
    while has_more:
        page = await read_audit(records, 2, after, AuditFilter(action="term."))
        pages.append([entry.object_id for entry in page.data])
        after, has_more = page.last_id, page.has_more
    assert [each for page in pages for each in page] == ["6", "1", "0"]
    assert len(pages) == 2


async def test_a_page_of_a_filtered_audit_ends_at_its_limit_and_at_the_first_day(records: Any, clock: HandClock) -> None:
    times = []
    for number in range(6):
        times.append(clock())
        await audit(records, ANN, "term.set", f"{number}", now=clock())
        clock.advance(1)
    first = await read_audit(records, 2, None, AuditFilter(start=times[1], end=times[5]))
    rest = await read_audit(records, 2, first.last_id, AuditFilter(start=times[1], end=times[5]))
    assert [[entry.object_id for entry in page.data] for page in (first, rest)] == [["4", "3"], ["2", "1"]]
    last = await read_audit(records, 2, rest.last_id, AuditFilter(start=times[1], end=times[5]))
    assert (first.has_more, rest.has_more, last.data, last.has_more) == (True, True, (), False)


async def test_changes_of_one_moment_are_all_kept(records: Any, clock: HandClock) -> None:
    for _ in range(20):
        await audit(records, ANN, "setting.set", "rag.alpha", now=clock())
    assert len((await read_audit(records, 100)).data) == 20
