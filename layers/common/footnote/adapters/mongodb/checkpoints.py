"""Checkpoints in MongoDB: the collection `checkpoints`, one document for each request, which MongoDB deletes after its time.

`Databases.run` may do work twice, where a reply was lost: every write here leaves the same behind the second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from footnote.adapters.mongodb.databases import Databases, Document, Opened
from footnote.adapters.mongodb.documents import as_key, storable, unpacked
from footnote.errors import BadRequest, Conflict, StillRunning
from footnote.ports import CHECKPOINTS_KEPT_S, OTHER_BODY, TAKEN_OVER, Checkpoint, Clock, RequestKey

if TYPE_CHECKING:
    from pymongo.asynchronous.collection import AsyncCollection


class MongoCheckpoints:
    """`ports.Checkpoints`."""

    def __init__(self, databases: Databases, clock: Clock) -> None:
        self._databases = databases
        self._clock = clock

    async def take(self, request: RequestKey, trace_id: str, room_id: str, owner: str, lease_s: float) -> Checkpoint:
        now = self._clock()
        new: Document = {
            "_id": _id(request),
            "user_id": request.user_id,
            "body": request.body,
            "trace_id": trace_id,
            "room_id": room_id,
            "lease_until": 0.0,
            "finished": False,
            "started_at": now,
            "expires_at": datetime.fromtimestamp(now + CHECKPOINTS_KEPT_S, UTC),
        }
        found = await self._databases.run(_take, new, owner, now, now + lease_s)
        return Checkpoint(
            found["trace_id"], found["started_at"], found["finished"], tuple(map(unpacked, found.get("entries", {}).values()))
        )

    async def renew(self, request: RequestKey, owner: str, lease_s: float) -> None:
        await self._change(request, owner, {"$set": {"lease_until": self._clock() + lease_s}})

    async def append(self, request: RequestKey, owner: str, entries: Sequence[Mapping[str, Any]]) -> None:
        await self._change(request, owner, {"$set": {f"entries.{uuid4().hex}": storable(dict(entry)) for entry in entries}})

    async def mark(self, request: RequestKey, owner: str, name: str, value: Any) -> Any | None:
        """Read, then written: nobody but the owner writes in between, and one that lost its lease cannot write."""
        before = await self._databases.run(_marks, _id(request))
        await self._change(request, owner, {"$set": {f"marks.{as_key(name)}": storable(value)}})
        return unpacked(before.get(as_key(name)))

    async def release(self, request: RequestKey, owner: str, *, finished: bool) -> None:
        """What was replayed is not needed once the reply is stored with the turn."""
        change: Document = {"$set": {"lease_until": 0.0, "finished": finished}}
        await self._databases.run(_change, _id(request), owner, change | ({"$unset": {"entries": ""}} if finished else {}))

    async def delete(self, user_id: str, room_id: str | None = None) -> None:
        await self._databases.run(_delete, {"user_id": user_id, **({} if room_id is None else {"room_id": room_id})})

    async def _change(self, request: RequestKey, owner: str, change: Document) -> None:
        if not await self._databases.run(_change, _id(request), owner, change):
            raise Conflict(TAKEN_OVER)


def _id(request: RequestKey) -> str:
    return f"{request.user_id}\0{request.key}"


def _requests(store: Opened) -> AsyncCollection[Document]:
    return store.turns.database["checkpoints"]


async def _take(store: Opened, new: Document, owner: str, now: float, until: float) -> Document:
    from pymongo import ReturnDocument
    from pymongo.errors import DuplicateKeyError

    requests, key = _requests(store), {"_id": new["_id"]}
    await requests.delete_one({**key, "started_at": {"$lt": now - CHECKPOINTS_KEPT_S}})  # MongoDB deletes within a minute or so
    with suppress(DuplicateKeyError):  # it was asked before
        await requests.insert_one(new)
    free = {**key, "body": new["body"], "finished": False, "$or": [{"lease_until": {"$lte": now}}, {"owner": owner}]}
    taken = await requests.find_one_and_update(free, {"$set": {"owner": owner, "lease_until": until}}, return_document=ReturnDocument.AFTER)
    found = taken or await requests.find_one(key)
    if found is None:  # deleted at this moment
        raise Conflict(TAKEN_OVER)
    if found["body"] != new["body"]:
        raise BadRequest(OTHER_BODY)
    if taken is None and not found["finished"]:
        raise StillRunning(retry_after_s=found["lease_until"] - now)
    return found


async def _marks(store: Opened, name: str) -> Document:
    found: Document = await _requests(store).find_one({"_id": name}, ["marks"]) or {}
    marks: Document = found.get("marks", {})
    return marks


async def _change(store: Opened, name: str, owner: str, change: Document) -> bool:
    return bool((await _requests(store).update_one({"_id": name, "owner": owner}, change)).matched_count)


async def _delete(store: Opened, which: Document) -> None:
    await _requests(store).delete_many(which)
