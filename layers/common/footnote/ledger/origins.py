"""Where documents come from: what an origin, such as a file in a bucket, leads to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from footnote.ledger.entries import (
    document_key,
    mark_deleted,
    origin_key,
    position_of_origin,
    put_document,
    put_pointer,
    read_document,
    renamed,
    scope_id,
    scope_of,
    started_again,
)
from footnote.ledger.files import make_origin, make_targets
from footnote.ledger.lifecycle import WRITTEN_PER_NAME
from footnote.ports import Clock, Held, Name, Target
from footnote.ports.ledger import Body, LedgerStore, Transaction
from footnote.types import Document


class Origins:
    """The origins of documents, for ingest. Nothing here is checked for a caller."""

    def __init__(self, store: LedgerStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def held(self, origin: str) -> Held | None:
        """What this origin holds as far as the ledger knows; the one accepted last if several scopes have it."""
        key = origin_key(make_origin(origin))
        found = await self._store.get_many([key])
        return _make_held(found[key]) if found else None

    async def under(self, prefix: str) -> dict[str, Held]:
        """Every origin that begins with `prefix`, in the order of their texts."""
        prefix = make_origin(prefix)
        found = await self._store.get_many(await self._store.of_kind("origin", prefix=position_of_origin(prefix)))
        pointers = sorted((pointer for pointer in found.values() if pointer["name"].startswith(prefix)), key=lambda each: each["name"])
        return {pointer["name"]: _make_held(pointer) for pointer in pointers}

    async def names(self, doc_id: str) -> list[Name]:
        """All names of a document that is not deleted, in no particular order."""
        key = document_key(doc_id)
        document = (await self._store.get_many([key])).get(key)
        if document is None:
            return []
        pointers = await self._store.get_many(list(document["names"]))
        names: list[Name] = []
        for key, shown in document["names"].items():
            leads_to = pointers[key]["leads_to"].values() if key in pointers else ()
            held = next((held for held in leads_to if held["doc_id"] == doc_id), None)
            if held is not None:
                names.append(Name(shown) if held["version"] is None else Name(shown, pointers[key]["name"], held["version"]))
        return names

    async def release(self, origin: str, keep: str | None = None) -> list[Document]:
        """Removes the origin from every document except `keep`. Documents that have no name left are DELETED and returned."""
        rule = partial(
            _release, origin=make_origin(origin), keep=keep, now=self._clock(), most=self._store.most_written // WRITTEN_PER_NAME
        )
        deleted, done = await self._store.change(rule)
        while not done:
            more, done = await self._store.change(rule)
            deleted += more
        return deleted

    async def redirect(self, origins: Mapping[str, Target | None]) -> list[Document]:
        """Lets each origin lead to this document alone, or to none, all in one change; at most MOST_REDIRECTED.

        So files can swap names and each document stays with its content. Documents that have no name left are DELETED and
        returned. A document that becomes a target and loses the name it is shown under starts its next generation, because the
        index holds that name: its file has to be accepted again."""
        return await self._store.change(partial(_redirect, origins=make_targets(origins), now=self._clock()))


def _make_held(pointer: Body) -> Held:
    return Held(**list(pointer["leads_to"].values())[-1])


def _release(transaction: Transaction, origin: str, keep: str | None, now: float, most: int) -> tuple[list[Document], bool]:
    """(deleted documents, whether all are done); handles at most `most` documents."""
    key = origin_key(origin)
    pointer = transaction.get(key)
    if pointer is None:
        return [], True
    led = [(scope, held["doc_id"]) for scope, held in pointer["leads_to"].items() if held["doc_id"] != keep]
    deleted = []
    for scope, doc_id in led[:most]:
        del pointer["leads_to"][scope]
        document = read_document(transaction, doc_id)
        document["names"].pop(key, None)
        if document["names"] or (document["state"] == "DELETED" and not document.get("kept")):
            put_document(transaction, renamed(document))
        else:
            deleted.append(mark_deleted(transaction, document, now))
    put_pointer(transaction, key, pointer)
    return deleted, len(led) <= most


def _redirect(transaction: Transaction, origins: Mapping[str, Target | None], now: float) -> list[Document]:
    targets = {target.doc_id for target in origins.values() if target is not None}
    led = set(targets)
    for origin in origins:
        key = origin_key(origin)
        for held in (transaction.get(key) or {"leads_to": {}})["leads_to"].values():
            document = read_document(transaction, held["doc_id"])
            document["names"].pop(key, None)
            put_document(transaction, document)
            led.add(held["doc_id"])
        put_pointer(transaction, key, None)
    for origin, target in origins.items():
        if target is not None:
            key, document = origin_key(origin), read_document(transaction, target.doc_id)
            held = {"doc_id": target.doc_id, "version": target.version}
            put_pointer(transaction, key, {"name": origin, "leads_to": {scope_id(scope_of(document)): held}})
            document["names"][key] = target.file_name
            put_document(transaction, document)
    deleted = []
    for doc_id in sorted(led):
        document = read_document(transaction, doc_id)
        if document["state"] == "DELETED" and (document["names"] or not document.get("kept")):
            continue
        if not document["names"]:
            deleted.append(mark_deleted(transaction, document, now))
            continue
        after = renamed(document)
        if doc_id in targets and after["file_name"] != document["file_name"]:
            after = started_again(after, now)
        put_document(transaction, after)
    return deleted
