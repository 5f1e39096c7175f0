"""Documents of another ledger in the ledger in DynamoDB; see `ports.Ledger.restore`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from footnote.adapters.dynamodb.ledger_items import Transaction, body_of, change, document_key, name_key, origin_key, scope_id, scope_of
from footnote.adapters.dynamodb.ledger_writes import AT_ONCE, add_content, is_unused
from footnote.adapters.dynamodb.table import Table
from footnote.adapters.shared.ledger import make_name, make_origin, make_scope
from footnote.ports import Name
from footnote.types import Document


def names(table: Table, doc_id: str) -> list[Name]:
    """`ports.Ledger.names`."""
    item = table.get(document_key(doc_id))
    if item is None:
        return []
    document = body_of(item)
    pointers = {key: body_of(found) for key, found in table.get_many(list(document["names"])).items()}
    found: list[Name] = []
    for key, shown in document["names"].items():
        held = pointers[key]["leads_to"].get(scope_id(scope_of(document))) if key in pointers else None
        if held is not None and held["doc_id"] == doc_id:
            found.append(Name(shown) if key.startswith("name#") else Name(shown, pointers[key]["name"], held["version"]))
    return found


def restore(table: Table, document: Document, names: Sequence[Name]) -> bool:
    """Names follow in transactions of their own, since each writes at most 100 items. If the process dies in between, a file of a missing
    name that comes again is found by its content."""
    if not change(table, _insert, document):
        return False
    for start in range(0, len(names), AT_ONCE):
        change(table, _point, document.doc_id, names[start : start + AT_ONCE])
    return True


def _insert(transaction: Transaction, document: Document) -> bool:
    if not is_unused(transaction, document.doc_id):
        return False
    groups = sorted(document.permission_groups)
    transaction.put_document({**asdict(document), "permission_groups": groups, "names": {}, "lease": None, "buried": False})
    add_content(transaction, document.doc_id)
    return True


def _point(transaction: Transaction, doc_id: str, names: Sequence[Name]) -> None:
    document = transaction.document(doc_id)
    scope = make_scope(document["collection"], frozenset(document["permission_groups"]))
    for name in names:
        shown = make_name(name.file_name)
        key = name_key(scope, shown) if name.origin is None else origin_key(make_origin(name.origin))
        pointer = transaction.get(key) or {"name": shown if name.origin is None else make_origin(name.origin), "leads_to": {}}
        if scope_id(scope) in pointer["leads_to"]:
            continue
        pointer["leads_to"][scope_id(scope)] = {"doc_id": doc_id, "version": None if name.origin is None else name.version}
        transaction.put(key, pointer)
        document["names"][key] = shown
    transaction.put_document(document)
