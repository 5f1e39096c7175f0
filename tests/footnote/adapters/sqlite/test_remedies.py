"""What is wrong with a database and what to do about it: damaged, full, read-only, forbidden, locked."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from footnote.adapters.sqlite import database as module
from footnote.adapters.sqlite.checkpoints import open_checkpoints
from footnote.adapters.sqlite.database import Database, check_pages, writing
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.store import open_store
from footnote.errors import SearchUnavailable, StoreUnavailable
from tests.full_disk import files_of_at_most

SCHEMA = "CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);\n"
PAGE = 4096
NOISE = random.Random(7).randbytes


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """120 kB of texts."""
    database = Database(tmp_path / "store.db", SCHEMA)
    for number in range(30):
        database.call(add, f"{number:02} " + "word " * 400)
    database.close()
    yield database
    database.close()


def add(connection: sqlite3.Connection, text: str) -> None:
    with writing(connection):
        connection.execute("INSERT INTO texts (text) VALUES (?)", (text,))


def read(connection: sqlite3.Connection) -> int:
    return len(connection.execute("SELECT text FROM texts ORDER BY number").fetchall())


@contextmanager
def told(what: str, error: type[Exception] = StoreUnavailable) -> Iterator[None]:
    with pytest.raises(error) as caught:
        yield
    assert caught.value.detail == what  # type: ignore[attr-defined]


# --- damaged -----------------------------------------------------------------------------------

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "the header is overwritten": lambda data: NOISE(100) + data[100:],
    "the header is zeros": lambda data: bytes(100) + data[100:],
    "its first page is zeros": lambda data: bytes(PAGE) + data[PAGE:],
    "its first page is noise after the header": lambda data: data[:100] + NOISE(PAGE - 100) + data[PAGE:],
    "pages are zeros": lambda data: data[: 2 * PAGE] + bytes(20 * PAGE) + data[22 * PAGE :],
    "pages are noise": lambda data: data[: 2 * PAGE] + NOISE(20 * PAGE) + data[22 * PAGE :],
    "half of it is missing": lambda data: data[: len(data) // 2],
    "a page is left": lambda data: data[:PAGE],
    "60 bytes are left": lambda data: data[:60],
    "it is something else": lambda data: b"no database at all, " * 1000,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_database_is_told_as_damaged_with_the_remedy(damage: str, database: Database) -> None:
    database.path.write_bytes(DAMAGES[damage](database.path.read_bytes()))
    with pytest.raises(StoreUnavailable) as caught:
        database.call(read)
    assert caught.value.detail in (
        f"The database store.db cannot be used ({reason}). It is damaged. Stop Footnote, and restore a backup as docs/backup.md says."
        for reason in ("file is not a database", "database disk image is malformed")
    )


def test_a_page_that_nothing_reads_is_found_damaged_by_the_check_of_all(database: Database) -> None:
    data = database.path.read_bytes()
    at = data.rindex(b"word") // PAGE * PAGE
    database.path.write_bytes(data[:at] + NOISE(PAGE) + data[at + PAGE :])
    assert database.call(lambda connection: connection.execute("SELECT max(number) FROM texts").fetchone()[0] > 0)
    with pytest.raises(StoreUnavailable, match=r"It is damaged\. Stop Footnote, and restore a backup"):
        database.call(check_pages)


def test_the_check_of_all_pages_finds_nothing_in_a_whole_database(database: Database) -> None:
    database.call(check_pages)
    assert database.call(read) == 30


def test_a_text_that_is_not_utf_8_is_damage_and_is_not_quoted(database: Database) -> None:
    database.path.write_bytes(database.path.read_bytes().replace(b"03 word", b"03 \xff\xfe\xff\xfe"))
    restore = "It is damaged. Stop Footnote, and restore a backup as docs/backup.md says."
    with told(f"The database store.db cannot be used (a text is not UTF-8). {restore}"):
        database.call(read)


async def test_a_damaged_index_is_made_again_and_a_damaged_cache_is_deleted(tmp_path: Path) -> None:
    for name in ("index.db", "checkpoints.db"):
        (tmp_path / name).write_bytes(b"no database at all, " * 1000)
    index, checkpoints = SqliteIndex(tmp_path), open_checkpoints(tmp_path)
    rebuild = "It is damaged. Stop Footnote, move it and its -wal and -shm files away, and run `footnote verify --repair`."
    with told(f"The database index.db cannot be used (file is not a database). {rebuild}", SearchUnavailable):
        await index.check_database()
    delete = "It is damaged. Stop Footnote, and delete it with its -wal and -shm files: it holds only copies."
    with told(f"The database checkpoints.db cannot be used (file is not a database). {delete}"):
        checkpoints.call(check_pages)


# --- full, read-only, forbidden ----------------------------------------------------------------

FULL = "The disk is full. Free disk space."


def test_a_full_disk_is_told_as_full_and_writes_go_on_when_there_is_space(database: Database) -> None:
    def limit(connection: sqlite3.Connection, pages: int) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    database.call(limit, 1)  # SQLite takes the present size instead
    for _ in range(2):
        with told(f"The database store.db cannot be used (database or disk is full). {FULL}"):
            database.call(add, "long " * 5000)
    assert database.call(read) == 30
    database.call(limit, 1_000_000)
    database.call(add, "long " * 5000)
    assert database.call(read) == 31


def test_a_file_that_may_not_grow_is_told_as_full_too(database: Database) -> None:
    assert database.call(read) == 30
    with files_of_at_most(50_000), told(f"The database store.db cannot be used (disk I/O error). {FULL}"):
        database.call(add, "long " * 50_000)
    database.call(add, "long " * 50_000)
    assert database.call(read) == 31


async def test_a_database_is_writable_again_when_there_is_space(database: Database) -> None:
    await database.check_writable()
    with files_of_at_most(50_000), told(f"The database store.db cannot be written. {FULL}"):
        await database.check_writable()
    await database.check_writable()
    assert [path.name for path in database.path.parent.iterdir()] == ["store.db"]


async def test_a_file_that_footnote_may_not_write_is_told_as_forbidden(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != database.path)
    forbidden = "Footnote may not read or write there. Grant its user access, or choose another data folder."
    with told(f"The database store.db cannot be written. {forbidden}"):
        await database.check_writable()


def test_a_database_that_takes_no_writes_is_told_as_read_only(database: Database) -> None:
    database.call(lambda connection: connection.execute("PRAGMA query_only = ON"))
    read_only = "The file system is read-only. Make it writable, or choose another data folder."
    with told(f"The database store.db cannot be used (attempt to write a readonly database). {read_only}"):
        database.call(add, "more")
    assert database.call(read) == 30


def test_a_folder_in_the_place_of_a_database_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    with told("The database store.db cannot be used (unable to open database file). Check the disk and the data folder."):
        open_store(tmp_path).call(read)


# --- in use ------------------------------------------------------------------------------------


def test_a_locked_database_is_told_as_locked(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUSY_S", 0.01)
    with closing(sqlite3.connect(database.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        locked = "Another program has locked it. End that program, or try again."
        with told(f"The database store.db cannot be used (database is locked). {locked}"):
            database.call(add, "more")
    database.call(add, "more")
    assert database.call(read) == 31


def test_a_commit_that_fails_leaves_the_connection_usable(tmp_path: Path) -> None:
    database = Database(
        tmp_path / "store.db",
        "CREATE TABLE one (id INTEGER PRIMARY KEY);\nCREATE TABLE many (one REFERENCES one DEFERRABLE INITIALLY DEFERRED);\n",
    )

    def insert(connection: sqlite3.Connection, statement: str) -> None:
        with writing(connection):
            connection.execute(statement)

    with pytest.raises(StoreUnavailable, match="FOREIGN KEY constraint failed"):
        database.call(insert, "INSERT INTO many VALUES (1)")
    database.call(insert, "INSERT INTO one VALUES (1)")
    database.call(insert, "INSERT INTO many VALUES (1)")
    database.close()
