"""The ledger in the embedded store. Every change is one write transaction."""

from __future__ import annotations

import builtins
import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, get_args

from footnote.adapters.shared.ledger import check_changes, make_file, make_name, make_origin, make_scope, make_targets, page_of
from footnote.adapters.sqlite import ledger_restore
from footnote.adapters.sqlite import ledger_undelete as undelete
from footnote.adapters.sqlite import ledger_writes as writes
from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.ledger_redirect import redirect
from footnote.adapters.sqlite.ledger_renew import move, renew
from footnote.adapters.sqlite.ledger_writes import make_document, read_document
from footnote.errors import NotFound
from footnote.ports import Clock, Held, Name, NewFile, Target
from footnote.types import Caller, Document, DocumentState, Page

AT_WORK = {"RECEIVED", "PROCESSING"}
UNREADY = "state IN ('RECEIVED', 'PROCESSING', 'FAILED')"
"""As in the index `documents_unready`, which SQLite uses only for a condition in these words."""


class SqliteLedger:
    """`ports.Ledger` on SQLite."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def readable_states(self, caller: Caller, collection: str) -> dict[str, int]:
        return await self._database.run(_readable_states, caller, collection)

    async def unreadable(self, caller: Caller, collection: str, limit: int) -> builtins.list[Document]:
        return await self._database.run(_unreadable, caller, collection, limit)

    async def undescribed(self, limit: int) -> builtins.list[Document]:
        return await self._database.run(_select, "state = 'READY' AND described_by = 'waiting'", limit)

    async def reserve(self, caller: Caller, *, file_name: str, collection: str, permission_groups: frozenset[str]) -> str:
        return await self._database.run(writes.reserve, caller, make_scope(collection, permission_groups), make_name(file_name))

    async def accept(self, caller: Caller, file: NewFile) -> tuple[Document, bool]:
        return await self._database.run(writes.accept, caller, make_file(file), self._clock())

    async def get(self, caller: Caller, doc_id: str) -> Document:
        return await self._database.run(writes.get, caller, doc_id)

    async def list(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        return await self._database.run(_list, caller, collection, max(limit, 1), after)

    async def collections(self, caller: Caller) -> dict[str, int]:
        return await self._database.run(_collections, caller)

    async def unfinished(self) -> builtins.list[Document]:
        return await self._database.run(_select, "state IN ('RECEIVED', 'PROCESSING')")

    async def failed(self) -> builtins.list[Document]:
        return await self._database.run(_select, "state = 'FAILED'")

    async def counts(self) -> dict[str, int]:
        return await self._database.run(_counts)

    async def update(self, doc_id: str, generation: int, **changes: Any) -> bool:
        check_changes(changes)
        if "metadata" in changes:
            changes["metadata"] = json.dumps(dict(changes["metadata"]))
        return await self._database.run(writes.update, doc_id, generation, {**changes, "updated_at": self._clock()})

    async def renew(self, doc_id: str, generation: int) -> bool:
        return await self._database.run(renew, doc_id, generation, self._clock())

    async def move(self, doc_id: str, generation: int, *, collection: str, permission_groups: frozenset[str]) -> bool:
        return await self._database.run(move, doc_id, generation, make_scope(collection, permission_groups), self._clock())

    async def lease(self, doc_id: str, generation: int, owner: str, lease_s: float) -> bool:
        return await self._database.run(writes.lease, doc_id, generation, owner, self._clock(), lease_s)

    async def delete(self, caller: Caller, doc_id: str, *, keep: bool = False) -> Document:
        return await self._database.run(writes.delete, caller, doc_id, keep, self._clock())

    async def deleted(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        return page_of(await self._database.run(undelete.deleted, caller, collection, self._clock()), max(limit, 1), after)

    async def find_deleted(self, caller: Caller, doc_id: str) -> Document:
        return await self._database.run(undelete.find_deleted, caller, doc_id, self._clock())

    async def undelete(self, doc_id: str, generation: int) -> bool:
        return await self._database.run(undelete.undelete, doc_id, generation, self._clock())

    async def kept(self) -> builtins.list[Document]:
        return await self._database.run(_select, f"state = 'DELETED' AND buried = {writes.KEPT}")

    async def give_up(self, doc_id: str) -> bool:
        return await self._database.run(undelete.give_up, doc_id)

    async def release(self, origin: str, keep: str | None = None) -> builtins.list[Document]:
        return await self._database.run(writes.release, make_origin(origin), keep, self._clock())

    async def redirect(self, origins: Mapping[str, Target | None]) -> builtins.list[Document]:
        return await self._database.run(redirect, make_targets(origins), self._clock())

    async def purge(self, doc_id: str) -> None:
        await self._database.run(writes.purge, doc_id)

    async def unpurged(self) -> builtins.list[Document]:
        return await self._database.run(_select, "state = 'DELETED' AND NOT buried")

    async def held(self, origin: str) -> Held | None:
        return await self._database.run(_held, make_origin(origin))

    async def origins(self, prefix: str) -> dict[str, Held]:
        return await self._database.run(_origins, make_origin(prefix))

    async def names(self, doc_id: str) -> builtins.list[Name]:
        return await self._database.run(ledger_restore.names, doc_id)

    async def restore(self, document: Document, names: Sequence[Name]) -> bool:
        return await self._database.run(ledger_restore.restore, document, names)


def _readable(connection: sqlite3.Connection, caller: Caller) -> str:
    """The sets of groups in use that the caller may read, as a JSON array for `json_each`.

    There are few sets and many documents, so the check can be `Caller.may_read` itself."""
    rows = connection.execute("SELECT DISTINCT permission_groups FROM documents")
    return json.dumps([row[0] for row in rows if caller.may_read(frozenset(json.loads(row[0])))])


def _list(connection: sqlite3.Connection, caller: Caller, collection: str | None, limit: int, after: str | None) -> Page[Document]:
    where = ["permission_groups IN (SELECT value FROM json_each(:readable))", "state <> 'DELETED'"]
    values: dict[str, Any] = {"readable": _readable(connection, caller), "limit": limit + 1}
    if collection is not None:
        where.append("collection = :collection")
        values["collection"] = collection
    if after is not None:
        # A document that was deleted in the meantime still marks its position.
        last = read_document(connection, after)
        if not caller.may_read(last.permission_groups):
            raise NotFound("There is no such document.")
        where.append("(created_at < :at OR (created_at = :at AND doc_id > :after))")
        values |= {"at": last.created_at, "after": after}
    query = f"SELECT * FROM documents WHERE {' AND '.join(where)} ORDER BY created_at DESC, doc_id LIMIT :limit"
    found = tuple(make_document(row) for row in connection.execute(query, values))
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


def _readable_states(connection: sqlite3.Connection, caller: Caller, collection: str) -> dict[str, int]:
    unready = f"SELECT permission_groups, state, COUNT(*) FROM documents WHERE collection = ? AND {UNREADY} GROUP BY 1, 2"
    rows = connection.execute(unready, (collection,)).fetchall()
    found = Counter[str]()
    for groups, state, count in rows:
        if caller.may_read(frozenset(json.loads(groups))):
            found[state] += count
    if found.keys() & AT_WORK:
        ready = "SELECT permission_groups, COUNT(*) FROM documents WHERE collection = ? AND state = 'READY' GROUP BY 1"
        for groups, count in connection.execute(ready, (collection,)):
            if caller.may_read(frozenset(json.loads(groups))):
                found["READY"] += count
    return dict(found)


def _unreadable(connection: sqlite3.Connection, caller: Caller, collection: str, limit: int) -> list[Document]:
    rows = connection.execute(f"SELECT * FROM documents WHERE collection = ? AND {UNREADY} AND state = 'FAILED'", (collection,))
    return list(islice((each for each in map(make_document, rows) if caller.may_read(each.permission_groups)), limit))


def _select(connection: sqlite3.Connection, where: str, limit: int = -1) -> list[Document]:
    rows = connection.execute(f"SELECT * FROM documents WHERE {where} ORDER BY created_at, doc_id LIMIT ?", (limit,))
    return [make_document(row) for row in rows]


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    found = {row[0]: row[1] for row in connection.execute("SELECT state, COUNT(*) FROM documents GROUP BY state")}
    return {state: found.get(state, 0) for state in get_args(DocumentState)}


def _held(connection: sqlite3.Connection, origin: str) -> Held | None:
    """The one that was updated last, if several scopes have this origin."""
    row = connection.execute(
        """SELECT doc_id, version FROM document_names JOIN documents USING (doc_id)
           WHERE document_names.file_name = ? AND version IS NOT NULL ORDER BY updated_at DESC LIMIT 1""",
        (origin,),
    ).fetchone()
    return None if row is None else Held(*row)


def _origins(connection: sqlite3.Connection, prefix: str) -> dict[str, Held]:
    rows = connection.execute(
        """SELECT file_name, doc_id, version FROM document_names WHERE version IS NOT NULL AND file_name >= ? AND file_name < ?
           ORDER BY file_name""",
        (prefix, prefix + "\U0010ffff"),
    )
    return {origin: Held(doc_id, version) for origin, doc_id, version in rows}
