"""The cache in DynamoDB: JSON values with an expiry.

DynamoDB deletes expired items with a delay of up to days; `expires_at`, in whole seconds, serves only that. Whether a
value is still valid is decided on every read, by `lives_until`.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Sequence
from typing import Any

from footnote.adapters.dynamodb.table import Item, Table
from footnote.errors import TooLarge
from footnote.ports import Amount, Clock
from footnote.ports.ledger import Overtaken

log = logging.getLogger(__name__)

TTL_ATTRIBUTE = "expires_at"
MAX_BYTES = 350 * 1024
"""Of a value. DynamoDB allows 400 KB per item, including its key and times."""

FREE = "attribute_not_exists(pk) OR lives_until <= :now"


class DynamoCache:
    """`ports.Cache` on DynamoDB. `table`: its key is the string `pk`."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    async def get(self, key: str) -> Any | None:
        return await self._table.run(_get, key, self._clock())

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        """A value that is too large for an item is not stored; the previous one is deleted."""
        text = json.dumps(value)
        if len(text) > MAX_BYTES:
            log.warning("value too large for the cache", extra={"size": len(text)})
            await self.delete(key)
        else:
            await self._table.run(_put, _make_item(key, {"S": text}, self._clock(), ttl_s))

    async def put_later(self, key: str, value: Any, ttl_s: float) -> None:
        await self.put(key, value, ttl_s)

    async def put_new(self, key: str, value: Any, ttl_s: float) -> bool:
        """TooLarge for a value that does not fit into an item."""
        text = json.dumps(value)
        if len(text) > MAX_BYTES:
            raise TooLarge("A value larger than 350 KB cannot be cached.")
        now = self._clock()
        return await self._table.run(_put_new, _make_item(key, {"S": text}, now, ttl_s), now)

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        now = self._clock()
        return await self._table.run(_add, _make_item(key, {"N": str(amount)}, now, ttl_s), now)

    async def add_all(self, amounts: Sequence[Amount]) -> None:
        for each in amounts:
            await self.add(*each)

    async def delete(self, key: str) -> None:
        await self._table.run(_delete, key)

    async def close(self) -> None:
        """Closes the connections to DynamoDB."""
        self._table.close()


def table_definition(name: str) -> dict[str, Any]:
    """Arguments of CreateTable. The time to live is set separately, by UpdateTimeToLive on TTL_ATTRIBUTE."""
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    }


def _make_item(key: str, value: Item, now: float, ttl_s: float) -> Item:
    until = now + ttl_s
    return {"pk": {"S": key}, "value": value, "lives_until": {"N": repr(until)}, TTL_ATTRIBUTE: {"N": str(math.ceil(until))}}


def _get(table: Table, key: str, now: float) -> Any | None:
    item = table.get(key)
    if item is None or float(item["lives_until"]["N"]) <= now:
        return None
    (text,) = item["value"].values()  # a counter is a number, and a number is JSON
    return json.loads(text)


def _put(table: Table, item: Item) -> None:
    table.call("put_item", TableName=table.name, Item=item)


def _put_new(table: Table, item: Item, now: float) -> bool:
    try:
        table.call(
            "put_item", TableName=table.name, Item=item, ConditionExpression=FREE, ExpressionAttributeValues={":now": {"N": repr(now)}}
        )
    except Overtaken:
        return False
    return True


def _add(table: Table, item: Item, now: float) -> int:
    """Adds to a valid counter, or starts a new one. If another writer interferes between the two attempts, both are repeated."""
    while True:
        try:
            counter = table.call(
                "update_item",
                TableName=table.name,
                Key={"pk": item["pk"]},
                UpdateExpression="ADD #value :amount",
                ConditionExpression="lives_until > :now",
                ExpressionAttributeNames={"#value": "value"},
                ExpressionAttributeValues={":amount": item["value"], ":now": {"N": repr(now)}},
                ReturnValues="UPDATED_NEW",
            )
            return int(counter["Attributes"]["value"]["N"])
        except Overtaken:
            if _put_new(table, item, now):
                return int(item["value"]["N"])


def _delete(table: Table, key: str) -> None:
    table.call("delete_item", TableName=table.name, Key={"pk": {"S": key}})
