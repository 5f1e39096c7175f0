"""The documents as somebody may see them.

Whoever asks sees what they may read, without deleted collections and ended attachments, and under the names that collections have now
(`footnote.collections.visible`). SYSTEM is not anybody: ingest and its checks see everything, under stored names."""

from __future__ import annotations

import builtins
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from footnote.collections import Collections, visible
from footnote.errors import NotFound
from footnote.ledger.entries import (
    alias_key,
    document_key,
    kind_of,
    make_document,
    mark_deleted,
    newest_first,
    put_document,
    read_document,
    scope_id,
)
from footnote.ports import Clock
from footnote.ports.ledger import Body, DocumentScope, LedgerStore, Transaction
from footnote.types import ATTACHED, RESTORABLE_S, SYSTEM, Caller, Document, Page

UNKNOWN = "There is no such document."

READ_AT_ONCE = 200
"""Failed documents that are read together, until enough are found."""


class Documents:
    """`ports.Ledger`; it deletes, too."""

    def __init__(self, store: LedgerStore, collections: Collections, clock: Clock) -> None:
        self._store = store
        self._collections = collections
        self._clock = clock

    async def get(self, caller: Caller, doc_id: str) -> Document:
        body = await self._find(caller, doc_id)
        if body["state"] == "DELETED":
            raise NotFound(UNKNOWN)
        shown = await self._show(caller, [make_document(body)])
        if not shown:
            raise NotFound(UNKNOWN)
        return shown[0]

    async def list(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        limit, at = max(limit, 1), ""
        if after is not None:
            last = await self._find(caller, after)  # one that was deleted meanwhile still marks its position
            at = newest_first(last["created_at"], last["doc_id"])
        stored = collection if collection is None or caller == SYSTEM else await self._stored(collection)
        scopes = [scope_id(scope) for scope in await self._scopes(caller, stored)]
        found: builtins.list[Document] = []
        is_more = bool(scopes)
        while is_more and len(found) <= limit:
            missing = limit + 1 - len(found)
            keys = await self._store.newest(scopes, at, missing)
            bodies = await self._store.get_many(keys)
            listed = [bodies[key] for key in keys if key in bodies]
            found += [make_document(body) for body in listed if body["state"] != "DELETED" and _is_listed(body, caller, stored)]
            is_more = len(keys) == missing and bool(listed)
            at = newest_first(listed[-1]["created_at"], listed[-1]["doc_id"]) if listed else at
        page = found[:limit]
        return Page(tuple(await self._show(caller, page)), has_more=len(found) > limit, last_id=page[-1].doc_id if page else None)

    async def collections(self, caller: Caller) -> dict[str, int]:
        ready: Counter[str] = Counter()
        for scope, numbers in (await self._scopes(caller, None)).items():
            if scope.collection != ATTACHED:
                ready[scope.collection] += numbers["READY"]
        if caller == SYSTEM:
            return dict(sorted(ready.items()))
        directory = await self._collections.directory()
        return {directory.name_of(stored): number for stored, number in sorted(ready.items())}

    async def readable_states(self, caller: Caller, collection: str) -> dict[str, int]:
        found = sum((await self._scopes(caller, await self._stored(collection))).values(), Counter[str]())
        shown = ("RECEIVED", "PROCESSING", "FAILED", *(["READY"] if found["RECEIVED"] or found["PROCESSING"] else []))
        return {state: found[state] for state in shown if found[state] > 0}

    async def unreadable(self, caller: Caller, collection: str, limit: int) -> builtins.list[Document]:
        stored, found = await self._stored(collection), builtins.list[Document]()
        keys = await self._store.of_kind("failed")
        for start in range(0, len(keys), READ_AT_ONCE):
            if len(found) >= limit:
                break
            bodies = await self._store.get_many(keys[start : start + READ_AT_ONCE])
            failed = (bodies[key] for key in keys[start : start + READ_AT_ONCE] if key in bodies and kind_of(bodies[key]) == "failed")
            found += [make_document(body) for body in failed if _is_listed(body, caller, stored)]
        return await visible.show(self._collections, found[:limit])

    async def deleted(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        stored = None if collection is None else await self._stored(collection)
        bodies = (await self._store.get_many(await self._store.of_kind("kept"))).values()
        found = [make_document(body) for body in bodies if self._is_restorable(body) and _is_listed(body, caller, stored)]
        page = _page_of(sorted(found, key=lambda each: (-each.updated_at, each.doc_id)), max(limit, 1), after)
        return replace(page, data=tuple(await visible.show(self._collections, page.data)))

    async def find_deleted(self, caller: Caller, doc_id: str) -> Document:
        body = await self._find(caller, doc_id)
        if not self._is_restorable(body) or not await self._show(caller, [make_document(body)]):
            raise NotFound(UNKNOWN)
        return make_document(body)

    async def delete(self, caller: Caller, doc_id: str, *, keep: bool = False) -> Document:
        """Sets the state to DELETED; no generation can follow. The document's names are free again, but its origins still
        lead to it, so that the files there are not ingested again. NotFound as in `get`, except for a deleted document
        that is not purged yet: a delete that failed half-way can be repeated.

        `keep`: it can be restored for RESTORABLE_S, unless all its names lead to other documents by then, or it is deleted without
        `keep` or released."""
        body = await self._find(caller, doc_id)
        if body["state"] != "DELETED" and not await self._show(caller, [make_document(body)]):
            raise NotFound(UNKNOWN)
        return await self._store.change(partial(_delete, caller=caller, doc_id=body["doc_id"], keep=keep, now=self._clock()))

    async def _find(self, caller: Caller, doc_id: str) -> Body:
        """A document by its id or an alias, DELETED or not; NotFound if the caller may not read it."""
        body = await self._read(document_key(doc_id))
        if body is None and (alias := await self._read(alias_key(doc_id))) is not None:
            body = await self._read(document_key(alias["doc_id"]))
        if body is None or not caller.may_read(frozenset(body["permission_groups"])):
            raise NotFound(UNKNOWN)
        return body

    async def _read(self, key: str) -> Body | None:
        return (await self._store.get_many([key])).get(key)

    async def _stored(self, collection: str) -> str:
        return visible.stored_name(await self._collections.directory(), collection)

    async def _scopes(self, caller: Caller, stored: str | None) -> Mapping[DocumentScope, Counter[str]]:
        """The scopes with documents that the caller may see, of a collection or all."""
        hidden = frozenset[str]() if caller == SYSTEM else (await self._collections.directory()).deleted | {ATTACHED}
        return {
            scope: numbers
            for scope, numbers in (await self._store.counts(stored)).items()
            if scope.collection not in hidden
            and numbers.total() > numbers["DELETED"]
            and caller.may_read(frozenset(json.loads(scope.groups)))
        }

    async def _show(self, caller: Caller, documents: Sequence[Document]) -> builtins.list[Document]:
        return [*documents] if caller == SYSTEM else await visible.show(self._collections, documents)

    def _is_restorable(self, body: Body) -> bool:
        return kind_of(body) == "kept" and bool(body["updated_at"] + RESTORABLE_S > self._clock())


def _is_listed(body: Body, caller: Caller, stored: str | None) -> bool:
    """Whether the caller may read the document, and it is in the collection."""
    return stored in (None, body["collection"]) and caller.may_read(frozenset(body["permission_groups"]))


def _page_of(documents: Sequence[Document], limit: int, after: str | None) -> Page[Document]:
    """The documents after the one with this id; none if it is not among them."""
    ids = [document.doc_id for document in documents]
    start = 0 if after is None else ids.index(after) + 1 if after in ids else len(ids)
    data = tuple(documents[start : start + limit])
    return Page(data, has_more=start + limit < len(ids), last_id=data[-1].doc_id if data else None)


def _delete(transaction: Transaction, caller: Caller, doc_id: str, keep: bool, now: float) -> Document:
    """The state alone frees the document's names; their entries are removed by `purge`."""
    document = read_document(transaction, doc_id)
    if not caller.may_read(frozenset(document["permission_groups"])):
        raise NotFound(UNKNOWN)
    if document["state"] != "DELETED":
        return mark_deleted(transaction, document, now, keep=keep)
    if document["buried"]:
        raise NotFound(UNKNOWN)
    if not keep:
        put_document(transaction, document | {"kept": False})
    return make_document(document)
