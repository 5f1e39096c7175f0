"""Lets origins lead to other documents, in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.ledger_renew import start_again
from footnote.adapters.sqlite.ledger_writes import KEPT, bury, count_names, mark_deleted, read_document, rename
from footnote.ports import Target
from footnote.types import Document


def redirect(connection: sqlite3.Connection, origins: Mapping[str, Target | None], now: float) -> list[Document]:
    """`ports.Ledger.redirect`."""
    with writing(connection):
        targets = {target.doc_id for target in origins.values() if target is not None}
        led = set(targets)
        for origin in origins:
            rows = connection.execute("DELETE FROM document_names WHERE file_name = ? AND version IS NOT NULL RETURNING doc_id", (origin,))
            led.update(row["doc_id"] for row in rows.fetchall())
        for origin, target in origins.items():
            if target is not None:
                connection.execute(
                    """INSERT INTO document_names SELECT collection, permission_groups, ?, ?, ?, doc_id FROM documents WHERE doc_id = ?""",
                    (origin, target.file_name, target.version, target.doc_id),
                )
        kept = {row["doc_id"] for row in connection.execute("SELECT doc_id FROM documents WHERE buried = ?", (KEPT,))}
        deleted = []
        for doc_id in sorted(led):
            document = read_document(connection, doc_id)
            if document.state == "DELETED" and (doc_id not in kept or count_names(connection, doc_id)):
                continue
            if count_names(connection, doc_id) == 0:
                mark_deleted(connection, doc_id, now)
                bury(connection, doc_id, 0)
                deleted.append(read_document(connection, doc_id))
                continue
            rename(connection, doc_id)
            if doc_id in targets and read_document(connection, doc_id).file_name != document.file_name:
                start_again(connection, doc_id, now)
        return deleted
