"""Writes of the ledger in DynamoDB. Every function is one attempt at one change within a transaction; see `ports.Ledger`."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from typing import Any

from footnote.adapters.dynamodb.ledger_items import (
    Record,
    Transaction,
    alias_key,
    content_key,
    document_key,
    make_document,
    name_key,
    origin_key,
    scope_id,
    scope_of,
)
from footnote.adapters.shared.ledger import ENDS_A_LEASE, File, Scope, brings_metadata, check_overwrite, make_slug
from footnote.errors import NotFound
from footnote.types import Caller, Document

AT_ONCE = 20
"""Most names that one transaction removes: it may write 100 items, and each name may delete a document."""


def get(transaction: Transaction, caller: Caller, doc_id: str) -> Document:
    """`ports.Ledger.get`."""
    document = find(transaction, caller, doc_id)
    if document["state"] == "DELETED":
        raise NotFound("There is no such document.")
    return make_document(document)


def accept(transaction: Transaction, caller: Caller, file: File, now: float) -> tuple[Document, bool]:
    """`ports.Ledger.accept`."""
    doc_id, work = _place_by_id(transaction, caller, file, now) if file.chosen_id else _place(transaction, file, now)
    if file.doc_id is not None and is_unused(transaction, file.doc_id):
        transaction.put(alias_key(file.doc_id), {"doc_id": doc_id})
    return make_document(transaction.document(doc_id)), work


def update(transaction: Transaction, doc_id: str, generation: int, changes: dict[str, Any]) -> bool:
    """`ports.Ledger.update`."""
    document = find_generation(transaction, doc_id, generation)
    if document is None:
        return False
    if changes.get("state") in ENDS_A_LEASE:
        document["lease"] = None
    transaction.put_document(document | changes)
    return True


def lease(transaction: Transaction, doc_id: str, generation: int, owner: str, now: float, lease_s: float) -> bool:
    """`ports.Ledger.lease`."""
    document = find_generation(transaction, doc_id, generation)
    if document is None:
        return False
    held = document["lease"]
    if held is not None and held["owner"] != owner and held["until"] > now:
        return False
    transaction.put_document(document | {"lease": {"owner": owner, "until": now + lease_s}})
    return True


def delete(transaction: Transaction, caller: Caller, doc_id: str, keep: bool, now: float) -> Document:
    """The state alone frees the document's names; their items are removed by `purge`."""
    document = find(transaction, caller, doc_id)
    if document["state"] != "DELETED":
        return mark_deleted(transaction, document | {"kept": keep}, now)
    if document["buried"]:
        raise NotFound("There is no such document.")
    if not keep:
        transaction.put_document(document | {"kept": False})
    return make_document(document)


def release(transaction: Transaction, origin: str, keep: str | None, now: float) -> tuple[list[Document], bool]:
    """(deleted documents, whether all are done); handles at most AT_ONCE documents."""
    key = origin_key(origin)
    pointer = transaction.get(key)
    if pointer is None:
        return [], True
    led = [(scope, held["doc_id"]) for scope, held in pointer["leads_to"].items() if held["doc_id"] != keep]
    deleted = []
    for scope, doc_id in led[:AT_ONCE]:
        del pointer["leads_to"][scope]
        document = transaction.document(doc_id)
        document["names"].pop(key, None)
        if document["names"] or (document["state"] == "DELETED" and not document.get("kept")):
            transaction.put_document(renamed(document))
        else:
            deleted.append(mark_deleted(transaction, document | {"kept": False}, now))
    transaction.put(key, pointer if pointer["leads_to"] else None)
    return deleted, len(led) <= AT_ONCE


# --- accepting ---------------------------------------------------------------------------------


def _place(transaction: Transaction, file: File, now: float) -> tuple[str, bool]:
    """(id of the document that has this file from now on, whether it has to be processed)."""
    named = _find_named(transaction, file.scope, _pointer_key(file))
    if named is not None and (named["content_hash"] == file.content_hash or len(named["names"]) == 1):
        doc_id = named["doc_id"]
        _point(transaction, file, doc_id, None)
    else:
        same = find_content(transaction, file.scope, file.content_hash)
        doc_id = same if same is not None else _insert(transaction, file, now)
        _point(transaction, file, doc_id, named)
        if same is None:
            return doc_id, True
    return doc_id, _renew_if_changed(transaction, transaction.document(doc_id), file, now)


def _place_by_id(transaction: Transaction, caller: Caller, file: File, now: float) -> tuple[str, bool]:
    """Like `_place`, for a chosen id."""
    doc_id = str(file.doc_id)
    if is_unused(transaction, doc_id):
        return _insert(transaction, file, now), True
    alias = transaction.get(alias_key(doc_id))
    known = transaction.document(doc_id if alias is None else alias["doc_id"])
    check_overwrite(caller, make_document(known), file, alias is not None or bool(known["names"]))
    return doc_id, _renew_if_changed(transaction, known, file, now)


def _find_named(transaction: Transaction, scope: Scope, key: str) -> Record | None:
    pointer = transaction.get(key)
    held = None if pointer is None else pointer["leads_to"].get(scope_id(scope))
    if held is None:
        return None
    document = transaction.document(held["doc_id"])
    return None if document["state"] == "DELETED" else document


def find_content(transaction: Transaction, scope: Scope, content_hash: str) -> str | None:
    """The oldest document with this content; there are several if documents came to the same content one by one."""
    made: Record = transaction.get(content_key(scope, content_hash)) or {}
    return min(made, key=lambda doc_id: (made[doc_id], doc_id), default=None)


def _insert(transaction: Transaction, file: File, now: float) -> str:
    doc_id = file.doc_id if file.doc_id is not None and is_unused(transaction, file.doc_id) else _make_id(transaction, file.shown)
    groups = json.loads(file.scope.groups)
    document = Document(
        doc_id=doc_id,
        title=file.title or file.shown,
        collection=file.scope.collection,
        file_name=file.shown,
        state="RECEIVED",
        content_hash=file.content_hash,
        size=file.size,
        permission_groups=frozenset(groups),
        owner=file.owner,
        generation=1,
        metadata=json.loads(file.metadata or "{}"),
        created_at=now,
        updated_at=now,
    )
    transaction.put_document({**asdict(document), "permission_groups": groups, "names": {}, "lease": None, "buried": False})
    add_content(transaction, doc_id)
    return doc_id


def _renew_if_changed(transaction: Transaction, document: Record, file: File, now: float) -> bool:
    """Starts the document's next generation if the file or its scope differs; the active one answers until that is ready, unless the
    document was deleted or its scope changes."""
    stays = document["state"] != "DELETED" and scope_of(document) == file.scope
    same = document["content_hash"] == file.content_hash and not brings_metadata(file, document["metadata"])
    if stays and same and document["state"] != "FAILED":
        return False
    changes = {
        "state": "RECEIVED",
        "generation": document["generation"] + 1,
        "active_generation": document["active_generation"] if stays else 0,
        "collection": file.scope.collection,
        "permission_groups": json.loads(file.scope.groups),
        "content_hash": file.content_hash,
        "size": file.size,
        "title": file.title or document["title"],
        "metadata": document["metadata"] if file.metadata is None else json.loads(file.metadata),
        "reason": None,
        "remedy": None,
        "lease": None,
        "buried": False,
        "updated_at": now,
    }
    remove_content(transaction, document)
    transaction.put_document(document | changes)
    add_content(transaction, document["doc_id"])
    return True


def _point(transaction: Transaction, file: File, doc_id: str, before: Record | None) -> None:
    """Lets the name lead to this document. The previous document is shown under the first of its other names."""
    key, scope = _pointer_key(file), scope_id(file.scope)
    pointer = transaction.get(key) or {"name": file.name, "leads_to": {}}
    leads_to: Record = pointer["leads_to"]
    held = leads_to.pop(scope, {}).get("doc_id", doc_id)
    leads_to[scope] = {"doc_id": doc_id, "version": file.version}  # `held` returns the last one
    transaction.put(key, pointer)
    document = transaction.document(doc_id)
    document["names"][key] = file.shown
    transaction.put_document(document)
    if before is not None:
        before["names"].pop(key, None)
        transaction.put_document(renamed(before))
    elif held != doc_id and (other := transaction.document(held)).get("kept"):  # deleted: without a name it cannot be restored any more
        other["names"].pop(key, None)
        transaction.put_document(other | {"kept": bool(other["names"])})


def add_content(transaction: Transaction, doc_id: str) -> None:
    """Notes the document under its content."""
    document = transaction.document(doc_id)
    key = content_key(scope_of(document), document["content_hash"])
    transaction.put(key, (transaction.get(key) or {}) | {doc_id: document["created_at"]})


def remove_content(transaction: Transaction, document: Record) -> None:
    """Forgets the document under its content."""
    key = content_key(scope_of(document), document["content_hash"])
    made = transaction.get(key) or {}
    made.pop(document["doc_id"], None)
    transaction.put(key, made or None)


def renamed(document: Record) -> Record:
    """A document that lost the name it is shown under gets the first of its other names."""
    shown, before = document["names"].values(), document["file_name"]
    if not shown or before in shown:
        return document
    return document | {"file_name": min(shown), "title": min(shown) if document["title"] == before else document["title"]}


def mark_deleted(transaction: Transaction, document: Record, now: float) -> Document:
    """Sets the state to DELETED."""
    document = document | {"state": "DELETED", "updated_at": now}
    remove_content(transaction, document)
    transaction.put_document(document)
    return make_document(document)


def _pointer_key(file: File) -> str:
    return name_key(file.scope, file.name) if file.version is None else origin_key(file.name)


# --- ids ---------------------------------------------------------------------------------------


def reserve(transaction: Transaction, caller: Caller, scope: Scope, name: str) -> str:
    """`ports.Ledger.reserve`."""
    named = _find_named(transaction, scope, name_key(scope, name))
    if named is not None and caller.may_read(frozenset(named["permission_groups"])) and len(named["names"]) == 1:
        return str(named["doc_id"])
    return _make_id(transaction, name)


def find(transaction: Transaction, caller: Caller, doc_id: str) -> Record:
    """A document by its id or an alias, DELETED or not; NotFound if the caller may not read it."""
    document = transaction.get(document_key(doc_id))
    if document is None:
        alias = transaction.get(alias_key(doc_id))
        document = transaction.document(alias["doc_id"]) if alias is not None else None
    if document is None or not caller.may_read(frozenset(document["permission_groups"])):
        raise NotFound("There is no such document.")
    return document


def find_generation(transaction: Transaction, doc_id: str, generation: int) -> Record | None:
    """The record of the document; None if it has another generation or is deleted."""
    document = transaction.get(document_key(doc_id))
    if document is None or document["generation"] != generation or document["state"] == "DELETED":
        return None
    return document


def _make_id(transaction: Transaction, file_name: str) -> str:
    while True:
        doc_id = f"{make_slug(file_name)}-{secrets.token_hex(3)}"
        if is_unused(transaction, doc_id):
            return doc_id


def is_unused(transaction: Transaction, doc_id: str) -> bool:
    """Whether the id belongs to no document, deleted or not, and is not reserved."""
    return transaction.get(document_key(doc_id)) is None and transaction.get(alias_key(doc_id)) is None
