"""Turns, feedback and roll-ups in MongoDB.

`conversations` holds one document per turn: the version 3 block as it is, with the feedback on it, so that every change is
one write to one document and no transaction is needed. `statistics`, another database, holds the roll-ups: a collection per
search type. Doing any of this twice changes nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from footnote.adapters.mongodb import Databases, Document, Opened
from footnote.adapters.mongodb_records import (
    RECORD_FIELDS,
    as_key,
    load_block,
    load_feedback,
    load_record,
    load_rollup,
    make_feedback,
    make_rollup,
    storable,
)
from footnote.errors import Conflict, NotFound
from footnote.ports import Block, Clock, Rollup, Room, StoredTurn, TurnRecord, make_block, title_of
from footnote.ports.blocks import Status
from footnote.types import Caller, Feedback, Mode, Page, Turn

OLDEST_FIRST = [("started_at", 1), ("number", 1)]
NEWEST_FIRST = [("started_at", -1), ("number", -1)]
ROLLUP_KEY = ("date", "user_id", "room_id", "model")


class MongoTurnStore:
    """`ports.TurnStore`."""

    def __init__(self, databases: Databases, clock: Clock) -> None:
        self._databases = databases
        self._clock = clock

    async def save(self, turn: Turn, status: Status) -> None:
        """Saving a trace again replaces its block. Conflict when the trace is another user's."""
        block = make_block(turn, status, now=self._clock())
        await self._databases.run(_save, storable(block), float(turn.started_at))

    async def get(self, caller: Caller, trace_id: str) -> Block:
        return await self._databases.run(_get, caller, trace_id)

    async def trim(self, caller: Caller, trace_id: str) -> None:
        raise NotImplementedError

    async def tokens(self, caller: Caller, room_id: str) -> int:
        raise NotImplementedError

    def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        raise NotImplementedError

    async def delete_all_of(self, caller: Caller) -> int:
        raise NotImplementedError

    async def count(self, turn: Turn) -> None:
        raise NotImplementedError

    async def history(
        self, caller: Caller, room_id: str, dialect: str, limit: int, *, mode: Mode = "rag", classes: frozenset[str] = frozenset()
    ) -> list[Block]:
        return await self._databases.run(_history, caller.user_id, room_id, dialect, limit) if limit > 0 else []

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        return await self._databases.run(_rooms, caller.user_id, max(limit, 1), after)

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        return await self._databases.run(_room, caller.user_id, room_id, max(limit, 1), after)

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        """Counted before, because a delete that is tried again after a lost reply finds nothing left."""
        turns = await self._databases.run(_count, caller.user_id, room_id)
        await self._databases.run(_delete_room, caller.user_id, room_id)
        return turns

    async def put_feedback(self, caller: Caller, feedback: Feedback) -> None:
        """Stored under the caller's own id, whatever user `feedback` names."""
        await self._databases.run(_put_feedback, caller, feedback, feedback.created_at or self._clock())

    async def feedback(self, caller: Caller, trace_id: str) -> Feedback | None:
        return await self._databases.run(_feedback, caller.user_id, trace_id)

    async def records(self, caller: Caller, since: float, until: float) -> list[TurnRecord]:
        return await self._databases.run(_records, caller, since, until)

    async def put_rollups(self, day: str, rollups: Sequence[Rollup]) -> None:
        await self._databases.run(_put_rollups, day, rollups)

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        return await self._databases.run(_rollups, caller, day)

    async def close(self) -> None:
        await self._databases.close()


# --- turns -----------------------------------------------------------------------------------------


async def _save(store: Opened, block: Document, started_at: float) -> None:
    from bson import ObjectId
    from pymongo.errors import DuplicateKeyError

    own = {"_id": block["trace_id"], "user_id": block["user_id"]}
    # Of one process, ids that were made later are greater: they order turns of the same moment.
    change = {"$set": {**block, "started_at": started_at}, "$setOnInsert": {"number": ObjectId()}}
    try:
        await store.turns.update_one(own, change, upsert=True)
    except DuplicateKeyError as exc:
        # Another user's trace; or somebody saved the same turn at this moment, and by now it is there.
        if not (await store.turns.update_one(own, change)).matched_count:
            raise Conflict("This trace id is in use.") from exc


def _readable(caller: Caller, trace_id: str) -> Document:
    return {"_id": trace_id} if caller.sees_all else {"_id": trace_id, "user_id": caller.user_id}


async def _get(store: Opened, caller: Caller, trace_id: str) -> Block:
    found = await store.turns.find_one(_readable(caller, trace_id))
    if found is None:
        raise NotFound("There is no such turn.")
    return load_block(found)


async def _history(store: Opened, user_id: str, room_id: str, dialect: str, limit: int) -> list[Block]:
    """By user even for a caller who sees all: two people may use the same room id."""
    wanted = {"user_id": user_id, "room_id": room_id, "dialect": dialect, "status": "done"}
    found = await store.turns.find(wanted).sort(NEWEST_FIRST).limit(limit).to_list()
    return [load_block(document) for document in reversed(found)]


async def _rooms(store: Opened, user_id: str, limit: int, after: str | None) -> Page[Room]:
    # Every turn has a room; one that was given none has its trace's name.
    listed: Document = {"named": True}
    if after is not None:
        newest = await store.turns.find_one({"user_id": user_id, "room_id": after}, ["started_at"], sort=NEWEST_FIRST)
        if newest is None:
            raise NotFound("There is no such conversation.")
        last = newest["started_at"]
        listed["$or"] = [{"updated_at": {"$lt": last}}, {"updated_at": last, "_id": {"$gt": after}}]
    cursor = await store.turns.aggregate(
        [
            {"$match": {"user_id": user_id}},
            {"$sort": {"room_id": 1, "started_at": 1, "number": 1}},
            {
                "$group": {
                    "_id": "$room_id",
                    "first": {"$first": "$_id"},
                    "turns": {"$sum": 1},
                    "updated_at": {"$max": "$started_at"},
                    "named": {"$max": {"$ne": ["$room_id", "$_id"]}},
                }
            },
            {"$match": listed},
            {"$sort": {"updated_at": -1, "_id": 1}},
            {"$limit": limit + 1},
        ]
    )
    found = await cursor.to_list()
    questions = store.turns.find({"_id": {"$in": [room["first"] for room in found]}}, {"conversations": {"$slice": 1}, "room_id": 1})
    titles = {first["_id"]: title_of(load_block(first)) async for first in questions}
    # A room that was deleted between the two reads has no title.
    data = tuple(
        Room(room["_id"], titles[room["first"]], room["turns"], room["updated_at"]) for room in found[:limit] if room["first"] in titles
    )
    return Page(data, has_more=len(found) > limit, last_id=data[-1].room_id if data else None)


async def _room(store: Opened, user_id: str, room_id: str, limit: int, after: str | None) -> Page[StoredTurn]:
    own: Document = {"user_id": user_id, "room_id": room_id}
    last = await store.turns.find_one(own if after is None else {**own, "_id": after}, ["started_at", "number"])
    if last is None:
        raise NotFound("There is no such conversation.")
    if after is not None:
        at, number = last["started_at"], last["number"]
        own["$or"] = [{"started_at": {"$gt": at}}, {"started_at": at, "number": {"$gt": number}}]
    found = await store.turns.find(own).sort(OLDEST_FIRST).limit(limit + 1).to_list()
    data = tuple(StoredTurn(load_block(document), _of(user_id, document)) for document in found[:limit])
    return Page(data, has_more=len(found) > limit, last_id=found[len(data) - 1]["_id"] if data else None)


async def _count(store: Opened, user_id: str, room_id: str) -> int:
    return await store.turns.count_documents({"user_id": user_id, "room_id": room_id})


async def _delete_room(store: Opened, user_id: str, room_id: str) -> None:
    await store.turns.delete_many({"user_id": user_id, "room_id": room_id})


# --- feedback and figures --------------------------------------------------------------------------


async def _put_feedback(store: Opened, caller: Caller, feedback: Feedback, created_at: float) -> None:
    given = make_feedback(feedback, caller.user_id, created_at)
    place = f"feedback.{as_key(caller.user_id)}"
    if not (await store.turns.update_one(_readable(caller, feedback.trace_id), {"$set": {place: given}})).matched_count:
        raise NotFound("There is no such turn.")


async def _feedback(store: Opened, user_id: str, trace_id: str) -> Feedback | None:
    found = await store.turns.find_one({"_id": trace_id}, ["feedback"])
    return _of(user_id, found) if found else None


def _of(user_id: str, document: Document) -> Feedback | None:
    return next(iter(load_feedback(document, user_id)), None)


async def _records(store: Opened, caller: Caller, since: float, until: float) -> list[TurnRecord]:
    everybody = caller.role == "admin"
    wanted: Document = {"started_at": {"$gte": since, "$lt": until}, "status": {"$ne": "idle"}}
    if not everybody:
        wanted["user_id"] = caller.user_id
    cursor = store.turns.find(wanted, RECORD_FIELDS).sort(OLDEST_FIRST)
    return [load_record(document, load_feedback(document, None if everybody else caller.user_id)) async for document in cursor]


async def _put_rollups(store: Opened, day: str, rollups: Sequence[Rollup]) -> None:
    """The day's new documents first, then away with its others: whenever this is cut off, doing it again mends it."""
    from pymongo import ReplaceOne

    kept = [make_rollup(day, rollup) for rollup in rollups]
    for name in sorted({*await _collections(store), *(document["model"] for document in kept)}):
        collection, new = store.statistics[name], [document for document in kept if document["model"] == name]
        if new:
            await collection.create_index(ROLLUP_KEY, unique=True)
            await collection.bulk_write(
                [ReplaceOne({field: each[field] for field in ROLLUP_KEY}, each, upsert=True) for each in new], ordered=False
            )
        keys = {(each["user_id"], each["room_id"]) for each in new}
        there = collection.find({"date": day, "model": name}, ["user_id", "room_id"])
        stale = [each["_id"] async for each in there if (each["user_id"], each["room_id"]) not in keys]
        if stale:
            await collection.delete_many({"_id": {"$in": stale}})


async def _rollups(store: Opened, caller: Caller, day: str) -> list[Rollup]:
    own = {} if caller.role == "admin" else {"user_id": caller.user_id}
    found = [
        load_rollup(document)
        for name in await _collections(store)
        async for document in store.statistics[name].find({"date": day, "model": name, **own})
    ]
    return sorted(found, key=lambda rollup: (rollup.user_id, rollup.room_id, rollup.search_type))


async def _collections(store: Opened) -> list[str]:
    """One per search type; others that somebody keeps there hold no document whose `model` is the collection's name."""
    names = await store.statistics.list_collection_names(authorizedCollections=True)
    return [name for name in names if not name.startswith("system.")]
