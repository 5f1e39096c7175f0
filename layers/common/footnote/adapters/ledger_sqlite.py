"""The ledger in the embedded store: which documents there are, and what became of them.

A scope is a collection with one exact set of permission groups. Inside a scope a name leads to one
document, and a document may have several names. Every change is one write transaction.
"""

from __future__ import annotations

import builtins
import json
import re
import secrets
import sqlite3
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple, get_args

from footnote.adapters.sqlite import Database, writing
from footnote.errors import NotFound
from footnote.ports import Clock
from footnote.types import Caller, Document, DocumentState, Page

SLUG_LENGTH = 40

CHANGEABLE = frozenset({"title", "state", "size", "active_generation", "reason", "remedy", "pages", "chunks", "lang", "format", "metadata"})
"""The fields that `update` writes; identity, content and generation change by `accept` alone."""


class _Scope(NamedTuple):
    collection: str
    groups: str


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it arrives, in the form in which it is compared and stored."""

    name: str
    scope: _Scope
    content_hash: str
    size: int
    title: str
    metadata: str | None
    doc_id: str | None


class SqliteLedger:
    """Who may write is decided before; a document that one may not read is never returned by id."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def reserve(self, caller: Caller, *, file_name: str, collection: str, permission_groups: frozenset[str]) -> str:
        """The id that a file of this name will be found under, before its content is known.

        A document that has this name alone keeps its id; anything else gets an unused one for `accept`."""
        return await self._database.run(_reserve, caller, _make_scope(collection, permission_groups), _make_name(file_name))

    async def accept(
        self,
        caller: Caller,
        *,
        file_name: str,
        collection: str,
        permission_groups: frozenset[str],
        content_hash: str,
        size: int,
        title: str = "",
        metadata: Mapping[str, Any] | None = None,
        doc_id: str | None = None,
    ) -> tuple[Document, bool]:
        """A name that is its document's only one keeps the document through new content, even where another
        document has that content already: what the name used to hold must not go on answering.
        `doc_id` is a reserved id; where the file ends in another document, the id leads there."""
        file = _File(
            name=_make_name(file_name),
            scope=_make_scope(collection, permission_groups),
            content_hash=content_hash,
            size=size,
            title=title,
            metadata=None if metadata is None else json.dumps(dict(metadata)),
            doc_id=doc_id,
        )
        return await self._database.run(_accept, file, self._clock())

    async def get(self, caller: Caller, doc_id: str) -> Document:
        return await self._database.run(_get, caller, doc_id)

    async def list(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        """An `after` that the caller never could have been given is NotFound."""
        return await self._database.run(_list, caller, collection, max(limit, 1), after)

    async def collections(self, caller: Caller) -> dict[str, int]:
        return await self._database.run(_collections, caller)

    async def unfinished(self) -> builtins.list[Document]:
        return await self._database.run(_unfinished)

    async def counts(self) -> dict[str, int]:
        return await self._database.run(_counts)

    async def update(self, doc_id: str, generation: int, **changes: Any) -> bool:
        """TypeError for a field that is not in CHANGEABLE."""
        unknown = changes.keys() - CHANGEABLE
        if unknown:
            raise TypeError(f"not a field that can be updated: {', '.join(sorted(unknown))}")
        if "metadata" in changes:
            changes["metadata"] = json.dumps(dict(changes["metadata"]))
        return await self._database.run(_update, doc_id, generation, {**changes, "updated_at": self._clock()})

    async def delete(self, caller: Caller, doc_id: str) -> Document:
        return await self._database.run(_delete, caller, doc_id, self._clock())


def make_slug(file_name: str) -> str:
    """The readable part of a document's id: `Über uns.pdf` → `uber-uns`; `doc` for a name without a letter of a–z."""
    stem = PurePosixPath(file_name).stem
    folded = "".join(char for char in unicodedata.normalize("NFKD", stem.casefold()) if not unicodedata.combining(char))
    slug = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")[:SLUG_LENGTH].rstrip("-")
    return slug if re.search("[a-z]", slug) else "doc"


def _make_name(file_name: str) -> str:
    """In Unicode's composed form, so that one name is one key on every system; bytes that are no text are spelled out."""
    return unicodedata.normalize("NFC", file_name).encode(errors="backslashreplace").decode()


def _make_scope(collection: str, groups: frozenset[str]) -> _Scope:
    return _Scope(collection, json.dumps(sorted(groups)))


def _make_document(row: sqlite3.Row) -> Document:
    values = dict(row)
    values["permission_groups"] = frozenset(json.loads(row["permission_groups"]))
    values["metadata"] = json.loads(row["metadata"])
    return Document(**values)


# --- reading -----------------------------------------------------------------------------------


def _read(connection: sqlite3.Connection, doc_id: str) -> Document:
    row = connection.execute("SELECT * FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
    if row is None:
        raise NotFound("There is no such document.")
    return _make_document(row)


def _get(connection: sqlite3.Connection, caller: Caller, doc_id: str) -> Document:
    alias = connection.execute("SELECT doc_id FROM document_aliases WHERE alias = ?", (doc_id,)).fetchone()
    document = _read(connection, alias["doc_id"] if alias else doc_id)
    if document.state == "DELETED" or not caller.may_read(document.permission_groups):
        raise NotFound("There is no such document.")
    return document


def _readable(connection: sqlite3.Connection, caller: Caller) -> str:
    """The sets of groups in use that the caller may read, as a JSON array for `json_each`.

    There are few sets and many documents, and so the rule stays in one place, `Caller.may_read`."""
    rows = connection.execute("SELECT DISTINCT permission_groups FROM documents")
    return json.dumps([row[0] for row in rows if caller.may_read(frozenset(json.loads(row[0])))])


def _list(connection: sqlite3.Connection, caller: Caller, collection: str | None, limit: int, after: str | None) -> Page[Document]:
    where = ["permission_groups IN (SELECT value FROM json_each(:readable))", "state <> 'DELETED'"]
    values: dict[str, Any] = {"readable": _readable(connection, caller), "limit": limit + 1}
    if collection is not None:
        where.append("collection = :collection")
        values["collection"] = collection
    if after is not None:
        # A document that was deleted since still marks its place.
        last = _read(connection, after)
        if not caller.may_read(last.permission_groups):
            raise NotFound("There is no such document.")
        where.append("(created_at < :at OR (created_at = :at AND doc_id > :after))")
        values |= {"at": last.created_at, "after": after}
    query = f"SELECT * FROM documents WHERE {' AND '.join(where)} ORDER BY created_at DESC, doc_id LIMIT :limit"
    found = tuple(_make_document(row) for row in connection.execute(query, values))
    data = found[:limit]
    return Page(data, has_more=len(found) > limit, last_id=data[-1].doc_id if data else None)


def _collections(connection: sqlite3.Connection, caller: Caller) -> dict[str, int]:
    rows = connection.execute(
        """SELECT collection, SUM(state = 'READY') FROM documents
           WHERE permission_groups IN (SELECT value FROM json_each(?)) AND state <> 'DELETED'
           GROUP BY collection ORDER BY collection""",
        (_readable(connection, caller),),
    )
    return {row[0]: row[1] for row in rows}


def _unfinished(connection: sqlite3.Connection) -> list[Document]:
    rows = connection.execute("SELECT * FROM documents WHERE state IN ('RECEIVED', 'PROCESSING') ORDER BY created_at, doc_id")
    return [_make_document(row) for row in rows]


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    found = {row[0]: row[1] for row in connection.execute("SELECT state, COUNT(*) FROM documents GROUP BY state")}
    return {state: found.get(state, 0) for state in get_args(DocumentState)}


# --- writing -----------------------------------------------------------------------------------


def _accept(connection: sqlite3.Connection, file: _File, now: float) -> tuple[Document, bool]:
    with writing(connection):
        doc_id, work = _place(connection, file, now)
        if file.doc_id is not None and _unused(connection, file.doc_id):
            connection.execute("INSERT INTO document_aliases VALUES (?, ?)", (file.doc_id, doc_id))
        return _read(connection, doc_id), work


def _place(connection: sqlite3.Connection, file: _File, now: float) -> tuple[str, bool]:
    """(the document that holds this file from now on, whether there is work to do)."""
    named = _find_named(connection, file.scope, file.name)
    if named is not None and (named.content_hash == file.content_hash or _count_names(connection, named.doc_id) == 1):
        document = named
    else:
        same = _find_content(connection, file)
        doc_id = same.doc_id if same is not None else _insert(connection, file, now)
        _point(connection, file, doc_id, named)
        if same is None:
            return doc_id, True
        document = same
    if document.content_hash == file.content_hash and document.state != "FAILED":
        return document.doc_id, False
    _renew(connection, document, file, now)
    return document.doc_id, True


def _find_named(connection: sqlite3.Connection, scope: _Scope, name: str) -> Document | None:
    row = connection.execute(
        """SELECT documents.* FROM document_names JOIN documents USING (doc_id)
           WHERE document_names.collection = ? AND document_names.permission_groups = ? AND document_names.file_name = ?""",
        (*scope, name),
    ).fetchone()
    return None if row is None else _make_document(row)


def _find_content(connection: sqlite3.Connection, file: _File) -> Document | None:
    """The oldest, where several names with a document each came to the same content."""
    row = connection.execute(
        """SELECT * FROM documents WHERE content_hash = ? AND collection = ? AND permission_groups = ? AND state <> 'DELETED'
           ORDER BY created_at, doc_id LIMIT 1""",
        (file.content_hash, *file.scope),
    ).fetchone()
    return None if row is None else _make_document(row)


def _count_names(connection: sqlite3.Connection, doc_id: str) -> int:
    return int(connection.execute("SELECT COUNT(*) FROM document_names WHERE doc_id = ?", (doc_id,)).fetchone()[0])


def _insert(connection: sqlite3.Connection, file: _File, now: float) -> str:
    doc_id = file.doc_id if file.doc_id is not None and _unused(connection, file.doc_id) else _make_id(connection, file.name)
    connection.execute(
        """INSERT INTO documents (doc_id, title, collection, file_name, state, content_hash, size, permission_groups, generation,
               metadata, created_at, updated_at) VALUES (?, ?, ?, ?, 'RECEIVED', ?, ?, ?, 1, ?, ?, ?)""",
        (
            doc_id,
            file.title or file.name,
            file.scope.collection,
            file.name,
            file.content_hash,
            file.size,
            file.scope.groups,
            file.metadata or "{}",
            now,
            now,
        ),
    )
    return doc_id


def _renew(connection: sqlite3.Connection, document: Document, file: _File, now: float) -> None:
    """The document's next generation; the active one answers until that is ready."""
    connection.execute(
        """UPDATE documents SET state = 'RECEIVED', generation = generation + 1, content_hash = ?, size = ?, title = ?,
               metadata = COALESCE(?, metadata), reason = NULL, remedy = NULL, updated_at = ? WHERE doc_id = ?""",
        (file.content_hash, file.size, file.title or document.title, file.metadata, now, document.doc_id),
    )


def _point(connection: sqlite3.Connection, file: _File, doc_id: str, before: Document | None) -> None:
    """Leads the name to this document. The one before is shown under the first of its other names."""
    connection.execute("INSERT OR REPLACE INTO document_names VALUES (?, ?, ?, ?)", (*file.scope, file.name, doc_id))
    if before is not None and before.file_name == file.name:
        connection.execute(
            "UPDATE documents SET file_name = (SELECT MIN(file_name) FROM document_names WHERE doc_id = :id) WHERE doc_id = :id",
            {"id": before.doc_id},
        )


def _update(connection: sqlite3.Connection, doc_id: str, generation: int, values: dict[str, Any]) -> bool:
    columns = ", ".join(f"{name} = :{name}" for name in values)
    with writing(connection):
        changed = connection.execute(
            f"UPDATE documents SET {columns} WHERE doc_id = :doc_id AND generation = :generation AND state <> 'DELETED'",
            {**values, "doc_id": doc_id, "generation": generation},
        ).rowcount
    return changed == 1


def _delete(connection: sqlite3.Connection, caller: Caller, doc_id: str, now: float) -> Document:
    with writing(connection):
        found = _get(connection, caller, doc_id)
        connection.execute("DELETE FROM document_names WHERE doc_id = ?", (found.doc_id,))
        connection.execute("UPDATE documents SET state = 'DELETED', updated_at = ? WHERE doc_id = ?", (now, found.doc_id))
        return _read(connection, found.doc_id)


# --- ids ---------------------------------------------------------------------------------------


def _reserve(connection: sqlite3.Connection, caller: Caller, scope: _Scope, name: str) -> str:
    named = _find_named(connection, scope, name)
    if named is not None and caller.may_read(named.permission_groups) and _count_names(connection, named.doc_id) == 1:
        return named.doc_id
    return _make_id(connection, name)


def _make_id(connection: sqlite3.Connection, file_name: str) -> str:
    while True:
        doc_id = f"{make_slug(file_name)}-{secrets.token_hex(3)}"
        if _unused(connection, doc_id):
            return doc_id


def _unused(connection: sqlite3.Connection, doc_id: str) -> bool:
    row = connection.execute(
        "SELECT 1 FROM documents WHERE doc_id = :id UNION ALL SELECT 1 FROM document_aliases WHERE alias = :id", {"id": doc_id}
    ).fetchone()
    return row is None
