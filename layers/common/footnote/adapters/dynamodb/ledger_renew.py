"""Starts the next generation of a document from the same content."""

from __future__ import annotations

from footnote.adapters.dynamodb.ledger_items import Record, Transaction
from footnote.adapters.dynamodb.ledger_writes import find_generation


def renew(transaction: Transaction, doc_id: str, generation: int, now: float) -> bool:
    """`ports.Ledger.renew`."""
    document = find_generation(transaction, doc_id, generation)
    if document is None or document["state"] != "READY":
        return False
    transaction.put_document(started_again(document, now))
    return True


def started_again(document: Record, now: float) -> Record:
    """The document at the start of its next generation."""
    again = {"state": "RECEIVED", "generation": document["generation"] + 1, "reason": None, "remedy": None, "lease": None}
    return {**document, **again, "updated_at": now}
