"""Deleted documents, which are restored or purged, in DynamoDB; see `ports.Ledger`."""

from __future__ import annotations

from footnote.adapters.dynamodb.ledger_items import Transaction, document_key, kind_of, make_document, scope_id, scope_of
from footnote.adapters.dynamodb.ledger_renew import started_again
from footnote.adapters.dynamodb.ledger_writes import AT_ONCE, add_content, find, find_content
from footnote.adapters.shared.ledger import check_same
from footnote.errors import NotFound
from footnote.types import RESTORABLE_S, Caller, Document


def find_deleted(transaction: Transaction, caller: Caller, doc_id: str, now: float) -> Document:
    """`ports.Ledger.find_deleted`."""
    record = find(transaction, caller, doc_id)
    if kind_of(record) != "kept" or record["updated_at"] + RESTORABLE_S <= now:
        raise NotFound("There is no such document.")
    return make_document(record)


def undelete(transaction: Transaction, doc_id: str, generation: int, now: float) -> bool:
    """`ports.Ledger.undelete`."""
    record = transaction.get(document_key(doc_id))
    if record is None or kind_of(record) != "kept" or record["generation"] != generation or record["updated_at"] + RESTORABLE_S <= now:
        return False
    check_same(find_content(transaction, scope_of(record), record["content_hash"]))
    transaction.put_document({**started_again(record, now), "active_generation": 0, "kept": False})
    add_content(transaction, doc_id)
    return True


def give_up(transaction: Transaction, doc_id: str) -> bool:
    """`ports.Ledger.give_up`."""
    record = transaction.get(document_key(doc_id))
    if record is None or record["state"] != "DELETED":
        return False
    transaction.put_document(record | {"kept": False})
    return True


def purge(transaction: Transaction, doc_id: str) -> bool:
    """False while names of the document are left; call it again."""
    document = transaction.get(document_key(doc_id))
    if document is None or document["state"] != "DELETED":
        return True
    scope = scope_id(scope_of(document))
    names = [name for name in document["names"] if name.startswith("name#")]
    for name in names[:AT_ONCE]:
        del document["names"][name]
        pointer = transaction.get(name)
        if pointer is not None and pointer["leads_to"].get(scope, {}).get("doc_id") == doc_id:
            transaction.put(name, None)
    document["buried"] = len(names) <= AT_ONCE
    transaction.put_document(document)
    return bool(document["buried"])
