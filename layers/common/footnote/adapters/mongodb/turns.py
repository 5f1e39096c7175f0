"""Turns in MongoDB: the collection `conversations`, one document for each.

A document is the turn's record as it is, with the feedback on it, so that every change is one write to one document and no transaction
is needed. Doing any of this twice changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

from footnote.adapters.mongodb.databases import Databases, Document, Opened
from footnote.adapters.mongodb.documents import NEWEST_FIRST, OLDEST_FIRST, as_key, load_turn, own_feedback, readable, storable
from footnote.adapters.mongodb.records import delete_shares
from footnote.adapters.mongodb.statistics import changing, count_turn, day_of_turn, days_of, delete_rollups
from footnote.adapters.shared.turns import NO_ROOM, NO_TURN, TAKEN, Retention, page_of, read_in_batches
from footnote.errors import Conflict, NotFound, StoreUnavailable
from footnote.ports import Clock, Room, StoredTurn
from footnote.turn_records.days import day_of
from footnote.turn_records.read import started_at_of, title_of
from footnote.types import Caller, Mode, Page, TurnRecord

log = logging.getLogger(__name__)


class MongoTurnStore:
    """`ports.TurnStore` on MongoDB. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, databases: Databases, clock: Clock, *, keep_s: float | None = None) -> None:
        self._databases = databases
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def save(self, record: TurnRecord) -> None:
        """A turn keeps the place that it had when it began, even if it was resumed."""
        started_at = started_at_of(record)
        document, expires_at = storable(record), self._retention.expires_at(started_at)
        days = [] if record["status"] == "idle" else await day_of_turn(self._databases, record["trace_id"])

        async def save(store: Opened) -> None:
            from bson import ObjectId
            from pymongo.errors import DuplicateKeyError

            own = {"_id": document["trace_id"], "user_id": document["user_id"]}
            # Of one process, ids that were made later are greater: they order turns of the same moment.
            first: Document = {"started_at": started_at, "number": ObjectId()}
            if expires_at is not None:
                first["expires_at"] = datetime.fromtimestamp(expires_at, UTC)
            change = {"$set": document, "$setOnInsert": first}
            if document["status"] == "idle":  # it may arrive after the turn's end
                change = {"$setOnInsert": {**document, **first}}
            try:
                await store.turns.update_one(own, change, upsert=True)
            except DuplicateKeyError as exc:
                # Another user's trace; or the same turn was saved at this moment, and is there by now.
                if not (await store.turns.update_one(own, change)).matched_count:
                    raise Conflict(TAKEN) from exc

        async with changing(self._databases, self._clock, *(days or [day_of(started_at)])):
            await self._databases.run(save)
        if record["status"] != "idle":
            try:
                await count_turn(self._databases, self._clock, record)
            except StoreUnavailable as exc:  # the turn is stored; its figures are recomputed every hour
                log.warning("turn not counted", extra={"trace_id": record["trace_id"], "error": type(exc).__name__})

    async def get(self, caller: Caller, trace_id: str) -> TurnRecord:
        wanted = readable(caller, trace_id, self._retention.since)
        found = await self._databases.run(lambda store: store.turns.find_one(wanted))
        if found is None:
            raise NotFound(NO_TURN)
        return load_turn(found)

    async def history(
        self,
        caller: Caller,
        room_id: str,
        dialect: str,
        limit: int,
        *,
        mode: Mode = "rag",
        classes: frozenset[str] = frozenset(),
        before: str | None = None,
    ) -> list[TurnRecord]:
        """By user even for a caller who sees all: two people may use the same room id."""
        if limit <= 0:  # to MongoDB, no limit
            return []
        wanted = self._in_room(caller, room_id) | {"dialect": dialect, "search_type": mode, "status": "done"}
        if classes:
            wanted["block_classes"] = {"$in": storable(sorted(classes))}

        async def history(store: Opened) -> list[TurnRecord]:
            begun: Document = {}
            if before is not None:
                own = await store.turns.find_one({"_id": before, "user_id": caller.user_id}, ["started_at", "number"])
                begun = _beside(own, "$lt") if own is not None else {}
            found = await store.turns.find(wanted | begun).sort(NEWEST_FIRST).limit(limit).to_list()
            return [load_turn(document) for document in reversed(found)]

        return await self._databases.run(history)

    async def room_prompt(self, caller: Caller, room_id: str, dialect: str, name: str) -> str | None:
        has_prompt: Document = {"conversations": {"$elemMatch": {"role": "system", "name": name}}}
        wanted = {**self._in_room(caller, room_id), "dialect": dialect, **has_prompt}
        first = await self._databases.run(lambda store: store.turns.find_one(wanted, has_prompt, sort=OLDEST_FIRST))
        return None if first is None else load_turn(first)["conversations"][0]["content"]

    async def tokens(self, caller: Caller, room_id: str) -> int:
        total = {"$group": {"_id": None, "tokens": {"$sum": "$result.usage.total_tokens"}}}
        stages = [{"$match": self._in_room(caller, room_id)}, total]

        async def read(store: Opened) -> int:
            found = await (await store.turns.aggregate(stages)).to_list()
            return int(found[0]["tokens"]) if found else 0

        return await self._databases.run(read)

    async def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        async def read(traces: Sequence[str]) -> list[StoredTurn]:
            wanted = {"user_id": caller.user_id, "_id": {"$in": traces}}
            found = await self._databases.run(lambda store: store.turns.find(wanted).sort(OLDEST_FIRST).to_list())
            return [_load(caller, document) for document in found]

        async for stored in read_in_batches(await self._traces_of(caller), read):
            yield stored

    async def _traces_of(self, caller: Caller) -> list[str]:
        """Oldest first. Sorted here: the index holds what is read, and the server's memory for sorting is small."""
        wanted = {"user_id": caller.user_id, "started_at": {"$gte": self._retention.since}}
        found = await self._databases.run(lambda store: store.turns.find(wanted, ["started_at", "number"]).to_list())
        return [each["_id"] for each in sorted(found, key=lambda each: (each["started_at"], each["number"]))]

    async def delete_all_of(self, caller: Caller) -> int:
        """Counted before, because a delete that is tried again after a lost reply finds nothing left."""
        there = len(await self._traces_of(caller))
        await self._delete(caller)
        return there

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        limit, of_user = max(limit, 1), {"user_id": caller.user_id, "started_at": {"$gte": self._retention.since}}

        async def rooms(store: Opened) -> Page[Room]:
            # Every turn has a room; one that was given none has its trace's name.
            listed: Document = {"named": True}
            if after is not None:
                newest = await store.turns.find_one({**of_user, "room_id": after}, ["started_at"], sort=NEWEST_FIRST)
                if newest is None:
                    raise NotFound(NO_ROOM)
                last = newest["started_at"]
                listed["$or"] = [{"updated_at": {"$lt": last}}, {"updated_at": last, "_id": {"$gt": after}}]
            cursor = await store.turns.aggregate(
                [
                    {"$match": of_user},
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
            firsts = store.turns.find({"_id": {"$in": [room["first"] for room in found]}}, {"conversations": {"$slice": 2}, "room_id": 1})
            titles = {first["_id"]: title_of(load_turn(first)) async for first in firsts}

            def load(room: Document) -> Room | None:
                """None: it was deleted between the two reads."""
                title = titles.get(room["first"])
                return None if title is None else Room(room["_id"], title, room["turns"], room["updated_at"])

            return page_of(found, limit, load, lambda room: str(room["_id"]))

        return await self._databases.run(rooms)

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        limit, in_room = max(limit, 1), self._in_room(caller, room_id)

        async def room(store: Opened) -> Page[StoredTurn]:
            last = await store.turns.find_one(in_room if after is None else {**in_room, "_id": after}, ["started_at", "number"])
            if last is None:
                raise NotFound(NO_ROOM)
            wanted = in_room if after is None else {**in_room, **_beside(last, "$gt")}
            found = await store.turns.find(wanted).sort(OLDEST_FIRST).limit(limit + 1).to_list()
            return page_of(found, limit, lambda document: _load(caller, document), lambda document: str(document["_id"]))

        return await self._databases.run(room)

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        """Counted before, as above."""
        wanted = self._in_room(caller, room_id)
        there = await self._databases.run(lambda store: store.turns.count_documents(wanted))
        await self._delete(caller, room_id)
        return there

    async def _delete(self, caller: Caller, room_id: str | None = None) -> None:
        """Deletes the caller's turns and what is about them, in one room or in all. Links come after the turns: whoever makes one looks
        for the turns when it is stored."""
        own = {"user_id": caller.user_id} if room_id is None else {"user_id": caller.user_id, "room_id": room_id}
        place = f"feedback.{as_key(caller.user_id)}"

        async def delete(store: Opened) -> None:
            await store.turns.delete_many(own)
            if room_id is None:  # a caller who sees all gives feedback on others' turns, too
                await store.turns.update_many({place: {"$exists": True}}, {"$unset": {place: ""}})
            await delete_shares(store, own)
            await delete_rollups(store, own)

        async with changing(self._databases, self._clock, *await self._databases.run(days_of, caller.user_id, room_id)):
            await self._databases.run(delete)

    def _in_room(self, caller: Caller, room_id: str) -> Document:
        """Finds the caller's turns of a room."""
        return {"user_id": caller.user_id, "room_id": room_id, "started_at": {"$gte": self._retention.since}}


def _beside(turn: Document, comparison: str) -> Document:
    """Finds the turns before ("$lt") or after ("$gt") this one."""
    at, number = turn["started_at"], turn["number"]
    return {"$or": [{"started_at": {comparison: at}}, {"started_at": at, "number": {comparison: number}}]}


def _load(caller: Caller, document: Document) -> StoredTurn:
    return StoredTurn(load_turn(document), own_feedback(caller.user_id, document))
