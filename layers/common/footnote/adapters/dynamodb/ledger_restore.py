"""The ledger as it was at an earlier moment, from a table that DynamoDB restored beside it. What was deleted since stays deleted.

A restore of the table alone would forget deletions: a file that was dropped after the moment, deleted here, and still lies in
its bucket would be taken in again and answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from footnote.adapters.dynamodb.ledger_items import body_of, document_key
from footnote.adapters.dynamodb.table import BACKOFF_S, Item, Table

WRITES = 25
"""In one BatchWriteItem."""


def copy_back(restored: Table, ledger: Table) -> list[str]:
    """Makes `ledger` the same as `restored`, but for deletions → ids of documents that are there again and have to be deleted once more.
    Nobody else may write meanwhile; after a failure it can be run again."""
    here: set[str] = set()
    deleted: set[str] = set()
    leads: dict[str, list[str]] = {}
    for item in _items(ledger):
        key = item["pk"]["S"]
        here.add(key)
        if key.startswith("document#") and body_of(item)["state"] == "DELETED":
            deleted.add(key)
        elif key.startswith("origin#"):
            leads[key] = [document_key(held["doc_id"]) for held in body_of(item)["leads_to"].values()]
    # Where the file of a deleted document lies: it goes on leading to that, or the file would be a new one.
    stays = deleted | {key for key, documents in leads.items() if documents and deleted.issuperset(documents)}
    again: list[str] = []
    writes: list[Item] = []
    for item in _items(restored):
        key = item["pk"]["S"]
        here.discard(key)
        if key in deleted and body_of(item)["state"] != "DELETED":
            again.append(body_of(item)["doc_id"])
        elif key in stays:
            continue
        writes.append({"PutRequest": {"Item": item}})
    writes += [{"DeleteRequest": {"Key": {"pk": {"S": key}}}} for key in sorted(here - stays)]
    for start in range(0, len(writes), WRITES):
        _write(ledger, writes[start : start + WRITES])
    return again


def _items(table: Table) -> Iterator[Item]:
    start: Item = {}
    while True:
        page = table.call("scan", TableName=table.name, ConsistentRead=True, **start)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def _write(table: Table, writes: list[Item]) -> None:
    pause_s = BACKOFF_S
    while writes:
        writes = table.call("batch_write_item", RequestItems={table.name: writes}).get("UnprocessedItems", {}).get(table.name, [])
        if writes:
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, 5.0)
