"""What is peculiar to store.db: turns past their time, lists of one moment; what every store does is in tests/contracts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.statistics import on_sqlite
from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.store import open_store
from footnote.adapters.sqlite.turns import SqliteTurnStore
from footnote.types import Feedback
from tests.conftest import HandClock
from tests.turns import ME, make_turn, stored


@pytest.fixture
def database(tmp_path: Path) -> Any:
    database = open_store(tmp_path)
    yield database
    database.close()


async def rows(database: Database, table: str) -> int:
    return await database.run(lambda connection: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]))


async def test_turns_past_their_time_are_deleted_a_few_at_a_time_as_others_are_stored(database: Database, clock: HandClock) -> None:
    stores = on_sqlite(database, clock, keep_s=100.0)
    for number in range(50):
        await stores.turns.save(stored(make_turn(trace_id=f"old{number}", started_at=clock.now)))
        await stores.feedback.put(ME, Feedback(f"old{number}", "me", "up"))
    clock.advance(101)
    left = []
    for number in range(4):
        await stores.turns.save(stored(make_turn(trace_id=f"new{number}", started_at=clock.now)))
        left.append((await rows(database, "turns"), await rows(database, "feedback")))
    assert left == [(31, 30), (12, 10), (3, 0), (4, 0)]


async def test_rooms_and_their_titles_are_read_at_one_moment(database: Database, clock: HandClock) -> None:
    turns, asked = SqliteTurnStore(database, clock), list[str]()
    for number in range(3):
        question = f"Question {number}?"
        await turns.save(stored(make_turn(trace_id=f"t{number}", room_id=f"r{number}", question=question, started_at=clock.now)))
    await database.run(lambda connection: connection.set_trace_callback(asked.append))  # of the connection that is used next
    assert [room.title for room in (await turns.rooms(ME, 10)).data] == ["Question 0?", "Question 1?", "Question 2?"]
    assert len(asked) == 1  # between two, somebody could delete a room
