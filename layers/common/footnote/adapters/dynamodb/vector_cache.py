"""The vector cache in DynamoDB, in the table of the cache. DynamoDB removes what has expired."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from footnote.adapters.dynamodb.cache import TTL_ATTRIBUTE
from footnote.adapters.dynamodb.table import Item, Table
from footnote.ports import VECTORS_KEPT_S, Clock


class DynamoVectorCache:
    """`ports.VectorCache` on DynamoDB. `table`: its key is the string `pk`. An item holds the vector of one embedder."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    async def get(self, embedder: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        return await self._table.run(_get, embedder, keys, self._clock())

    async def put(self, embedder: str, vectors: Mapping[bytes, bytes]) -> None:
        until = {"N": str(math.ceil(self._clock() + VECTORS_KEPT_S))}
        items = [
            {"pk": _pk(key), "embedder": {"S": embedder}, "vector": {"B": vector}, TTL_ATTRIBUTE: until} for key, vector in vectors.items()
        ]
        await self._table.run(Table.write_many, [{"PutRequest": {"Item": item}} for item in items])

    async def delete(self, keys: Sequence[bytes]) -> None:
        await self._table.run(Table.write_many, [{"DeleteRequest": {"Key": {"pk": _pk(key)}}} for key in dict.fromkeys(keys)])

    async def close(self) -> None:
        self._table.close()


def _pk(key: bytes) -> Item:
    return {"S": f"vector:{key.hex()}"}


def _get(table: Table, embedder: str, keys: Sequence[bytes], now: float) -> dict[bytes, bytes]:
    by_pk = {_pk(key)["S"]: key for key in keys}
    items = table.get_many(list(by_pk), consistent=False)
    return {
        by_pk[pk]: bytes(item["vector"]["B"])
        for pk, item in items.items()
        if item["embedder"]["S"] == embedder and float(item[TTL_ATTRIBUTE]["N"]) > now
    }
