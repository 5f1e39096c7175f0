"""Documents of another ledger in the embedded one; see `ports.Ledger.restore`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict

from footnote.adapters.shared.ledger import make_name, make_origin, make_scope
from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.ledger_writes import is_unused
from footnote.ports import Name
from footnote.types import Document


def names(connection: sqlite3.Connection, doc_id: str) -> list[Name]:
    """`ports.Ledger.names`."""
    rows = connection.execute("SELECT file_name, shown, version FROM document_names WHERE doc_id = ?", (doc_id,))
    return [Name(shown) if version is None else Name(shown, name, version) for name, shown, version in rows]


def restore(connection: sqlite3.Connection, document: Document, names: Sequence[Name]) -> bool:
    """`ports.Ledger.restore`."""
    scope = make_scope(document.collection, document.permission_groups)
    row = asdict(document) | {"permission_groups": scope.groups, "metadata": json.dumps(dict(document.metadata))}
    with writing(connection):
        if not is_unused(connection, document.doc_id):
            return False
        connection.execute(f"INSERT INTO documents ({', '.join(row)}) VALUES ({', '.join(f':{name}' for name in row)})", row)
        connection.executemany(
            "INSERT OR IGNORE INTO document_names VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    *scope,
                    make_name(name.file_name) if name.origin is None else make_origin(name.origin),
                    make_name(name.file_name),
                    None if name.origin is None else name.version,
                    document.doc_id,
                )
                for name in names
            ],
        )
    return True
