"""Writes of the embedded ledger, all in a worker thread; see `ports.Ledger`."""

from __future__ import annotations

import json
import secrets
import sqlite3
from typing import Any

from footnote.adapters.shared.ledger import ENDS_A_LEASE, File, Scope, brings_metadata, check_overwrite, make_scope, make_slug
from footnote.adapters.sqlite.database import writing
from footnote.errors import NotFound
from footnote.types import Caller, Document

LEDGER_COLUMNS = frozenset({"lease_owner", "lease_until", "buried"})
"""Columns that are not fields of a Document. `buried`: 1 = the document is purged, KEPT = it can be restored."""
KEPT = 2
"""Its files, and its names unless they lead elsewhere by now, are left until it is restored or purged."""


def make_document(row: sqlite3.Row) -> Document:
    """The document of a row of `documents`."""
    values = {name: row[name] for name in row.keys() if name not in LEDGER_COLUMNS}  # noqa: SIM118 (a Row is not a mapping)
    values["permission_groups"] = frozenset(json.loads(row["permission_groups"]))
    values["metadata"] = json.loads(row["metadata"])
    return Document(**values)


def read_document(connection: sqlite3.Connection, doc_id: str) -> Document:
    """A document by its id, deleted or not; NotFound."""
    row = connection.execute("SELECT * FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
    if row is None:
        raise NotFound("There is no such document.")
    return make_document(row)


def get(connection: sqlite3.Connection, caller: Caller, doc_id: str) -> Document:
    """`ports.Ledger.get`."""
    alias = connection.execute("SELECT doc_id FROM document_aliases WHERE alias = ?", (doc_id,)).fetchone()
    document = read_document(connection, alias["doc_id"] if alias else doc_id)
    if document.state == "DELETED" or not caller.may_read(document.permission_groups):
        raise NotFound("There is no such document.")
    return document


def accept(connection: sqlite3.Connection, caller: Caller, file: File, now: float) -> tuple[Document, bool]:
    """`ports.Ledger.accept`."""
    with writing(connection):
        doc_id, work = _place_by_id(connection, caller, file, now) if file.chosen_id else _place(connection, file, now)
        if file.doc_id is not None and is_unused(connection, file.doc_id):
            connection.execute("INSERT INTO document_aliases VALUES (?, ?)", (file.doc_id, doc_id))
        return read_document(connection, doc_id), work


def _place(connection: sqlite3.Connection, file: File, now: float) -> tuple[str, bool]:
    """(id of the document that has this file from now on, whether it has to be processed)."""
    named = _find_named(connection, file.scope, file.name)
    if named is not None and (named.content_hash == file.content_hash or count_names(connection, named.doc_id) == 1):
        document = named
        _point(connection, file, named.doc_id, None)
    else:
        same = find_content(connection, file.scope, file.content_hash)
        doc_id = same.doc_id if same is not None else _insert(connection, file, now)
        _point(connection, file, doc_id, named)
        if same is None:
            return doc_id, True
        document = same
    return document.doc_id, _renew_if_changed(connection, document, file, now)


def _place_by_id(connection: sqlite3.Connection, caller: Caller, file: File, now: float) -> tuple[str, bool]:
    """Like `_place`, for a chosen id."""
    row = connection.execute(
        "SELECT * FROM documents WHERE doc_id = COALESCE((SELECT doc_id FROM document_aliases WHERE alias = :id), :id)", {"id": file.doc_id}
    ).fetchone()
    if row is None:
        return _insert(connection, file, now), True
    known = make_document(row)
    check_overwrite(caller, known, file, known.doc_id != file.doc_id or count_names(connection, known.doc_id) > 0)
    return known.doc_id, _renew_if_changed(connection, known, file, now)


def _find_named(connection: sqlite3.Connection, scope: Scope, name: str) -> Document | None:
    row = connection.execute(
        """SELECT documents.* FROM document_names JOIN documents USING (doc_id)
           WHERE document_names.collection = ? AND document_names.permission_groups = ? AND document_names.file_name = ?
             AND state <> 'DELETED'""",
        (*scope, name),
    ).fetchone()
    return None if row is None else make_document(row)


def find_content(connection: sqlite3.Connection, scope: Scope, content_hash: str) -> Document | None:
    """The oldest document with this content; there are several if documents came to the same content one by one."""
    row = connection.execute(
        """SELECT * FROM documents WHERE content_hash = ? AND collection = ? AND permission_groups = ? AND state <> 'DELETED'
           ORDER BY created_at, doc_id LIMIT 1""",
        (content_hash, *scope),
    ).fetchone()
    return None if row is None else make_document(row)


def count_names(connection: sqlite3.Connection, doc_id: str) -> int:
    """How many names lead to the document."""
    return int(connection.execute("SELECT COUNT(*) FROM document_names WHERE doc_id = ?", (doc_id,)).fetchone()[0])


def _insert(connection: sqlite3.Connection, file: File, now: float) -> str:
    doc_id = file.doc_id if file.doc_id is not None and is_unused(connection, file.doc_id) else _make_id(connection, file.shown)
    connection.execute(
        """INSERT INTO documents (doc_id, title, collection, file_name, state, content_hash, size, permission_groups, owner,
               generation, metadata, created_at, updated_at) VALUES (?, ?, ?, ?, 'RECEIVED', ?, ?, ?, ?, 1, ?, ?, ?)""",
        (
            doc_id,
            file.title or file.shown,
            file.scope.collection,
            file.shown,
            file.content_hash,
            file.size,
            file.scope.groups,
            file.owner,
            file.metadata or "{}",
            now,
            now,
        ),
    )
    return doc_id


def _renew_if_changed(connection: sqlite3.Connection, document: Document, file: File, now: float) -> bool:
    """Starts the document's next generation if the file or its scope differs; the active one answers until that is ready, unless the
    document was deleted or its scope changes."""
    stays = document.state != "DELETED" and make_scope(document.collection, document.permission_groups) == file.scope
    same = document.content_hash == file.content_hash and not brings_metadata(file, document.metadata)
    if stays and same and document.state != "FAILED":
        return False
    connection.execute(
        """UPDATE documents SET state = 'RECEIVED', generation = generation + 1, active_generation = ?, collection = ?,
               permission_groups = ?, content_hash = ?, size = ?, title = ?, metadata = COALESCE(?, metadata), reason = NULL,
               remedy = NULL, lease_owner = NULL, buried = 0, updated_at = ? WHERE doc_id = ?""",
        (
            document.active_generation if stays else 0,
            *file.scope,
            file.content_hash,
            file.size,
            file.title or document.title,
            file.metadata,
            now,
            document.doc_id,
        ),
    )
    return True


def _point(connection: sqlite3.Connection, file: File, doc_id: str, before: Document | None) -> None:
    """Lets the name lead to this document. The previous document is shown under the first of its other names, or cannot be restored
    any more if it is deleted and has none."""
    held = connection.execute(
        """SELECT doc_id FROM document_names JOIN documents USING (doc_id) WHERE document_names.collection = ?
           AND document_names.permission_groups = ? AND document_names.file_name = ? AND doc_id <> ? AND buried = ?""",
        (*file.scope, file.name, doc_id, KEPT),
    ).fetchone()
    connection.execute(
        "INSERT OR REPLACE INTO document_names VALUES (?, ?, ?, ?, ?, ?)", (*file.scope, file.name, file.shown, file.version, doc_id)
    )
    if before is not None:
        rename(connection, before.doc_id)
    if held is not None and count_names(connection, held["doc_id"]) == 0:
        bury(connection, held["doc_id"], 0)


def rename(connection: sqlite3.Connection, doc_id: str) -> None:
    """A document that lost the name it is shown under gets the first of its other names."""
    connection.execute(
        """UPDATE documents SET file_name = (SELECT MIN(shown) FROM document_names WHERE doc_id = :id),
               title = iif(title = file_name, (SELECT MIN(shown) FROM document_names WHERE doc_id = :id), title)
           WHERE doc_id = :id
           AND NOT EXISTS (SELECT 1 FROM document_names WHERE doc_id = :id AND shown = documents.file_name)""",
        {"id": doc_id},
    )


def update(connection: sqlite3.Connection, doc_id: str, generation: int, values: dict[str, Any]) -> bool:
    """`ports.Ledger.update`."""
    if values.get("state") in ENDS_A_LEASE:
        values = {**values, "lease_owner": None}
    columns = ", ".join(f"{name} = :{name}" for name in values)
    with writing(connection):
        changed = connection.execute(
            f"UPDATE documents SET {columns} WHERE doc_id = :doc_id AND generation = :generation AND state <> 'DELETED'",
            {**values, "doc_id": doc_id, "generation": generation},
        ).rowcount
    return changed == 1


def lease(connection: sqlite3.Connection, doc_id: str, generation: int, owner: str, now: float, lease_s: float) -> bool:
    """`ports.Ledger.lease`."""
    with writing(connection):
        changed = connection.execute(
            """UPDATE documents SET lease_owner = :owner, lease_until = :until
               WHERE doc_id = :doc_id AND generation = :generation AND state <> 'DELETED'
                 AND (lease_owner IS NULL OR lease_owner = :owner OR lease_until <= :now)""",
            {"doc_id": doc_id, "generation": generation, "owner": owner, "until": now + lease_s, "now": now},
        ).rowcount
    return changed == 1


def delete(connection: sqlite3.Connection, caller: Caller, doc_id: str, keep: bool, now: float) -> Document:
    """`ports.Ledger.delete`."""
    with writing(connection):
        waiting = connection.execute(
            """SELECT documents.* FROM documents WHERE state = 'DELETED' AND buried <> 1
               AND doc_id = COALESCE((SELECT doc_id FROM document_aliases WHERE alias = :id), :id)""",
            {"id": doc_id},
        ).fetchone()
        if waiting is not None and caller.may_read(make_document(waiting).permission_groups):
            if not keep:
                bury(connection, waiting["doc_id"], 0)
            return make_document(waiting)
        found = get(connection, caller, doc_id)
        mark_deleted(connection, found.doc_id, now)
        bury(connection, found.doc_id, KEPT if keep else 0)
        return read_document(connection, found.doc_id)


def release(connection: sqlite3.Connection, origin: str, keep: str | None, now: float) -> list[Document]:
    """`ports.Ledger.release`."""
    with writing(connection):
        held = connection.execute(
            """SELECT DISTINCT documents.doc_id, state, buried FROM document_names JOIN documents USING (doc_id)
               WHERE document_names.file_name = ? AND documents.doc_id IS NOT ?""",
            (origin, keep),
        ).fetchall()
        deleted = []
        for doc_id, state, buried in held:
            connection.execute("DELETE FROM document_names WHERE file_name = ? AND doc_id = ?", (origin, doc_id))
            if count_names(connection, doc_id):
                rename(connection, doc_id)
            elif state != "DELETED" or buried == KEPT:
                mark_deleted(connection, doc_id, now)
                bury(connection, doc_id, 0)
                deleted.append(read_document(connection, doc_id))
        return deleted


def purge(connection: sqlite3.Connection, doc_id: str) -> None:
    """`ports.Ledger.purge`."""
    with writing(connection):
        bury(connection, doc_id, 1)


def bury(connection: sqlite3.Connection, doc_id: str, buried: int) -> bool:
    """Notes of a DELETED document whether it is purged or KEPT; uploads' names are free at the latest when it is neither kept nor
    restored. False if it is not DELETED."""
    done = connection.execute("UPDATE documents SET buried = ? WHERE doc_id = ? AND state = 'DELETED'", (buried, doc_id))
    if done.rowcount and buried != KEPT:
        connection.execute("DELETE FROM document_names WHERE doc_id = ? AND version IS NULL", (doc_id,))
    return bool(done.rowcount)


def mark_deleted(connection: sqlite3.Connection, doc_id: str, now: float) -> None:
    """Sets the state to DELETED."""
    connection.execute("UPDATE documents SET state = 'DELETED', updated_at = ? WHERE doc_id = ?", (now, doc_id))


# --- ids ---------------------------------------------------------------------------------------


def reserve(connection: sqlite3.Connection, caller: Caller, scope: Scope, name: str) -> str:
    """`ports.Ledger.reserve`."""
    named = _find_named(connection, scope, name)
    if named is not None and caller.may_read(named.permission_groups) and count_names(connection, named.doc_id) == 1:
        return named.doc_id
    return _make_id(connection, name)


def _make_id(connection: sqlite3.Connection, file_name: str) -> str:
    while True:
        doc_id = f"{make_slug(file_name)}-{secrets.token_hex(3)}"
        if is_unused(connection, doc_id):
            return doc_id


def is_unused(connection: sqlite3.Connection, doc_id: str) -> bool:
    """Whether the id belongs to no document, deleted or not, and is not reserved."""
    row = connection.execute(
        "SELECT 1 FROM documents WHERE doc_id = :id UNION ALL SELECT 1 FROM document_aliases WHERE alias = :id", {"id": doc_id}
    ).fetchone()
    return row is None
