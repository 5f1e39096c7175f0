"""Starts the next generation of a document from the same content, also in another scope."""

from __future__ import annotations

import json

from footnote.adapters.dynamodb.ledger_items import Record, Transaction, name_key, scope_id, scope_of
from footnote.adapters.dynamodb.ledger_writes import add_content, find_generation, remove_content
from footnote.adapters.shared.ledger import Scope


def renew(transaction: Transaction, doc_id: str, generation: int, now: float) -> bool:
    """`ports.Ledger.renew`."""
    document = find_generation(transaction, doc_id, generation)
    if document is None or document["state"] != "READY":
        return False
    transaction.put_document(started_again(document, now))
    return True


def move(transaction: Transaction, doc_id: str, generation: int, scope: Scope, now: float) -> bool:
    """`ports.Ledger.move`."""
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
            transaction.put(key, None)
        new = name_key(scope, shown)
        if transaction.get(new) is None:
            transaction.put(new, {"name": shown, "leads_to": {after: {"doc_id": doc_id, "version": None}}})
            names[new] = shown
    moved = {"collection": scope.collection, "permission_groups": json.loads(scope.groups), "active_generation": 0, "names": names}
    transaction.put_document(started_again(document, now) | moved)
    add_content(transaction, doc_id)
    return True


def started_again(document: Record, now: float) -> Record:
    """The document at the start of its next generation."""
    again = {"state": "RECEIVED", "generation": document["generation"] + 1, "reason": None, "remedy": None, "lease": None}
    return {**document, **again, "updated_at": now}
