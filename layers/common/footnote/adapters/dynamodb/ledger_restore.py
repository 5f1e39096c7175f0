"""Copies a table that DynamoDB restored to an earlier moment back into the ledger. Later deletions are kept.

A restore of the table alone would undo deletions: a file that was dropped after that moment, deleted here, and is still in
its bucket would be ingested again and answer.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

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
        if key.startswith("document#") and _body(item)["state"] == "DELETED":
            deleted.add(key)
        elif key.startswith("origin#"):
            leads[key] = [f"document#{held['doc_id']}" for held in _body(item)["leads_to"].values()]
    # Origins of deleted documents: they must still lead there, or their files would count as new.
    stays = deleted | {key for key, documents in leads.items() if documents and deleted.issuperset(documents)}
    again: list[str] = []
    writes: list[Item] = []
    for item in _items(restored):
        key = item["pk"]["S"]
        here.discard(key)
        if key in deleted and _body(item)["state"] != "DELETED":
            again.append(_body(item)["doc_id"])
        elif key in stays:
            continue
        writes.append({"PutRequest": {"Item": item}})
    writes += [{"DeleteRequest": {"Key": {"pk": {"S": key}}}} for key in sorted(here - stays)]
    for start in range(0, len(writes), WRITES):
        _write(ledger, writes[start : start + WRITES])
    return again


def _body(item: Item) -> Any:
    return json.loads(item["body"]["S"])


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
