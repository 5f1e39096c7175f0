"""The rules by which a file becomes a document, or the next generation of one; see `Lifecycle.accept`."""

from __future__ import annotations

import json
import secrets

from footnote.errors import Conflict, Forbidden, NotFound
from footnote.ledger.entries import (
    add_content,
    alias_key,
    find_content,
    is_unused,
    make_body,
    make_document,
    name_key,
    origin_key,
    put_document,
    put_pointer,
    read_document,
    remove_content,
    renamed,
    scope_id,
    scope_of,
    started_again,
)
from footnote.ledger.files import File, make_slug
from footnote.ports.ledger import Body, DocumentScope, Transaction
from footnote.types import Caller, Document


def accept(transaction: Transaction, caller: Caller, file: File, now: float) -> tuple[Document, bool]:
    """`Lifecycle.accept`."""
    doc_id, work = _place_by_id(transaction, caller, file, now) if file.chosen_id else _place(transaction, file, now)
    if file.doc_id is not None and is_unused(transaction, file.doc_id):
        transaction.put(alias_key(file.doc_id), {"doc_id": doc_id})
    return make_document(read_document(transaction, doc_id)), work


def reserve(transaction: Transaction, caller: Caller, scope: DocumentScope, name: str) -> str:
    """`Lifecycle.reserve`."""
    named = _find_named(transaction, scope, name_key(scope, name))
    if named is not None and caller.may_read(frozenset(named["permission_groups"])) and len(named["names"]) == 1:
        return str(named["doc_id"])
    return _make_id(transaction, name)


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
    return doc_id, _renew_if_changed(transaction, read_document(transaction, doc_id), file, now)


def _place_by_id(transaction: Transaction, caller: Caller, file: File, now: float) -> tuple[str, bool]:
    """Like `_place`, for a chosen id."""
    doc_id = str(file.doc_id)
    if is_unused(transaction, doc_id):
        return _insert(transaction, file, now), True
    alias = transaction.get(alias_key(doc_id))
    known = read_document(transaction, doc_id if alias is None else alias["doc_id"])
    _check_overwrite(caller, make_document(known), file, alias is not None or bool(known["names"]))
    return doc_id, _renew_if_changed(transaction, known, file, now)


def _check_overwrite(caller: Caller, known: Document, file: File, has_name: bool) -> None:
    """Raises unless the caller may replace this document by a file with a chosen id. `has_name`: a file's name leads to it."""
    if not caller.may_read(known.permission_groups):
        raise NotFound("There is no such document.")
    if foreign := caller.not_writable(known.permission_groups):
        raise Forbidden(f"Only members of a group may overwrite its documents: {', '.join(sorted(foreign))}.")
    if has_name:
        raise Conflict("The document with this id was made from a file. Add a new version of the file, or choose another doc_id.")
    if known.state != "DELETED" and known.collection != file.scope.collection:
        raise Conflict(f"The document with this id is in the index “{known.collection}”. Delete it there, or choose another doc_id.")


def _find_named(transaction: Transaction, scope: DocumentScope, key: str) -> Body | None:
    pointer = transaction.get(key)
    held = None if pointer is None else pointer["leads_to"].get(scope_id(scope))
    if held is None:
        return None
    document = read_document(transaction, held["doc_id"])
    return None if document["state"] == "DELETED" else document


def _insert(transaction: Transaction, file: File, now: float) -> str:
    doc_id = file.doc_id if file.doc_id is not None and is_unused(transaction, file.doc_id) else _make_id(transaction, file.shown)
    document = Document(
        doc_id=doc_id,
        title=file.title or file.shown,
        collection=file.scope.collection,
        file_name=file.shown,
        state="RECEIVED",
        content_hash=file.content_hash,
        size=file.size,
        permission_groups=frozenset(json.loads(file.scope.groups)),
        owner=file.owner,
        generation=1,
        metadata=file.metadata or {},
        created_at=now,
        updated_at=now,
    )
    body = make_body(document, {})
    put_document(transaction, body)
    add_content(transaction, body)
    return doc_id


def _make_id(transaction: Transaction, file_name: str) -> str:
    while True:
        doc_id = f"{make_slug(file_name)}-{secrets.token_hex(3)}"
        if is_unused(transaction, doc_id):
            return doc_id


def _renew_if_changed(transaction: Transaction, document: Body, file: File, now: float) -> bool:
    """Starts the document's next generation if the file or its scope differs; the active one answers until that is ready, unless the
    document was deleted or its scope changes."""
    stays = document["state"] != "DELETED" and scope_of(document) == file.scope
    same = document["content_hash"] == file.content_hash and file.metadata in (None, document["metadata"])
    if stays and same and document["state"] != "FAILED":
        return False
    remove_content(transaction, document)
    renewed = started_again(document, now) | {
        "active_generation": document["active_generation"] if stays else 0,
        "collection": file.scope.collection,
        "permission_groups": json.loads(file.scope.groups),
        "content_hash": file.content_hash,
        "size": file.size,
        "title": file.title or document["title"],
        "metadata": document["metadata"] if file.metadata is None else file.metadata,
        "buried": False,
    }
    put_document(transaction, renewed)
    add_content(transaction, renewed)
    return True


def _point(transaction: Transaction, file: File, doc_id: str, before: Body | None) -> None:
    """Lets the name lead to this document. The previous document is shown under the first of its other names."""
    key, scope = _pointer_key(file), scope_id(file.scope)
    pointer = transaction.get(key) or {"name": file.name, "leads_to": {}}
    held = pointer["leads_to"].pop(scope, {}).get("doc_id", doc_id)
    pointer["leads_to"][scope] = {"doc_id": doc_id, "version": file.version}  # `Origins.held` returns the last one
    put_pointer(transaction, key, pointer)
    document = read_document(transaction, doc_id)
    document["names"][key] = file.shown
    put_document(transaction, document)
    if before is not None:
        before["names"].pop(key, None)
        put_document(transaction, renamed(before))
    elif held != doc_id and (other := read_document(transaction, held)).get("kept"):
        other["names"].pop(key, None)  # it is deleted, and without a name it cannot be restored any more
        put_document(transaction, other | {"kept": bool(other["names"])})


def _pointer_key(file: File) -> str:
    return name_key(file.scope, file.name) if file.version is None else origin_key(file.name)
