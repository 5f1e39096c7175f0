"""Makes the entries of the ledger from the tables of documents that versions 7 to 10 of the store had."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from footnote.adapters.sqlite.database import run_script
from footnote.adapters.sqlite.ledger_store import LEDGER_SCHEMA
from footnote.ledger.entries import (
    FIELDS,
    alias_key,
    content_key,
    document_key,
    listed_in_kind,
    listed_in_scope,
    make_body,
    make_document,
    name_key,
    origin_key,
    position_of_origin,
    scope_id,
)
from footnote.ports.ledger import Body, DocumentScope, Position

PURGED, KEPT = 1, 2
"""Values of the column `buried`."""

Entry = tuple[str, Body, Position | None, Position | None]
"""Key, body, and the places in the lists of its scope and its kind."""


def make_entries(connection: sqlite3.Connection) -> None:
    """Replaces the tables, inside the caller's transaction."""
    run_script(connection, LEDGER_SCHEMA)
    for entries in (_documents(connection), _uploads(connection), _origins(connection), _contents(connection), _aliases(connection)):
        connection.executemany(
            "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?)",
            ((key, json.dumps(body), *(scope or (None, None)), *(kind or (None, None))) for key, body, scope, kind in entries),
        )
    connection.execute("INSERT INTO ledger_counts SELECT collection, permission_groups, state, COUNT(*) FROM documents GROUP BY 1, 2, 3")
    run_script(connection, "DROP TABLE document_names;\nDROP TABLE document_aliases;\nDROP TABLE documents;\n")


def _documents(connection: sqlite3.Connection) -> Iterator[Entry]:
    present = [row["name"] for row in connection.execute("PRAGMA table_info(documents)") if row["name"] in FIELDS]
    for row in connection.execute("SELECT * FROM documents"):
        fields: dict[str, Any] = {name: row[name] for name in present}
        fields |= {"permission_groups": json.loads(row["permission_groups"]), "metadata": json.loads(row["metadata"])}
        names = connection.execute("SELECT * FROM document_names WHERE doc_id = ?", (row["doc_id"],))
        body = make_body(make_document(fields), {_name_key(name): name["shown"] for name in names})
        lease = None if row["lease_owner"] is None else {"owner": row["lease_owner"], "until": row["lease_until"]}
        body |= {"lease": lease, "buried": row["buried"] == PURGED, "kept": row["buried"] == KEPT}
        yield document_key(row["doc_id"]), body, listed_in_scope(body), listed_in_kind(body)


def _uploads(connection: sqlite3.Connection) -> Iterator[Entry]:
    for row in connection.execute("SELECT * FROM document_names WHERE version IS NULL"):
        yield _name_key(row), {"name": row["file_name"], "leads_to": _leads_to(row)}, None, None


def _origins(connection: sqlite3.Connection) -> Iterator[Entry]:
    """An origin leads to the document that was updated last, if several scopes have it."""
    rows = connection.execute(
        """SELECT document_names.* FROM document_names JOIN documents USING (doc_id) WHERE version IS NOT NULL
           ORDER BY document_names.file_name, updated_at"""
    )
    for origin, same in groupby(rows, lambda row: str(row["file_name"])):
        leads_to: Body = {}
        for row in same:
            leads_to |= _leads_to(row)
        yield origin_key(origin), {"name": origin, "leads_to": leads_to}, None, Position("origin", position_of_origin(origin))


def _contents(connection: sqlite3.Connection) -> Iterator[Entry]:
    rows = connection.execute(
        """SELECT content_hash, collection, permission_groups, doc_id, created_at FROM documents WHERE state <> 'DELETED'
           ORDER BY content_hash, collection, permission_groups"""
    )
    for (content_hash, *scope), same in groupby(rows, lambda row: row[:3]):
        yield content_key(DocumentScope(*scope), content_hash), {row["doc_id"]: row["created_at"] for row in same}, None, None


def _aliases(connection: sqlite3.Connection) -> Iterator[Entry]:
    for alias, doc_id in connection.execute("SELECT alias, doc_id FROM document_aliases"):
        yield alias_key(alias), {"doc_id": doc_id}, None, None


def _leads_to(row: sqlite3.Row) -> Body:
    return {scope_id(_scope(row)): {"doc_id": row["doc_id"], "version": row["version"]}}


def _name_key(row: sqlite3.Row) -> str:
    return name_key(_scope(row), row["file_name"]) if row["version"] is None else origin_key(row["file_name"])


def _scope(row: sqlite3.Row) -> DocumentScope:
    return DocumentScope(row["collection"], row["permission_groups"])
