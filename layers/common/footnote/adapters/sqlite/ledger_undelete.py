"""Deleted documents that can be restored; see `ports.Ledger`."""

from __future__ import annotations

import sqlite3

from footnote.adapters.shared.ledger import check_same, make_scope
from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.ledger_renew import start_again
from footnote.adapters.sqlite.ledger_writes import KEPT, bury, find_content, make_document
from footnote.errors import NotFound
from footnote.types import RESTORABLE_S, Caller, Document


def deleted(connection: sqlite3.Connection, caller: Caller, collection: str | None, now: float) -> list[Document]:
    """`ports.Ledger.deleted`, all of them."""
    rows = connection.execute(
        """SELECT * FROM documents WHERE buried = ? AND state = 'DELETED' AND updated_at > ? AND ? IN (collection, '')
           ORDER BY updated_at DESC, doc_id""",
        (KEPT, now - RESTORABLE_S, collection or ""),
    )
    return [document for document in map(make_document, rows) if caller.may_read(document.permission_groups)]


def find_deleted(connection: sqlite3.Connection, caller: Caller, doc_id: str, now: float) -> Document:
    """`ports.Ledger.find_deleted`."""
    row = connection.execute(
        """SELECT * FROM documents WHERE buried = :kept AND state = 'DELETED' AND updated_at > :since
           AND doc_id = COALESCE((SELECT doc_id FROM document_aliases WHERE alias = :id), :id)""",
        {"id": doc_id, "kept": KEPT, "since": now - RESTORABLE_S},
    ).fetchone()
    if row is None or not caller.may_read(make_document(row).permission_groups):
        raise NotFound("There is no such document.")
    return make_document(row)


def undelete(connection: sqlite3.Connection, doc_id: str, generation: int, now: float) -> bool:
    """`ports.Ledger.undelete`."""
    with writing(connection):
        row = connection.execute(
            "SELECT * FROM documents WHERE doc_id = ? AND generation = ? AND buried = ? AND state = 'DELETED' AND updated_at > ?",
            (doc_id, generation, KEPT, now - RESTORABLE_S),
        ).fetchone()
        if row is None:
            return False
        document = make_document(row)
        check_same(find_content(connection, make_scope(document.collection, document.permission_groups), document.content_hash))
        start_again(connection, doc_id, now)
        connection.execute("UPDATE documents SET active_generation = 0, buried = 0 WHERE doc_id = ?", (doc_id,))
        return True


def give_up(connection: sqlite3.Connection, doc_id: str) -> bool:
    """`ports.Ledger.give_up`."""
    with writing(connection):
        return bury(connection, doc_id, 0)
