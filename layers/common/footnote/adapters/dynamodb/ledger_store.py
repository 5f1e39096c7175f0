"""The entries of the ledger in a DynamoDB table.

A transaction is written only if nothing that it read has changed. An item's `body` is JSON; its `revision` changes with every write.
Items `scope#…#SHARD` hold the number of documents of a scope in each state. The other attributes feed the two indexes and are present
only on items that these list:

    by_scope  listed, listed_at    `LedgerStore.newest`
    by_kind   kind, place          `LedgerStore.of_kind`, and the scopes with their counters

An index lags behind its table, in AWS usually by less than a second. It is only used to find the items to read, and for the counters.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import random
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar, get_args

from footnote.adapters.dynamodb.table import BATCH, Item, Table
from footnote.adapters.shared.ledger import Attempt, Entry
from footnote.errors import StoreUnavailable, TooLarge
from footnote.ports.ledger import Body, DocumentScope, Overtaken, Transaction
from footnote.types import DocumentState

STATES: tuple[str, ...] = get_args(DocumentState)

SHARDS = 8
"""Items that share the counters of one scope, so that concurrent changes rarely write the same item."""

MAX_BYTES = 390 * 1024
"""Of a body. DynamoDB allows 400 KB per item, including its keys."""

RETRY_S = 10.0
"""How long a change that conflicts with others is repeated."""

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


class DynamoLedgerStore:
    """`ports.ledger.LedgerStore` on DynamoDB."""

    most_written = BATCH

    def __init__(self, table: Table) -> None:
        self._table = table

    async def change(self, rule: Callable[[Transaction], R]) -> R:
        return await self._table.run(_change, rule)

    async def get_many(self, keys: Sequence[str]) -> dict[str, Body]:
        return await self._table.run(_get_many, keys)

    async def newest(self, scopes: Sequence[str], after: str, limit: int) -> list[str]:
        return await self._table.run(_newest, scopes, after, limit)

    async def of_kind(self, kind: str, *, prefix: str = "", limit: int | None = None) -> list[str]:
        return await self._table.run(_of_kind, kind, prefix, limit)

    async def counts(self, collection: str | None = None) -> dict[DocumentScope, Counter[str]]:
        return await self._table.run(_counts, collection)

    async def close(self) -> None:
        self._table.close()


# --- reads -----------------------------------------------------------------------------------------


def _body_of(item: Item | None) -> str | None:
    return None if item is None else item["body"]["S"]


def _get_many(table: Table, keys: Sequence[str]) -> dict[str, Body]:
    if len(keys) == 1:  # a key that a client named may be longer than any
        item = table.get(keys[0])
        return {} if item is None else {keys[0]: json.loads(item["body"]["S"])}
    return {key: json.loads(item["body"]["S"]) for key, item in table.get_many(list(keys)).items()}


def _newest(table: Table, scopes: Sequence[str], after: str, limit: int) -> list[str]:
    return [key for _, key in islice(heapq.merge(*(_listed(table, scope, after, limit) for scope in scopes)), limit)]


def _listed(table: Table, scope: str, after: str, page: int) -> Iterator[tuple[str, str]]:
    """(position, key) of a list's items."""
    values = {":listed": {"S": scope}, ":start": {"S": after or " "}}
    for item in table.query("by_scope", "listed = :listed AND listed_at > :start", values, page=page):
        yield item["listed_at"]["S"], item["pk"]["S"]


def _of_kind(table: Table, kind: str, prefix: str, limit: int | None) -> list[str]:
    condition, values = "kind = :kind", {":kind": {"S": kind}}
    if prefix:
        condition, values = f"{condition} AND begins_with(place, :place)", {**values, ":place": {"S": prefix}}
    return [item["pk"]["S"] for item in islice(table.query("by_kind", condition, values, page=limit), limit)]


def _counts(table: Table, collection: str | None) -> dict[DocumentScope, Counter[str]]:
    scopes: dict[DocumentScope, Counter[str]] = {}
    for item in table.query("by_kind", "kind = :kind", {":kind": {"S": "scope"}}):
        scope = DocumentScope(*json.loads(item["scope"]["S"]))
        if collection in (None, scope.collection):
            scopes.setdefault(scope, Counter()).update({state: int(item[state]["N"]) for state in STATES if state in item})
    return scopes


# --- changes ---------------------------------------------------------------------------------------


def _change(table: Table, rule: Callable[[Transaction], R]) -> R:
    until, pause_s = time.monotonic() + RETRY_S, 0.01
    while True:
        read: dict[str, Item | None] = {}
        attempt = Attempt(lambda key, read=read: _body_of(read.setdefault(key, table.get(key))))  # type: ignore[misc]
        try:
            result = rule(attempt)
            _commit(table, attempt, read)
        except Overtaken as exc:
            if time.monotonic() > until:
                raise StoreUnavailable("Too many changes at once to this document. Try again in a moment.") from exc
            time.sleep(random.uniform(0, pause_s))  # noqa: S311 (no secret)
            pause_s = min(2 * pause_s, 0.3)
        else:
            return result


def _commit(table: Table, attempt: Attempt, read: dict[str, Item | None]) -> None:
    """Writes all changes. Raises `Overtaken` if anything that was read has changed since."""
    if not any(entry.is_changed for entry in attempt.entries.values()):
        return
    # Also the request's idempotency token: a request that is repeated after a failure is executed once.
    revision = secrets.token_hex(16)
    writes = [_write(table, key, read[key], entry, revision) for key, entry in attempt.entries.items()]
    table.call("transact_write_items", TransactItems=[*writes, *_counting(table, attempt)], ClientRequestToken=revision)


def _write(table: Table, key: str, before: Item | None, entry: Entry, revision: str) -> Item:
    arguments: Item = {"TableName": table.name, "ConditionExpression": "attribute_not_exists(pk)"}
    if before is not None:
        arguments["ConditionExpression"] = "revision = :revision"
        arguments["ExpressionAttributeValues"] = {":revision": before["revision"]}
    if not entry.is_changed:
        return {"ConditionCheck": {**arguments, "Key": {"pk": {"S": key}}}}
    if entry.body is None:
        return {"Delete": {**arguments, "Key": {"pk": {"S": key}}}}
    return {"Put": {**arguments, "Item": _make_item(key, entry.body, entry, revision)}}


def _make_item(key: str, body: str, entry: Entry, revision: str) -> Item:
    if len(body) > MAX_BYTES:
        raise TooLarge(
            "The ledger's entry of this document is larger than 390 KB. Shorten its metadata, or use fewer names for the same content."
        )
    attributes = {"pk": key, "body": body, "revision": revision}
    if entry.scope:
        attributes |= {"listed": entry.scope.list, "listed_at": entry.scope.at}
    if entry.kind:
        attributes |= {"kind": entry.kind.list, "place": entry.kind.at}
    return {name: {"S": value} for name, value in attributes.items()}


def _counting(table: Table, attempt: Attempt) -> list[Item]:
    """The entries of one document are counted in one shard."""
    numbers: dict[tuple[DocumentScope, int], Counter[str]] = {}
    for key, entry in attempt.entries.items():
        for (scope, state), number in entry.counted.items():
            shard = int(_digest(key.partition("#")[2]), 16) % SHARDS
            numbers.setdefault((scope, shard), Counter())[state] += number
    return [_count(table, scope, shard, number) for (scope, shard), number in numbers.items() if any(number.values())]


def _count(table: Table, scope: DocumentScope, shard: int, number: Counter[str]) -> Item:
    """Adds without a condition on the counters, so that concurrent changes do not conflict here."""
    changes = {state: amount for state, amount in number.items() if amount}
    key = f"scope#{_digest(*scope)}#{shard}"
    values = {":kind": "scope", ":place": key, ":scope": json.dumps(scope)}
    return {
        "Update": {
            "TableName": table.name,
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


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]
