"""What ingest does with a document, from its file's arrival until nothing is left of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

from footnote.errors import Conflict
from footnote.ledger import accepting
from footnote.ledger.entries import (
    Kind,
    add_content,
    document_key,
    find_content,
    find_generation,
    is_unused,
    kind_of,
    make_body,
    name_key,
    oldest_first,
    origin_key,
    put_document,
    put_pointer,
    read_document,
    remove_content,
    scope_id,
    scope_of,
    started_again,
)
from footnote.ledger.files import make_file, make_name, make_origin, make_scope
from footnote.ports import Clock, Name, NewFile
from footnote.ports.ledger import DocumentScope, LedgerStore, Transaction
from footnote.types import RESTORABLE_S, Caller, Document, DocumentState

CHANGEABLE = frozenset(
    {
        "title", "state", "size", "active_generation", "reason", "remedy", "pages", "chunks", "lang", "format", "cut", "digest",
        "words", "described_by", "metadata",
    }
)  # fmt: skip
"""The fields that `Lifecycle.update` may write. Identity and content are changed by `accept` only."""

ENDS_A_LEASE = frozenset({"RECEIVED", "READY", "FAILED"})
"""States that end the lease of the worker."""

WRITTEN_PER_NAME = 5
"""Most entries and counters that are written for one name of a document."""


class Lifecycle:
    """Changes documents; a document is found by its id, its name or its content. Callers check who may write before they call.

    Names of collections are stored names. Documents of deleted collections are documents like others here: they are hidden, not gone."""

    def __init__(self, store: LedgerStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def accept(self, caller: Caller, file: NewFile) -> tuple[Document, bool]:
        """Records a file → (its document, whether it has to be processed).

        Within one collection and set of groups: content that is known returns its document unchanged (False),
        whatever the name; a known name with new content, or known content with other metadata, is the document's
        next generation (True); anything else is a new document (True). A FAILED document is retried (True).
        A document with a single name keeps that name's new content, even if another document has this content
        already: otherwise the old content would still answer.

        With `chosen_id` the document of this id gets the file, in the file's scope, even if it was deleted. If the scope changes,
        `active_generation` becomes 0, as earlier generations may no longer answer. NotFound if the caller may not read the
        existing document, Forbidden if they may not write to its groups, Conflict if it came from a file or is in another
        collection."""
        return await self._store.change(partial(accepting.accept, caller=caller, file=make_file(file), now=self._clock()))

    async def reserve(self, caller: Caller, *, file_name: str, collection: str, permission_groups: frozenset[str]) -> str:
        """The id of the document that a file of this name will become, before its content is known: the existing document's
        id if this is its only name, else an unused id for `NewFile.doc_id`."""
        scope = make_scope(collection, permission_groups)
        return await self._store.change(partial(accepting.reserve, caller=caller, scope=scope, name=make_name(file_name)))

    async def update(self, doc_id: str, generation: int, **changes: Any) -> bool:
        """Writes fields of `Document`. Returns False and changes nothing if the document has another generation by now or
        was deleted. TypeError for a field that cannot be updated."""
        if unknown := changes.keys() - CHANGEABLE:
            raise TypeError(f"fields that cannot be updated: {', '.join(sorted(unknown))}")
        if "metadata" in changes:
            changes["metadata"] = dict(changes["metadata"])
        return await self._store.change(partial(_update, doc_id=doc_id, generation=generation, changes=changes, now=self._clock()))

    async def lease(self, doc_id: str, generation: int, owner: str, lease_s: float) -> bool:
        """True if the owner may work on this generation until `lease_s` from now: no other owner has a lease that is still
        valid. The same owner may renew its lease. An `update` of the state to RECEIVED, READY or FAILED, and a new
        generation, end the lease."""
        now = self._clock()
        return await self._store.change(partial(_lease, doc_id=doc_id, generation=generation, owner=owner, now=now, until=now + lease_s))

    async def renew(self, doc_id: str, generation: int) -> bool:
        """Starts the next generation of a READY document from the same content; the active one answers until that is ready. Returns
        False and changes nothing if the document has another generation or state by now."""
        return await self._store.change(partial(_renew, doc_id=doc_id, generation=generation, now=self._clock()))

    async def move(self, doc_id: str, generation: int, *, collection: str, permission_groups: frozenset[str]) -> bool:
        """Starts the next generation of a document from the same content, in another collection or for other readers; no earlier one may
        answer any more. Its names of uploads come along, unless they lead to another document there. Returns False and changes nothing
        if the document has another generation by now or was deleted. For at most MOST_REDIRECTED names."""
        scope = make_scope(collection, permission_groups)
        return await self._store.change(partial(_move, doc_id=doc_id, generation=generation, scope=scope, now=self._clock()))

    async def undelete(self, doc_id: str, generation: int) -> bool:
        """Starts the next generation of a deleted document that can be restored, from the same content and with the same readers; no
        earlier one may answer. Returns False and changes nothing if it has another generation by now or cannot be restored any more.
        Conflict if another document of its scope has the content by now."""
        return await self._store.change(partial(_undelete, doc_id=doc_id, generation=generation, now=self._clock()))

    async def expire(self, doc_id: str) -> bool:
        """Ends the time in which a DELETED document can be restored, so that it can be purged. False if it is not DELETED."""
        return await self._store.change(partial(_expire, doc_id=doc_id))

    async def purge(self, doc_id: str) -> None:
        """Marks a DELETED document as fully removed; its tombstone stays. Unknown ids are ignored."""
        while not await self._store.change(partial(_purge, doc_id=doc_id, most=self._names_at_once)):
            pass

    async def restore(self, document: Document, names: Sequence[Name]) -> bool:
        """Adds a document as another ledger had it, with its id, generation and dates. A name that leads to another document here
        keeps leading there. False, and nothing is changed, if the id is in use or belonged to a deleted document.

        Where a transaction has no room for all names, the rest follows. If the process dies in between, a file of a missing name that
        comes again is found by its content."""
        first, most = True, self._names_at_once
        for start in range(0, max(len(names), 1), most):
            if not await self._store.change(partial(_restore, document=document, names=names[start : start + most], first=first)):
                return False
            first = False
        return True

    async def of_kind(self, kind: Kind, limit: int | None = None) -> list[Document]:
        """Documents with this left to do, oldest first, in all collections."""
        found = await self._store.get_many(await self._store.of_kind(kind, limit=limit))
        return oldest_first([body for body in found.values() if kind_of(body) == kind])

    async def counts(self) -> dict[str, int]:
        """State → number of documents over all collections, for /ready and progress; no names."""
        scopes = (await self._store.counts()).values()
        return {state: sum(numbers[state] for numbers in scopes) for state in get_args(DocumentState)}

    @property
    def _names_at_once(self) -> int:
        return self._store.most_written // WRITTEN_PER_NAME


def _update(transaction: Transaction, doc_id: str, generation: int, changes: dict[str, Any], now: float) -> bool:
    document = find_generation(transaction, doc_id, generation)
    if document is None:
        return False
    if changes.get("state") in ENDS_A_LEASE:
        document["lease"] = None
    put_document(transaction, document | changes | {"updated_at": now})
    return True


def _lease(transaction: Transaction, doc_id: str, generation: int, owner: str, now: float, until: float) -> bool:
    document = find_generation(transaction, doc_id, generation)
    if document is None:
        return False
    held = document["lease"]
    if held is not None and held["owner"] != owner and held["until"] > now:
        return False
    put_document(transaction, document | {"lease": {"owner": owner, "until": until}})
    return True


def _renew(transaction: Transaction, doc_id: str, generation: int, now: float) -> bool:
    document = find_generation(transaction, doc_id, generation)
    if document is None or document["state"] != "READY":
        return False
    put_document(transaction, started_again(document, now))
    return True


def _move(transaction: Transaction, doc_id: str, generation: int, scope: DocumentScope, now: float) -> bool:
    document = find_generation(transaction, doc_id, generation)
    if document is None:
        return False
    remove_content(transaction, document)
    before, after = scope_id(scope_of(document)), scope_id(scope)
    names = {key: shown for key, shown in document["names"].items() if key.startswith("origin#")}
    for key, shown in document["names"].items():
        if key in names:
            continue
        old = transaction.get(key)
        if old is not None and old["leads_to"].get(before, {}).get("doc_id") == doc_id:
            put_pointer(transaction, key, None)
        new = name_key(scope, shown)
        if transaction.get(new) is None:
            put_pointer(transaction, new, {"name": shown, "leads_to": {after: {"doc_id": doc_id, "version": None}}})
            names[new] = shown
    moved = started_again(document, now) | {
        "collection": scope.collection, "permission_groups": json.loads(scope.groups), "active_generation": 0, "names": names,
    }  # fmt: skip
    put_document(transaction, moved)
    add_content(transaction, moved)
    return True


def _undelete(transaction: Transaction, doc_id: str, generation: int, now: float) -> bool:
    document = transaction.get(document_key(doc_id))
    if document is None or kind_of(document) != "kept" or document["generation"] != generation:
        return False
    if document["updated_at"] + RESTORABLE_S <= now:
        return False
    if find_content(transaction, scope_of(document), document["content_hash"]) is not None:
        raise Conflict("The same file was added again meanwhile, so there is nothing to restore.")
    put_document(transaction, {**started_again(document, now), "active_generation": 0, "kept": False})
    add_content(transaction, document)
    return True


def _expire(transaction: Transaction, doc_id: str) -> bool:
    document = transaction.get(document_key(doc_id))
    if document is None or document["state"] != "DELETED":
        return False
    put_document(transaction, document | {"kept": False})
    return True


def _purge(transaction: Transaction, doc_id: str, most: int) -> bool:
    """False while names of uploads are left, of which it removes `most`. Origins stay, so that their files are not ingested again."""
    document = transaction.get(document_key(doc_id))
    if document is None or document["state"] != "DELETED":
        return True
    scope = scope_id(scope_of(document))
    names = [key for key in document["names"] if key.startswith("name#")]
    for key in names[:most]:
        del document["names"][key]
        pointer = transaction.get(key)
        if pointer is not None and pointer["leads_to"].get(scope, {}).get("doc_id") == doc_id:
            put_pointer(transaction, key, None)
    document["buried"] = len(names) <= most
    put_document(transaction, document)
    return bool(document["buried"])


def _restore(transaction: Transaction, document: Document, names: Sequence[Name], first: bool) -> bool:
    if first and not is_unused(transaction, document.doc_id):
        return False
    body = make_body(document, {}) if first else read_document(transaction, document.doc_id)
    if first:
        add_content(transaction, body)
    scope = scope_of(body)
    for name in names:
        shown = make_name(name.file_name)
        known = shown if name.origin is None else make_origin(name.origin)
        key = name_key(scope, known) if name.origin is None else origin_key(known)
        pointer = transaction.get(key) or {"name": known, "leads_to": {}}
        if scope_id(scope) not in pointer["leads_to"]:
            pointer["leads_to"][scope_id(scope)] = {"doc_id": document.doc_id, "version": None if name.origin is None else name.version}
            put_pointer(transaction, key, pointer)
            body["names"][key] = shown
    put_document(transaction, body)
    return True
