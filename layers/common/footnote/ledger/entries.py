"""The entries of a ledger: under which keys they are, in which lists, and how a transaction reads and writes them.

    document#ID           a document with its names, its lease, and whether it is purged (`buried`) or can be restored (`kept`)
    alias#ID              a reserved id that leads to a document
    name#…  origin#…      a file's name in one scope, or its origin: the document that it leads to, by scope, the last one accepted last
    content#…             the documents with one content in one scope

A document that is not deleted is in the list of its scope, newest first. A document with something left to do is in the list of that
`Kind`, oldest first; origins are in the kind `origin`. The state of every document is counted in its scope. Documents are never removed,
so that no id is used twice.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Literal

from footnote.ports.ledger import Body, DocumentScope, Overtaken, Position, Transaction
from footnote.types import Document

Kind = Literal["unfinished", "failed", "undescribed", "kept", "unburied"]
"""unfinished: RECEIVED or PROCESSING. failed: FAILED. undescribed: READY, waits for a model's description. kept: DELETED, stays to be
restored, also if the time for that is over. unburied: any other DELETED document that may still have chunks or files."""

FIELDS = tuple(field.name for field in fields(Document))

MAX_POSITION_BYTES = 1000
"""Of an origin, as the engines' sort keys are short."""


# --- keys ------------------------------------------------------------------------------------------


def document_key(doc_id: str) -> str:
    """The key of a document."""
    return f"document#{doc_id}"


def alias_key(doc_id: str) -> str:
    """The key of a reserved id."""
    return f"alias#{doc_id}"


def name_key(scope: DocumentScope, name: str) -> str:
    """The key of a file's name."""
    return f"name#{_digest(*scope, name)}"


def origin_key(origin: str) -> str:
    """The key of an origin."""
    return f"origin#{_digest(origin)}"


def content_key(scope: DocumentScope, content_hash: str) -> str:
    """The key of the documents with one content."""
    return f"content#{_digest(*scope, content_hash)}"


def scope_id(scope: DocumentScope) -> str:
    """The scope as a short hash: the name of its list."""
    return _digest(*scope)


def scope_of(document: Body) -> DocumentScope:
    """The scope of a document."""
    return DocumentScope(document["collection"], json.dumps(document["permission_groups"]))


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


# --- lists -----------------------------------------------------------------------------------------


def kind_of(document: Body) -> Kind | None:
    """What is left to do with the document; None = nothing."""
    match document["state"]:
        case "RECEIVED" | "PROCESSING":
            return "unfinished"
        case "FAILED":
            return "failed"
        case "READY" if document.get("described_by") == "waiting":
            return "undescribed"
        case "DELETED" if not document["buried"]:
            return "kept" if document.get("kept") else "unburied"
    return None


def newest_first(created_at: float, doc_id: str) -> str:
    """The position of a document in its scope; by id within one microsecond."""
    return f"{10**17 - _microseconds(created_at):018d}#{doc_id}"


def position_of_origin(origin: str) -> str:
    """The position of an origin: its first bytes."""
    return origin.encode()[:MAX_POSITION_BYTES].decode(errors="ignore")


def listed_in_scope(document: Body) -> Position | None:
    """The place of a document in the list of its scope."""
    if document["state"] == "DELETED":
        return None
    return Position(scope_id(scope_of(document)), newest_first(document["created_at"], document["doc_id"]))


def listed_in_kind(document: Body) -> Position | None:
    """The place of a document in the list of its kind."""
    kind = kind_of(document)
    return None if kind is None else Position(kind, f"{_microseconds(document['created_at']):018d}#{document['doc_id']}")


def _microseconds(moment: float) -> int:
    return int(moment * 1_000_000)


# --- documents -------------------------------------------------------------------------------------


def make_document(body: Body) -> Document:
    """The document of an entry. Other fields of it (names, lease, those of a newer version during an upgrade) are ignored."""
    values = {name: body[name] for name in FIELDS if name in body}
    return Document(**{**values, "permission_groups": frozenset(body["permission_groups"])})


def make_body(document: Document, names: Mapping[str, str]) -> Body:
    """The entry of a document that nobody has leased. `names`: key → the name as it is shown."""
    body = {name: getattr(document, name) for name in FIELDS}  # asdict copies everything, which takes most of a migration
    body |= {"permission_groups": sorted(document.permission_groups), "metadata": dict(document.metadata)}
    return {**body, "names": dict(names), "lease": None, "buried": False}


def oldest_first(bodies: Sequence[Body]) -> list[Document]:
    """The documents of these entries."""
    return sorted(map(make_document, bodies), key=lambda document: (document.created_at, document.doc_id))


# --- in a transaction ------------------------------------------------------------------------------


def read_document(transaction: Transaction, doc_id: str) -> Body:
    """A document that another entry refers to."""
    document = transaction.get(document_key(doc_id))
    if document is None:
        raise Overtaken  # documents are never removed, so this one is just being written
    return document


def put_document(transaction: Transaction, document: Body) -> None:
    """Writes a document, with its lists, and counts its state."""
    key = document_key(document["doc_id"])
    before = transaction.get(key)
    counted = Counter({(scope_of(document), document["state"]): 1})
    if before is not None:
        counted.subtract({(scope_of(before), before["state"]): 1})
    transaction.put(key, document, scope=listed_in_scope(document), kind=listed_in_kind(document), counted=counted)


def put_pointer(transaction: Transaction, key: str, pointer: Body | None) -> None:
    """Writes a name or an origin; without a document that it leads to, it is deleted."""
    if pointer is None or not pointer["leads_to"]:
        transaction.put(key, None)
    else:
        origin = key.startswith("origin#")
        transaction.put(key, pointer, kind=Position("origin", position_of_origin(pointer["name"])) if origin else None)


def add_content(transaction: Transaction, document: Body) -> None:
    """Notes the document under its content."""
    key = content_key(scope_of(document), document["content_hash"])
    transaction.put(key, (transaction.get(key) or {}) | {document["doc_id"]: document["created_at"]})


def remove_content(transaction: Transaction, document: Body) -> None:
    """Forgets the document under its content."""
    key = content_key(scope_of(document), document["content_hash"])
    made = transaction.get(key) or {}
    made.pop(document["doc_id"], None)
    transaction.put(key, made or None)


def find_content(transaction: Transaction, scope: DocumentScope, content_hash: str) -> str | None:
    """The oldest document with this content; there are several if documents came to the same content one by one."""
    made: Body = transaction.get(content_key(scope, content_hash)) or {}
    return min(made, key=lambda doc_id: (made[doc_id], doc_id), default=None)


def find_generation(transaction: Transaction, doc_id: str, generation: int) -> Body | None:
    """The document; None if it has another generation or is deleted."""
    document = transaction.get(document_key(doc_id))
    if document is None or document["generation"] != generation or document["state"] == "DELETED":
        return None
    return document


def is_unused(transaction: Transaction, doc_id: str) -> bool:
    """Whether the id belongs to no document, deleted or not, and is not reserved."""
    return transaction.get(document_key(doc_id)) is None and transaction.get(alias_key(doc_id)) is None


def started_again(document: Body, now: float) -> Body:
    """The document at the start of its next generation."""
    again = {"state": "RECEIVED", "generation": document["generation"] + 1, "reason": None, "remedy": None, "lease": None}
    return {**document, **again, "updated_at": now}


def renamed(document: Body) -> Body:
    """A document that lost the name it is shown under gets the first of its other names."""
    shown, before = document["names"].values(), document["file_name"]
    if not shown or before in shown:
        return document
    return document | {"file_name": min(shown), "title": min(shown) if document["title"] == before else document["title"]}


def mark_deleted(transaction: Transaction, document: Body, now: float, *, keep: bool = False) -> Document:
    """Sets the state to DELETED."""
    document = document | {"state": "DELETED", "kept": keep, "updated_at": now}
    remove_content(transaction, document)
    put_document(transaction, document)
    return make_document(document)
