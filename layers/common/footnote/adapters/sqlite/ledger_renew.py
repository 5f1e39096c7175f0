"""Starts the next generation of a document from the same content, also in another scope."""

from __future__ import annotations

import sqlite3

from footnote.adapters.shared.ledger import Scope
from footnote.adapters.sqlite.database import writing


def renew(connection: sqlite3.Connection, doc_id: str, generation: int, now: float) -> bool:
    """`ports.Ledger.renew`."""
    with writing(connection):
        done = connection.execute(
            "UPDATE documents SET state = 'RECEIVED' WHERE doc_id = ? AND generation = ? AND state = 'READY'", (doc_id, generation)
        )
        if done.rowcount:
            start_again(connection, doc_id, now)
        return bool(done.rowcount)


def move(connection: sqlite3.Connection, doc_id: str, generation: int, scope: Scope, now: float) -> bool:
    """`ports.Ledger.move`."""
    with writing(connection):
        done = connection.execute(
            """UPDATE documents SET collection = ?, permission_groups = ?, active_generation = 0
               WHERE doc_id = ? AND generation = ? AND state <> 'DELETED'""",
            (*scope, doc_id, generation),
        )
        if done.rowcount:
            start_again(connection, doc_id, now)
            connection.execute(
                """UPDATE OR IGNORE document_names SET collection = ?, permission_groups = ? WHERE doc_id = ? AND version IS NULL""",
                (*scope, doc_id),
            )
            connection.execute(
                """DELETE FROM document_names WHERE doc_id = ? AND version IS NULL AND (collection, permission_groups) <> (?, ?)""",
                (doc_id, *scope),
            )
        return bool(done.rowcount)


def start_again(connection: sqlite3.Connection, doc_id: str, now: float) -> None:
    """Starts the next generation of a document."""
    connection.execute(
        """UPDATE documents SET state = 'RECEIVED', generation = generation + 1, reason = NULL, remedy = NULL, lease_owner = NULL,
               updated_at = ? WHERE doc_id = ?""",
        (now, doc_id),
    )
