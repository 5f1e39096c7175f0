"""Copies a table that DynamoDB restored to an earlier moment back into the ledger. Later deletions are kept.

A restore of the table alone would undo deletions: a file that was dropped after that moment, deleted here, and is still in
its bucket would be ingested again and answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from footnote.adapters.dynamodb.ledger_items import body_of, document_key
from footnote.adapters.dynamodb.table import BACKOFF_S, Item, Table

WRITES = 25
"""Most writes in one BatchWriteItem."""


def copy_back(restored: Table, ledger: Table) -> list[str]:
    """Makes `ledger` equal to `restored` except for deletions → ids of the documents that came back and have to be deleted again.
    Nothing else may write to the ledger meanwhile; after a failure it can be run again."""
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
    # Origins of deleted documents: they must still lead there, or their files would count as new.
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
