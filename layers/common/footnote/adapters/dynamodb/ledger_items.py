"""The ledger's items in a DynamoDB table, and transactions over several of them.

    document#ID           a document with its names, its lease, and whether it is purged (`buried`) or can be restored (`kept`)
    alias#ID              a reserved id that leads to a document
    name#…  origin#…      a file's name in one scope, or its origin: the document that it leads to, by scope
    content#…             the documents with one content in one scope
    scope#…#SHARD         number of documents of a scope in each state

An item's `body` is JSON; its `revision` changes with every write. The other attributes feed the two indexes
and are present only on items that the indexes list:

    by_scope  listed, listed_at    the documents of a scope that are not deleted, newest first
    by_kind   kind, place          unfinished, failed, `undescribed`, unpurged (`unburied`) and `kept` documents, oldest first;
                                   sorted origins; scopes

An index lags behind its table, in AWS usually by less than a second. It is only used to find the items to read: lists of documents
and of origins may miss changes of that second, but never show deleted items.
The numbers of `collections`, `counts` and `readable_states` come from the index and lag equally. Nothing else reads an index.
"""

from __future__ import annotations

import hashlib
import json
import random
import secrets
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Concatenate, ParamSpec, TypeVar, get_args

from footnote.adapters.dynamodb.table import Item, Overtaken, Table
from footnote.adapters.shared.ledger import Scope
from footnote.errors import StoreUnavailable, TooLarge
from footnote.types import Document, DocumentState

STATES: tuple[str, ...] = get_args(DocumentState)
FIELDS = tuple(field.name for field in fields(Document))

SHARDS = 8
"""Items that share the counters of one scope, so that concurrent changes rarely write the same item."""

MAX_BYTES = 390 * 1024
"""Of a body. DynamoDB allows 400 KB per item, including its keys."""

MAX_PLACE_BYTES = 1000
"""Of an origin, for sorting; an index key allows 1,024."""

RETRY_S = 10.0
"""How long a change that conflicts with others is repeated."""

Record = dict[str, Any]
"""The body of an item."""

P = ParamSpec("P")
R = TypeVar("R")


def table_definition(name: str) -> dict[str, Any]:
    """Arguments of CreateTable."""
    states = ["scope", *STATES]
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "listed", "listed_at", "kind", "place")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by_scope",
                "KeySchema": [{"AttributeName": "listed", "KeyType": "HASH"}, {"AttributeName": "listed_at", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            },
            {
                "IndexName": "by_kind",
                "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}, {"AttributeName": "place", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": states},
            },
        ],
    }


# --- keys --------------------------------------------------------------------------------------


def document_key(doc_id: str) -> str:
    """Key of a document's item."""
    return f"document#{doc_id}"


def alias_key(doc_id: str) -> str:
    """Key of the item of a reserved id."""
    return f"alias#{doc_id}"


def name_key(scope: Scope, name: str) -> str:
    """Key of a file name's item."""
    return f"name#{_digest(*scope, name)}"


def origin_key(origin: str) -> str:
    """Key of an origin's item."""
    return f"origin#{_digest(origin)}"


def content_key(scope: Scope, content_hash: str) -> str:
    """Key of the item that lists the documents with one content."""
    return f"content#{_digest(*scope, content_hash)}"


def scope_id(scope: Scope) -> str:
    """The scope as a short hash, for keys."""
    return _digest(*scope)


def scope_of(document: Record) -> Scope:
    """The scope of a document's record."""
    return Scope(document["collection"], json.dumps(document["permission_groups"]))


def position(document: Record | Document) -> str:
    """Sort key: newest first, then by id within one microsecond."""
    created_at, doc_id = (
        (document.created_at, document.doc_id) if isinstance(document, Document) else (document["created_at"], document["doc_id"])
    )
    return f"{10**17 - _microseconds(created_at):018d}#{doc_id}"


def place_of_origin(origin: str) -> str:
    """Sort key of an origin: its first bytes."""
    return origin.encode()[:MAX_PLACE_BYTES].decode(errors="ignore")


def _microseconds(moment: float) -> int:
    return int(moment * 1_000_000)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


# --- items -------------------------------------------------------------------------------------


def make_document(record: Record) -> Document:
    """The document of a record. Other fields of the record (names, lease, those of a newer version during an upgrade) are ignored."""
    values = {name: record[name] for name in FIELDS if name in record}
    return Document(**{**values, "permission_groups": frozenset(record["permission_groups"])})


def body_of(item: Item) -> Record:
    """The parsed body of an item."""
    record: Record = json.loads(item["body"]["S"])
    return record


def _make_item(key: str, body: str, revision: str) -> Item:
    if len(body) > MAX_BYTES:
        raise TooLarge(
            "The ledger's entry of this document is larger than 390 KB. Shorten its metadata, or use fewer names for the same content."
        )
    attributes = {"pk": key, "body": body, "revision": revision, **_index_keys(key, json.loads(body))}
    return {name: {"S": value} for name, value in attributes.items()}


def _index_keys(key: str, record: Record) -> dict[str, str]:
    if key.startswith("origin#"):
        return {"kind": "origin", "place": place_of_origin(record["name"])}
    if not key.startswith("document#"):
        return {}
    keys: dict[str, str] = {}
    if record["state"] != "DELETED":
        keys |= {"listed": scope_id(scope_of(record)), "listed_at": position(record)}
    if kind := kind_of(record):
        keys |= {"kind": kind, "place": f"{_microseconds(record['created_at']):018d}#{record['doc_id']}"}
    return keys


def kind_of(record: Record) -> str | None:
    """The kind under which the index lists a document; None if it does not."""
    match record["state"]:
        case "RECEIVED" | "PROCESSING":
            return "unfinished"
        case "FAILED":
            return "failed"
        case "READY" if record.get("described_by") == "waiting":
            return "undescribed"
        case "DELETED" if not record["buried"]:
            return "kept" if record.get("kept") else "unburied"
    return None


# --- changes -----------------------------------------------------------------------------------


class Transaction:
    """One attempt at a change: what it read, and what it writes if none of that has changed. All or nothing."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._read: dict[str, Item | None] = {}
        self._bodies: dict[str, str | None] = {}

    def get(self, key: str) -> Record | None:
        """A copy of the record; None if there is none. `put` writes it back."""
        if key not in self._read:
            item = self._read[key] = self._table.get(key)
            self._bodies[key] = None if item is None else item["body"]["S"]
        body = self._bodies[key]
        return None if body is None else json.loads(body)

    def put(self, key: str, record: Record | None) -> None:
        """Sets the record of a key that was read. None deletes the item."""
        self._bodies[key] = None if record is None else json.dumps(record)

    def document(self, doc_id: str) -> Record:
        """The record of a document that another item refers to."""
        record = self.get(document_key(doc_id))
        if record is None:
            raise Overtaken  # documents are never removed, so this one is just being written
        return record

    def put_document(self, record: Record) -> None:
        """Sets the record of a document."""
        self.put(document_key(record["doc_id"]), record)

    def commit(self) -> None:
        """Writes all changes. Raises `Overtaken` if anything that was read has changed since."""
        if not any(self._is_changed(key) for key in self._read):
            return
        # Also the request's idempotency token: a request that is repeated after a failure is executed once.
        revision = secrets.token_hex(16)
        writes = [self._write(key, item, revision) for key, item in self._read.items()]
        self._table.call("transact_write_items", TransactItems=[*writes, *self._counting()], ClientRequestToken=revision)

    def _is_changed(self, key: str) -> bool:
        item = self._read[key]
        return self._bodies[key] != (None if item is None else item["body"]["S"])

    def _write(self, key: str, before: Item | None, revision: str) -> Item:
        arguments: Item = {"TableName": self._table.name, "ConditionExpression": "attribute_not_exists(pk)"}
        if before is not None:
            arguments["ConditionExpression"] = "revision = :revision"
            arguments["ExpressionAttributeValues"] = {":revision": before["revision"]}
        body = self._bodies[key]
        if not self._is_changed(key):
            return {"ConditionCheck": {**arguments, "Key": {"pk": {"S": key}}}}
        if body is None:
            return {"Delete": {**arguments, "Key": {"pk": {"S": key}}}}
        return {"Put": {**arguments, "Item": _make_item(key, body, revision)}}

    def _counting(self) -> list[Item]:
        numbers: dict[tuple[Scope, int], Counter[str]] = {}
        for key in self._read:
            if key.startswith("document#") and self._is_changed(key):
                body, before = self._bodies[key], self._read[key]
                assert body is not None  # noqa: S101 (documents are never removed)
                after = json.loads(body)
                shard = int(_digest(after["doc_id"]), 16) % SHARDS
                numbers.setdefault((scope_of(after), shard), Counter())[after["state"]] += 1
                if before is not None:
                    known = body_of(before)
                    numbers.setdefault((scope_of(known), shard), Counter())[known["state"]] -= 1
        return [self._count(scope, shard, number) for (scope, shard), number in numbers.items() if any(number.values())]

    def _count(self, scope: Scope, shard: int, number: Counter[str]) -> Item:
        """Adds without a condition on the counters, so that concurrent changes do not conflict here."""
        changes = {state: amount for state, amount in number.items() if amount}
        key = f"scope#{scope_id(scope)}#{shard}"
        values = {":kind": "scope", ":place": key, ":scope": json.dumps(scope)}
        return {
            "Update": {
                "TableName": self._table.name,
                "Key": {"pk": {"S": key}},
                "UpdateExpression": "SET #kind = :kind, #place = :place, #scope = :scope ADD "
                + ", ".join(f"#{state} :{state}" for state in changes),
                "ExpressionAttributeNames": {f"#{name}": name for name in ("kind", "place", "scope", *changes)},
                "ExpressionAttributeValues": {
                    **{name: {"S": value} for name, value in values.items()},
                    **{f":{state}": {"N": str(amount)} for state, amount in changes.items()},
                },
            }
        }


def change(table: Table, work: Callable[Concatenate[Transaction, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs and commits `work(transaction, …)`; starts over while other writers change what it read."""
    until, pause_s = time.monotonic() + RETRY_S, 0.01
    while True:
        transaction = Transaction(table)
        try:
            result = work(transaction, *args, **kwargs)
            transaction.commit()
        except Overtaken as exc:
            if time.monotonic() > until:
                raise StoreUnavailable("Too many changes at once to this document. Try again in a moment.") from exc
            time.sleep(random.uniform(0, pause_s))  # noqa: S311 (no secret)
            pause_s = min(2 * pause_s, 0.3)
        else:
            return result
