"""Records of admins and users in MongoDB: the collection `records`, beside the conversations.

Every change is one write to one document and carries an id of its own, `mark`. If a reply is lost and the write is
repeated, the mark shows that it was done.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from footnote.adapters.mongodb.databases import Databases, Document, Opened
from footnote.adapters.mongodb.documents import storable, unpacked
from footnote.adapters.shared.records import CHANGED, LAST
from footnote.errors import Conflict
from footnote.ports import Clock, Kind, Record
from footnote.types import Page

if TYPE_CHECKING:
    from pymongo.asynchronous.collection import AsyncCollection

# A deleted record keeps its document and version, without a value: versions of a key never restart, and their sum only grows.
HERE: Document = {"value": {"$exists": True}}
GONE: Document = {"value": {"$exists": False}}


class MongoRecords:
    """`ports.Records` on MongoDB."""

    def __init__(self, databases: Databases, clock: Clock) -> None:
        self._databases = databases
        self._clock = clock

    async def get(self, kind: Kind, key: str) -> Record | None:
        return await self._databases.run(_get, _id(kind, key))

    async def put(self, kind: Kind, key: str, value: Mapping[str, Any], *, by: str, expected: int | None = None) -> Record:
        kept, now = json.loads(json.dumps(dict(value))), self._clock()
        fields = {"kind": kind, "key": key, "value": storable(kept), "changed_at": now, "changed_by": by}
        match expected:
            case None:
                condition: Document = {}
            case 0:
                condition = GONE
            case _:
                condition = {**HERE, "version": expected}
        change: Document = {"$set": fields, "$inc": {"version": 1}}
        version = await self._databases.run(_change, _id(kind, key), condition, change, uuid4().hex, not expected)
        if version is None:
            raise Conflict(CHANGED)
        return Record(key, kept, version, now, by)

    async def delete(self, kind: Kind, key: str) -> bool:
        change: Document = {"$unset": {"value": ""}, "$inc": {"version": 1}}
        return await self._databases.run(_change, _id(kind, key), HERE, change, uuid4().hex, False) is not None

    async def list(
        self, kind: Kind, *, prefix: str = "", limit: int = 50, after: str | None = None, newest_first: bool = False
    ) -> Page[Record]:
        wanted = _range(kind, prefix)
        if after is not None:
            wanted["$lt" if newest_first else "$gt"] = min(_id(kind, after), wanted["$lt"]) if newest_first else _id(kind, after)
        return await self._databases.run(_list, wanted, max(limit, 1), -1 if newest_first else 1)

    async def changes(self, kind: Kind) -> int:
        return await self._databases.run(_changes, _range(kind, ""))


def _id(kind: Kind, key: str) -> str:
    return f"{kind}\0{key}"


def _range(kind: Kind, prefix: str) -> Document:
    return {"$gte": _id(kind, prefix), "$lt": _id(kind, prefix) + LAST}


def _load(document: Document) -> Record:
    return Record(document["key"], unpacked(document["value"]), document["version"], document["changed_at"], document["changed_by"])


def _records(store: Opened) -> AsyncCollection[Document]:
    return store.turns.database["records"]


async def _get(store: Opened, name: str) -> Record | None:
    found = await _records(store).find_one({"_id": name, **HERE})
    return _load(found) if found else None


async def _change(store: Opened, name: str, condition: Document, change: Document, mark: str, upsert: bool) -> int | None:
    """The version after the change; None if the document does not meet the condition."""
    from pymongo.errors import DuplicateKeyError

    wanted = {"_id": name, **condition}
    change = {**change, "$set": {**change.get("$set", {}), "mark": mark}}
    records = _records(store)
    try:
        before = await records.find_one_and_update(wanted, change, ["version"], upsert=upsert)
        if before is None and upsert:
            return 1
    except DuplicateKeyError:  # it exists and does not meet the condition, or another writer has just created it
        before = await records.find_one_and_update(wanted, change, ["version"])
    if before is not None:
        return int(before["version"]) + 1
    done = await records.find_one({"_id": name, "mark": mark}, ["version"])
    return int(done["version"]) if done else None


async def _list(store: Opened, wanted: Document, limit: int, order: int) -> Page[Record]:
    found = await _records(store).find({"_id": wanted, **HERE}).sort("_id", order).limit(limit + 1).to_list()
    data = tuple(map(_load, found[:limit]))
    return Page(data, has_more=len(found) > limit, last_id=data[-1].key if data else None)


async def _changes(store: Opened, wanted: Document) -> int:
    cursor = await _records(store).aggregate([{"$match": {"_id": wanted}}, {"$group": {"_id": None, "changes": {"$sum": "$version"}}}])
    return next((int(group["changes"]) for group in await cursor.to_list()), 0)


async def delete_shares(store: Opened, own: Document) -> None:
    """Deletes the records of a user's links, to one room or to all."""
    wanted: Document = {"_id": _range("share", ""), **{f"value.{name}": storable(value) for name, value in own.items()}}
    await _records(store).update_many(wanted, {"$unset": {"value": ""}, "$inc": {"version": 1}})
