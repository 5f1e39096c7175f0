"""The ledger in DynamoDB.

Every change is one transaction that is written only if nothing that it read has changed; `ledger_items` describes
the items and which reads may be slightly out of date."""

from __future__ import annotations

import builtins
import heapq
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from footnote.adapters.dynamodb import ledger_copy
from footnote.adapters.dynamodb import ledger_undelete as undelete
from footnote.adapters.dynamodb import ledger_writes as writes
from footnote.adapters.dynamodb.ledger_items import (
    STATES,
    Record,
    body_of,
    change,
    document_key,
    kind_of,
    make_document,
    origin_key,
    place_of_origin,
    position,
    scope_id,
)
from footnote.adapters.dynamodb.ledger_redirect import redirect
from footnote.adapters.dynamodb.ledger_renew import move, renew
from footnote.adapters.dynamodb.table import Table
from footnote.adapters.shared.ledger import Scope, check_changes, make_file, make_name, make_origin, make_scope, make_targets, page_of
from footnote.errors import NotFound
from footnote.ports import Clock, Held, Name, NewFile, Target
from footnote.types import RESTORABLE_S, Caller, Document, Page


class DynamoLedger:
    """`ports.Ledger` on DynamoDB."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    async def readable_states(self, caller: Caller, collection: str) -> dict[str, int]:
        return await self._table.run(_readable_states, caller, collection)

    async def unreadable(self, caller: Caller, collection: str, limit: int) -> builtins.list[Document]:
        failed = await self.failed()
        return [each for each in failed if each.collection == collection and caller.may_read(each.permission_groups)][:limit]

    async def undescribed(self, limit: int) -> builtins.list[Document]:
        return await self._table.run(_find_kind, "undescribed", limit)

    async def reserve(self, caller: Caller, *, file_name: str, collection: str, permission_groups: frozenset[str]) -> str:
        scope = make_scope(collection, permission_groups)
        return await self._table.run(change, writes.reserve, caller, scope, make_name(file_name))

    async def accept(self, caller: Caller, file: NewFile) -> tuple[Document, bool]:
        return await self._table.run(change, writes.accept, caller, make_file(file), self._clock())

    async def get(self, caller: Caller, doc_id: str) -> Document:
        return await self._table.run(change, writes.get, caller, doc_id)

    async def list(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        return await self._table.run(_list, caller, collection, max(limit, 1), after)

    async def collections(self, caller: Caller) -> dict[str, int]:
        return await self._table.run(_collections, caller)

    async def unfinished(self) -> builtins.list[Document]:
        return await self._table.run(_find_kind, "unfinished")

    async def failed(self) -> builtins.list[Document]:
        return await self._table.run(_find_kind, "failed")

    async def counts(self) -> dict[str, int]:
        return await self._table.run(_counts)

    async def update(self, doc_id: str, generation: int, **changes: Any) -> bool:
        check_changes(changes)
        if "metadata" in changes:
            changes["metadata"] = dict(changes["metadata"])
        return await self._table.run(change, writes.update, doc_id, generation, {**changes, "updated_at": self._clock()})

    async def renew(self, doc_id: str, generation: int) -> bool:
        return await self._table.run(change, renew, doc_id, generation, self._clock())

    async def move(self, doc_id: str, generation: int, *, collection: str, permission_groups: frozenset[str]) -> bool:
        return await self._table.run(change, move, doc_id, generation, make_scope(collection, permission_groups), self._clock())

    async def lease(self, doc_id: str, generation: int, owner: str, lease_s: float) -> bool:
        return await self._table.run(change, writes.lease, doc_id, generation, owner, self._clock(), lease_s)

    async def delete(self, caller: Caller, doc_id: str, *, keep: bool = False) -> Document:
        return await self._table.run(change, writes.delete, caller, doc_id, keep, self._clock())

    async def deleted(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        since = self._clock() - RESTORABLE_S
        found = [
            each
            for each in await self.kept()
            if each.updated_at > since and collection in (None, each.collection) and caller.may_read(each.permission_groups)
        ]
        return page_of(sorted(found, key=lambda each: (-each.updated_at, each.doc_id)), max(limit, 1), after)

    async def find_deleted(self, caller: Caller, doc_id: str) -> Document:
        return await self._table.run(change, undelete.find_deleted, caller, doc_id, self._clock())

    async def undelete(self, doc_id: str, generation: int) -> bool:
        return await self._table.run(change, undelete.undelete, doc_id, generation, self._clock())

    async def kept(self) -> builtins.list[Document]:
        return await self._table.run(_find_kind, "kept")

    async def give_up(self, doc_id: str) -> bool:
        return await self._table.run(change, undelete.give_up, doc_id)

    async def release(self, origin: str, keep: str | None = None) -> builtins.list[Document]:
        return await self._table.run(_release, make_origin(origin), keep, self._clock())

    async def redirect(self, origins: Mapping[str, Target | None]) -> builtins.list[Document]:
        return await self._table.run(change, redirect, make_targets(origins), self._clock())

    async def purge(self, doc_id: str) -> None:
        await self._table.run(_purge, doc_id)

    async def unpurged(self) -> builtins.list[Document]:
        return await self._table.run(_find_kind, "unburied")

    async def held(self, origin: str) -> Held | None:
        return await self._table.run(_held, make_origin(origin))

    async def origins(self, prefix: str) -> dict[str, Held]:
        return await self._table.run(_origins, make_origin(prefix))

    async def names(self, doc_id: str) -> builtins.list[Name]:
        return await self._table.run(ledger_copy.names, doc_id)

    async def restore(self, document: Document, names: Sequence[Name]) -> bool:
        return await self._table.run(ledger_copy.restore, document, names)

    async def close(self) -> None:
        """Closes the connections to DynamoDB."""
        self._table.close()


# --- scopes ------------------------------------------------------------------------------------


def _scopes(table: Table) -> dict[Scope, Counter[str]]:
    """Scope → state → number of documents."""
    scopes: dict[Scope, Counter[str]] = {}
    for item in table.query("by_kind", "kind = :kind", {":kind": {"S": "scope"}}):
        numbers = scopes.setdefault(Scope(*json.loads(item["scope"]["S"])), Counter())
        numbers.update({state: int(item[state]["N"]) for state in STATES if state in item})
    return scopes


def _readable(table: Table, caller: Caller) -> dict[Scope, Counter[str]]:
    """The scopes with documents that the caller may read."""
    return {
        scope: numbers
        for scope, numbers in _scopes(table).items()
        if numbers.total() > numbers["DELETED"] and caller.may_read(frozenset(json.loads(scope.groups)))
    }


def _collections(table: Table, caller: Caller) -> dict[str, int]:
    ready: Counter[str] = Counter()
    for scope, numbers in _readable(table, caller).items():
        ready[scope.collection] += numbers["READY"]
    return dict(sorted(ready.items()))


def _readable_states(table: Table, caller: Caller, collection: str) -> dict[str, int]:
    found = sum((numbers for scope, numbers in _readable(table, caller).items() if scope.collection == collection), Counter[str]())
    shown = ("RECEIVED", "PROCESSING", "FAILED", *(["READY"] if found["RECEIVED"] or found["PROCESSING"] else []))
    return {state: found[state] for state in shown if found[state] > 0}


def _counts(table: Table) -> dict[str, int]:
    numbers = sum(_scopes(table).values(), Counter())
    return {state: numbers[state] for state in STATES}


# --- documents ---------------------------------------------------------------------------------


def _list(table: Table, caller: Caller, collection: str | None, limit: int, after: str | None) -> Page[Document]:
    start = "" if after is None else _position_of(table, caller, after)
    scopes = [scope for scope in _readable(table, caller) if collection in (None, scope.collection)]
    keys = heapq.merge(*(_positions(table, scope, start, limit + 1) for scope in scopes))
    found: list[Document] = []
    while missing := limit + 1 - len(found):
        wanted = [key for _, key in islice(keys, missing)]
        if not wanted:
            break
        found += [document for document in _read(table, wanted) if document.state != "DELETED"]
    data = tuple(found[:limit])
    return Page(data, has_more=len(found) > limit, last_id=data[-1].doc_id if data else None)


def _position_of(table: Table, caller: Caller, doc_id: str) -> str:
    """A document that was deleted in the meantime still marks its position."""
    item = table.get(document_key(doc_id))
    document = None if item is None else make_document(body_of(item))
    if document is None or not caller.may_read(document.permission_groups):
        raise NotFound("There is no such document.")
    return position(document)


def _positions(table: Table, scope: Scope, start: str, page: int) -> Iterator[tuple[str, str]]:
    """(position, key) of a scope's documents after `start`."""
    values = {":listed": {"S": scope_id(scope)}, ":start": {"S": start or " "}}
    for item in table.query("by_scope", "listed = :listed AND listed_at > :start", values, page=page):
        yield item["listed_at"]["S"], item["pk"]["S"]


def _read(table: Table, keys: list[str]) -> list[Document]:
    found = table.get_many(keys)
    return [make_document(body_of(found[key])) for key in keys if key in found]


def _find_kind(table: Table, kind: str, limit: int | None = None) -> list[Document]:
    listed = islice(table.query("by_kind", "kind = :kind", {":kind": {"S": kind}}, page=limit), limit)
    items = table.get_many([item["pk"]["S"] for item in listed])
    records = [body_of(item) for item in items.values()]
    found = [make_document(record) for record in records if kind_of(record) == kind]
    return sorted(found, key=lambda document: (document.created_at, document.doc_id))


# --- names -------------------------------------------------------------------------------------


def _release(table: Table, origin: str, keep: str | None, now: float) -> list[Document]:
    deleted, done = change(table, writes.release, origin, keep, now)
    while not done:
        more, done = change(table, writes.release, origin, keep, now)
        deleted += more
    return deleted


def _purge(table: Table, doc_id: str) -> None:
    while not change(table, undelete.purge, doc_id):
        pass


def _held(table: Table, origin: str) -> Held | None:
    """The one that was accepted last, if several scopes have this origin."""
    item = table.get(origin_key(origin))
    return None if item is None else _make_held(body_of(item))


def _origins(table: Table, prefix: str) -> dict[str, Held]:
    condition, values = "kind = :kind", {":kind": {"S": "origin"}}
    if prefix:
        condition, values = f"{condition} AND begins_with(place, :place)", {**values, ":place": {"S": place_of_origin(prefix)}}
    items = table.get_many([item["pk"]["S"] for item in table.query("by_kind", condition, values)])
    records = sorted((body_of(item) for item in items.values()), key=lambda record: record["name"])
    return {record["name"]: _make_held(record) for record in records if record["name"].startswith(prefix)}


def _make_held(pointer: Record) -> Held:
    return Held(**list(pointer["leads_to"].values())[-1])
