"""Lets origins lead to other documents, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping

from footnote.adapters.dynamodb.ledger_items import Transaction, origin_key, scope_id, scope_of
from footnote.adapters.dynamodb.ledger_renew import started_again
from footnote.adapters.dynamodb.ledger_writes import mark_deleted, renamed
from footnote.ports import Target
from footnote.types import Document


def redirect(transaction: Transaction, origins: Mapping[str, Target | None], now: float) -> list[Document]:
    """`ports.Ledger.redirect`."""
    targets = {target.doc_id for target in origins.values() if target is not None}
    led = set(targets)
    for origin in origins:
        key = origin_key(origin)
        for held in (transaction.get(key) or {"leads_to": {}})["leads_to"].values():
            document = transaction.document(held["doc_id"])
            document["names"].pop(key, None)
            transaction.put_document(document)
            led.add(held["doc_id"])
        transaction.put(key, None)
    for origin, target in origins.items():
        if target is not None:
            key, document = origin_key(origin), transaction.document(target.doc_id)
            held = {"doc_id": target.doc_id, "version": target.version}
            transaction.put(key, {"name": origin, "leads_to": {scope_id(scope_of(document)): held}})
            document["names"][key] = target.file_name
            transaction.put_document(document)
    deleted = []
    for doc_id in sorted(led):
        document = transaction.document(doc_id)
        if document["state"] == "DELETED" and (document["names"] or not document.get("kept")):
            continue
        if not document["names"]:
            deleted.append(mark_deleted(transaction, document | {"kept": False}, now))
            continue
        after = renamed(document)
        if doc_id in targets and after["file_name"] != document["file_name"]:
            after = started_again(after, now)
        transaction.put_document(after)
    return deleted
