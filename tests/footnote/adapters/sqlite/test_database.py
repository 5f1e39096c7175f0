"""The SQLite file behind the embedded adapters."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote.adapters.sqlite.database import Database, writing
from footnote.errors import NotFound, SearchUnavailable, StoreUnavailable

SCHEMA = """
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
INSERT INTO counters VALUES ('a', 0);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "folder" / "test.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    database = Database(path, SCHEMA)
    yield database
    database.close()


def read(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT value FROM counters WHERE name = 'a'").fetchone()[0])


def count_up(connection: sqlite3.Connection, by: int = 1) -> None:
    """Reads and writes in two statements: without the transaction, updates would be lost."""
    with writing(connection):
        value = read(connection)
        connection.execute("UPDATE counters SET value = ?", (value + by,))


async def test_the_file_is_made_when_it_is_first_used(path: Path, database: Database) -> None:
    assert not path.parent.exists()
    await database.run(count_up, by=3)
    assert await database.run(read) == 3


async def test_work_is_done_outside_the_callers_thread(database: Database) -> None:
    assert await database.run(lambda _: threading.get_ident()) != threading.get_ident()
    assert database.call(lambda _: threading.get_ident()) == threading.get_ident()


async def test_calls_by_turns_stay_on_one_thread(database: Database) -> None:
    assert len({await database.run(lambda _: threading.get_ident()) for _ in range(5)}) == 1


async def test_a_thread_is_busy_until_its_call_ends_although_nobody_waits_for_it_any_more(database: Database) -> None:
    begun, end = threading.Event(), threading.Event()

    def hang(_: sqlite3.Connection) -> None:
        begun.set()
        end.wait(10)

    waiting = asyncio.create_task(database.run(hang))
    try:
        await asyncio.to_thread(begun.wait, 10)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(5):
            assert await database.run(lambda connection: connection.execute("SELECT 1").fetchone()[0]) == 1
    finally:
        end.set()


async def test_a_glance_opens_the_file_in_another_thread_and_then_reads_in_this_one(database: Database) -> None:
    threads = [await database.glance(lambda _: threading.get_ident()) for _ in range(2)]
    assert [thread == threading.get_ident() for thread in threads] == [False, True]
    await database.run(count_up)
    assert await database.glance(read) == 1


async def test_writes_survive_closing_and_the_schema_runs_once(path: Path, database: Database) -> None:
    await database.run(count_up)
    database.close()
    assert await database.run(read) == 1
    again = Database(path, SCHEMA)
    assert again.call(read) == 1
    again.close()


async def test_an_error_in_a_write_takes_all_of_it_back(database: Database) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        with writing(connection):
            connection.execute("UPDATE counters SET value = 99")
            raise NotFound("gone")

    with pytest.raises(NotFound):
        await database.run(fail)
    await database.run(count_up)
    assert await database.run(read) == 1


def add(connection: sqlite3.Connection, by: int = 1) -> int:
    connection.execute("UPDATE counters SET value = value + ?", (by,))
    return read(connection)


def refuse(connection: sqlite3.Connection) -> int:
    add(connection)
    raise NotFound("gone")


@pytest.fixture
async def begun(database: Database) -> list[str]:
    """The transactions that the database begins."""
    statements: list[str] = []

    def trace(statement: str) -> None:
        if statement.startswith("BEGIN"):
            statements.append(statement)

    await database.run(lambda connection: connection.set_trace_callback(trace))
    return statements


async def test_writes_that_wait_together_are_one_transaction_in_order(database: Database, begun: list[str]) -> None:
    assert await asyncio.gather(*(database.write(add, by=number) for number in (1, 2, 3))) == [1, 3, 6]
    assert begun == ["BEGIN IMMEDIATE"]
    other = Database(database.path, SCHEMA)
    assert other.call(read) == 6
    other.close()


async def test_writes_that_come_during_another_are_the_next_transaction(database: Database, begun: list[str]) -> None:
    has_begun, may_end = threading.Event(), threading.Event()

    def wait(connection: sqlite3.Connection) -> int:
        has_begun.set()
        may_end.wait(10)
        return add(connection)

    first = asyncio.create_task(database.write(wait))
    await asyncio.to_thread(has_begun.wait, 10)
    others = [asyncio.create_task(database.write(add)) for _ in range(5)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert await database.glance(read) == 0, "nothing is committed, and readers don't wait"
    may_end.set()
    assert [await first, *(await asyncio.gather(*others))] == [1, 2, 3, 4, 5, 6]
    assert len(begun) == 2


async def test_a_write_that_fails_takes_no_other_back(database: Database, begun: list[str]) -> None:
    ended = await asyncio.gather(database.write(add), database.write(refuse), database.write(add), return_exceptions=True)
    assert [str(each) for each in ended] == ["1", "gone", "2"]
    assert await database.run(read) == 2
    assert len(begun) == 4, "one for all of them, and then one for each"


async def test_a_write_that_may_be_lost_waits_for_the_next_one(database: Database, begun: list[str]) -> None:
    later = database.write_later(add, by=10)
    assert (begun, later.done()) == ([], False)
    assert await database.write(add) == 11
    assert (later.result(), len(begun)) == (10, 1)


async def test_what_still_waits_is_written_when_the_database_closes(path: Path, database: Database) -> None:
    later = database.write_later(add, by=10)
    database.close()
    assert later.result() == 10
    other = Database(path, SCHEMA)
    assert other.call(read) == 10
    other.close()


async def test_a_write_that_may_be_lost_is_written_soon_without_another_one(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.adapters.sqlite.database.LATER_S", 0.0)
    assert await asyncio.wrap_future(database.write_later(add)) == 1


def test_writes_of_an_event_loop_that_has_ended_hold_up_no_others(database: Database) -> None:
    async def begin() -> None:
        asyncio.create_task(database.write(add))  # noqa: RUF006
        await asyncio.sleep(0)

    first = asyncio.new_event_loop()
    first.run_until_complete(begin())
    first.close()
    assert asyncio.run(database.write(add)) == 2


async def test_a_file_that_another_process_keeps_locked_fails_all_that_wait(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.adapters.sqlite.database.BUSY_S", 0.05)
    other = Database(database.path, SCHEMA)
    other.call(lambda connection: connection.execute("BEGIN IMMEDIATE"))
    ended = await asyncio.gather(*(database.write(add) for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in ended] == [StoreUnavailable] * 3
    other.close()


async def test_a_reader_does_not_wait_for_a_writer_and_sees_the_last_commit(database: Database) -> None:
    await database.run(count_up)
    other = Database(database.path, SCHEMA)

    def write_slowly(connection: sqlite3.Connection) -> int:
        with writing(connection):
            connection.execute("UPDATE counters SET value = 99")
            return other.call(read)

    assert database.call(write_slowly) == 1
    assert other.call(read) == 99
    other.close()


@pytest.mark.parametrize("error", [StoreUnavailable, SearchUnavailable])
def test_a_file_of_a_newer_footnote_is_refused_and_not_touched(path: Path, error: type[StoreUnavailable]) -> None:
    newer = Database(path, SCHEMA, version=2)
    newer.call(count_up)
    newer.close()
    older = Database(path, "DROP TABLE counters;\n", version=1, error=error)
    with pytest.raises(error, match="newer Footnote"):
        older.call(read)
    older.close()
    assert newer.call(read) == 1
    newer.close()


def make_older(path: Path) -> Database:
    """A file of version 1, in which was counted to 1."""
    older = Database(path, SCHEMA, version=1)
    older.call(count_up)
    older.close()
    return older


def test_a_file_of_an_older_footnote_is_refused_with_the_remedy_and_not_touched(path: Path) -> None:
    older = make_older(path)
    newer = Database(path, "DROP TABLE counters;\n", version=2)
    with pytest.raises(StoreUnavailable, match=r"older Footnote\. Move that folder away and add the documents again, or choose another"):
        newer.call(read)
    newer.close()
    assert older.call(read) == 1
    older.close()


def test_a_copy_of_an_older_footnote_is_made_anew_at_once_whoever_opens_it(path: Path) -> None:
    older = make_older(path)
    older.call(
        lambda connection: connection.executescript(
            """CREATE TABLE parents (name TEXT PRIMARY KEY); CREATE TABLE children (name TEXT REFERENCES parents, note TEXT);
            INSERT INTO parents VALUES ('a'); INSERT INTO children VALUES ('a', 'b'); CREATE INDEX notes ON children (note);
            CREATE VIRTUAL TABLE words USING fts5 (body); CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row');
            INSERT INTO words VALUES ('a');"""
        )
    )
    older.close()
    for _ in range(2):
        newer = Database(path, SCHEMA, version=4, upgrades={1: "", 3: ""}, is_copy=True)
        assert newer.call(read) == 0
        assert newer.call(lambda connection: [row[0] for row in connection.execute("SELECT name FROM sqlite_master")][:1]) == ["counters"]
        assert (
            newer.call(lambda connection: connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0]) == 1
        )
        newer.close()


def test_a_copy_that_cannot_be_made_anew_stays_as_it_was(path: Path) -> None:
    older = make_older(path)
    newer = Database(path, "CREATE TABLE broken (;\n", version=2, is_copy=True)
    with pytest.raises(StoreUnavailable):
        newer.call(read)
    newer.close()
    assert older.call(read) == 1
    older.close()


STEPS = {1: "ALTER TABLE counters ADD COLUMN step INTEGER NOT NULL DEFAULT 10;\n", 2: "UPDATE counters SET value = value + step;\n"}


def test_a_file_of_an_older_footnote_is_brought_up_to_date_once(path: Path) -> None:
    make_older(path)
    for _ in range(2):
        newer = Database(path, "DROP TABLE counters;\n", version=3, upgrades=STEPS)
        assert newer.call(read) == 11
        newer.close()
    fresh = Database(path.parent / "fresh.db", SCHEMA, version=3, upgrades=STEPS)
    assert fresh.call(read) == 0
    fresh.close()


def test_an_upgrade_that_fails_or_leads_elsewhere_leaves_the_file_as_it_was(path: Path) -> None:
    older = make_older(path)
    for steps in ({2: STEPS[2]}, {1: STEPS[1]}, {**STEPS, 2: "UPDATE counters SET values = 3;\n"}):
        newer = Database(path, SCHEMA, version=3, upgrades=steps)
        with pytest.raises(StoreUnavailable):
            newer.call(read)
        newer.close()
    assert older.call(lambda connection: [row[1] for row in connection.execute("PRAGMA table_info(counters)")]) == ["name", "value"]
    assert older.call(read) == 1
    older.close()


def test_a_schema_that_fails_leaves_nothing_behind(path: Path) -> None:
    broken = Database(path, SCHEMA + "CREATE TABEL x (y);\n")
    with pytest.raises(StoreUnavailable):
        broken.call(read)
    broken.close()
    mended = Database(path, SCHEMA)
    assert mended.call(read) == 0
    mended.close()


def test_a_file_that_is_no_database_is_told_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"not a database at all, " * 100)
    database = Database(tmp_path / "store.db", SCHEMA)
    with pytest.raises(StoreUnavailable, match=r"store\.db"):
        database.call(read)
    database.close()


async def test_many_tasks_on_a_new_file_lose_no_write(path: Path) -> None:
    databases = [Database(path, SCHEMA), Database(path, SCHEMA)]
    await asyncio.gather(*(databases[number % 2].run(count_up) for number in range(16)))
    assert databases[0].call(read) == 16
    for database in databases:
        database.close()


async def test_opening_waits_for_a_process_that_is_making_the_file(tmp_path: Path) -> None:
    maker = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    maker.execute("BEGIN IMMEDIATE")
    asyncio.get_running_loop().call_later(0.05, maker.execute, "COMMIT")
    database = Database(tmp_path / "store.db", SCHEMA)
    assert await database.run(read) == 0
    database.close()
    maker.close()


COUNT_UP_50 = """
import sys
from pathlib import Path
from footnote.adapters.sqlite.database import Database, writing

def count_up(connection):
    with writing(connection):
        value = connection.execute("SELECT value FROM counters").fetchone()[0]
        connection.execute("UPDATE counters SET value = ?", (value + 1,))

database = Database(Path(sys.argv[1]), sys.argv[2])
for _ in range(50):
    database.call(count_up)
"""


def test_two_processes_that_write_at_once_lose_no_write(path: Path, database: Database) -> None:
    started = [subprocess.Popen([sys.executable, "-c", COUNT_UP_50, path, SCHEMA]) for _ in range(2)]
    assert [process.wait(timeout=60) for process in started] == [0, 0]
    assert database.call(read) == 100
