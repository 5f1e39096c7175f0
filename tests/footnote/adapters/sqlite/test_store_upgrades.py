"""Folders of earlier versions open with everything in them. They had tables of documents, names and aliases, and links without users."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite import ledger_upgrade
from footnote.adapters.sqlite.ledger_store import LEDGER_SCHEMA, SqliteLedgerStore
from footnote.adapters.sqlite.records import RECORDS_SCHEMA, SqliteRecords
from footnote.adapters.sqlite.store import SCHEMA, open_store
from footnote.errors import NotFound, StoreUnavailable
from footnote.memory.shares import Share, digest_of, find_share, valid_shares
from footnote.ports import Held, Name, NewFile
from footnote.types import Caller, Document
from tests.books import Books

TABLES = """
CREATE TABLE documents (
    doc_id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    collection TEXT NOT NULL,
    file_name TEXT NOT NULL,
    state TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    permission_groups TEXT NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    generation INTEGER NOT NULL,
    active_generation INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    remedy TEXT,
    pages INTEGER,
    chunks INTEGER NOT NULL DEFAULT 0,
    lang TEXT,
    format TEXT NOT NULL DEFAULT '',
    cut TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    words TEXT NOT NULL DEFAULT '',
    described_by TEXT NOT NULL DEFAULT 'patterns',
    metadata TEXT NOT NULL DEFAULT '{}',
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    lease_owner TEXT,
    lease_until REAL,
    buried INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX documents_by_content ON documents (content_hash, collection, permission_groups);
CREATE INDEX documents_by_groups ON documents (permission_groups, collection, state);
CREATE INDEX documents_by_age ON documents (created_at DESC, doc_id);
CREATE TABLE document_names (
    collection TEXT NOT NULL,
    permission_groups TEXT NOT NULL,
    file_name TEXT NOT NULL,
    shown TEXT NOT NULL,
    version TEXT,
    doc_id TEXT NOT NULL REFERENCES documents,
    PRIMARY KEY (collection, permission_groups, file_name)
) WITHOUT ROWID;
CREATE INDEX document_names_by_document ON document_names (doc_id);
CREATE INDEX document_names_by_name ON document_names (file_name);
CREATE TABLE document_aliases (
    alias TEXT PRIMARY KEY,
    doc_id TEXT NOT NULL REFERENCES documents
) WITHOUT ROWID;
"""
"""Those of versions 9 and 10, without the indexes of versions 8 to 10."""

ADDED = {7: ("owner", "words", "described_by"), 8: ("words", "described_by"), 9: (), 10: ()}
"""Version → the columns of `documents` that it lacks."""

ME = Caller("me", frozenset({"staff"}))
SHARE = Share("id", digest_of("token"), "me", "r1", 5.0)
STAFF, BOARD = '["staff"]', '["board"]'


def insert(connection: sqlite3.Connection, table: str, **row: Any) -> None:
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))


def add(connection: sqlite3.Connection, doc_id: str, number: int, names: Any, **given: Any) -> None:
    """A document, and its names: (name or origin, what is shown, version, groups)."""
    row = {
        "doc_id": doc_id, "title": doc_id, "collection": "default", "file_name": names[0][1] if names else "x.json",
        "state": "READY", "content_hash": f"h{number}", "size": 7, "permission_groups": STAFF, "generation": 2, "active_generation": 2,
        "chunks": 3,
        "metadata": json.dumps({"class": "길"}), "created_at": float(number), "updated_at": number + 0.5, **given,
    }  # fmt: skip
    insert(connection, "documents", **row)
    for file_name, shown, version, *groups in names:
        insert(
            connection, "document_names", collection=row["collection"], permission_groups=(groups or [row["permission_groups"]])[0],
            file_name=file_name, shown=shown, version=version, doc_id=doc_id,
        )  # fmt: skip


def fill(connection: sqlite3.Connection) -> None:
    add(connection, "ready", 1, [("a.txt", "a.txt", None), ("s3://b/a", "a", "v1")], reason="One page is empty.", lang="ko")
    add(connection, "same", 2, [("b.txt", "b.txt", None)], content_hash="h1")
    add(connection, "work", 3, [], state="PROCESSING", lease_owner="worker", lease_until=5000.0)
    add(connection, "failed", 4, [("c.txt", "c.txt", None)], state="FAILED", reason="It is locked.")
    add(connection, "elsewhere", 5, [("s3://b/a", "a", "v2")], permission_groups=BOARD, collection="hr")
    add(connection, "purged", 6, [("s3://b/gone", "gone", "v1")], state="DELETED", buried=1)
    add(connection, "kept", 7, [("k.txt", "k.txt", None)], state="DELETED", buried=2, updated_at=999.0)
    add(connection, "unburied", 8, [("u.txt", "u.txt", None)], state="DELETED", buried=0)
    add(connection, "moved", 9, [("s3://b/m", "m", "v1", BOARD)])
    insert(connection, "document_aliases", alias="reserved", doc_id="ready")
    share = json.dumps(asdict(SHARE))
    insert(connection, "records", kind="share", key=SHARE.digest, value=share, version=1, changed_at=5.0, changed_by="me")


@pytest.fixture
def older(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder of this version."""
    version: int = getattr(request, "param", 10)
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.executescript(SCHEMA.replace(LEDGER_SCHEMA, TABLES) + RECORDS_SCHEMA)
        for column in ADDED[version]:
            connection.execute(f"ALTER TABLE documents DROP COLUMN {column}")
        fill(connection)
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    return tmp_path


@pytest.fixture
def books(older: Path, clock: Any) -> Iterator[Books]:
    clock.now = 1000.0
    database = open_store(older)
    yield Books(SqliteLedgerStore(database), clock)
    database.close()


EVERY_VERSION = pytest.mark.parametrize("older", ADDED, indirect=True)


@EVERY_VERSION
async def test_every_field_of_a_document_is_kept(books: Books) -> None:
    assert await books.ledger.get(ME, "ready") == Document(
        doc_id="ready", title="ready", collection="default", file_name="a.txt", state="READY", content_hash="h1", size=7,
        permission_groups=frozenset({"staff"}), generation=2, active_generation=2, reason="One page is empty.", chunks=3, lang="ko",
        metadata={"class": "길"}, created_at=1.0, updated_at=1.5,
    )  # fmt: skip
    assert (await books.ledger.get(ME, "reserved")).doc_id == "ready"
    with pytest.raises(NotFound):
        await books.ledger.get(ME, "elsewhere")


@EVERY_VERSION
async def test_documents_are_listed_and_counted_as_before(books: Books) -> None:
    assert [each.doc_id for each in (await books.ledger.list(ME)).data] == ["moved", "failed", "work", "same", "ready"]
    assert await books.ledger.collections(ME) == {"default": 3}
    assert await books.ledger.readable_states(ME, "default") == {"PROCESSING": 1, "FAILED": 1, "READY": 3}
    assert await books.lifecycle.counts() == {"RECEIVED": 0, "PROCESSING": 1, "READY": 4, "FAILED": 1, "DELETED": 3}
    kinds: tuple[Any, ...] = ("unfinished", "failed", "undescribed", "kept", "unburied")
    listed = {kind: [each.doc_id for each in await books.lifecycle.of_kind(kind)] for kind in kinds}
    assert listed == {"unfinished": ["work"], "failed": ["failed"], "undescribed": [], "kept": ["kept"], "unburied": ["unburied"]}


async def test_names_and_origins_lead_where_they_led(books: Books) -> None:
    assert sorted(await books.origins.names("ready")) == [Name("a", "s3://b/a", "v1"), Name("a.txt")]
    assert await books.origins.names("moved") == [Name("m", "s3://b/m", "v1")]
    assert await books.origins.held("s3://b/a") == Held("elsewhere", "v2")  # updated last
    assert await books.origins.under("s3://b/") == {
        "s3://b/a": Held("elsewhere", "v2"), "s3://b/gone": Held("purged", "v1"), "s3://b/m": Held("moved", "v1"),
    }  # fmt: skip

    def file(name: str, content_hash: str) -> NewFile:
        given: dict[str, Any] = {"collection": "default", "permission_groups": frozenset({"staff"}), "size": 7}
        return NewFile(file_name=name, content_hash=content_hash, **given)

    assert (await books.lifecycle.accept(ME, file("new.txt", "h1")))[0].doc_id == "ready"  # the older of two with this content
    renewed, work = await books.lifecycle.accept(ME, file("b.txt", "h9"))
    assert (renewed.doc_id, renewed.generation, work) == ("same", 3, True)
    again, work = await books.lifecycle.accept(ME, file("u.txt", "h8"))
    assert (again.doc_id != "unburied", again.generation, work) == (True, 1, True)


async def test_leases_deletions_and_the_time_to_restore_are_kept(books: Books, clock: Any) -> None:
    assert not await books.lifecycle.lease("work", 2, "another", 9)
    assert await books.lifecycle.lease("work", 2, "worker", 9)
    assert await books.lifecycle.undelete("kept", 2)
    assert await books.origins.names("kept") == [Name("k.txt")]
    for doc_id in ("purged", "unburied"):
        assert not await books.lifecycle.undelete(doc_id, 2)
    assert (await books.ledger.delete(ME, "unburied")).state == "DELETED"
    with pytest.raises(NotFound):
        await books.ledger.delete(ME, "purged")


@pytest.mark.parametrize("older", [7, 8, 9], indirect=True)
async def test_links_are_found_and_listed(older: Path, clock: Any) -> None:
    store = open_store(older)
    records = SqliteRecords(store, clock)
    assert await valid_shares(ME, records=records, now=6.0) == [SHARE]
    assert await find_share("token", records=records, now=6.0) == SHARE
    store.close()


def test_an_upgrade_that_is_interrupted_leaves_the_folder_as_it_was(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: sqlite3.Connection) -> Any:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(ledger_upgrade, "_aliases", fail)
        database = open_store(older)
        with pytest.raises(StoreUnavailable):
            database.call(lambda connection: None)
        database.close()
    with sqlite3.connect(older / "store.db") as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (10,)
        assert connection.execute("SELECT COUNT(*) FROM documents").fetchone() == (9,)
        assert connection.execute("SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'ledger%'").fetchone() == (0,)
    connection.close()
    tables = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'documents'"
    again = open_store(older)
    assert again.call(lambda connection: connection.execute(tables).fetchone()[0]) == 0
    again.close()
