"""Turns in MongoDB. `since`: turns that started before are as good as deleted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from footnote.adapters.mongodb.databases import Document, Opened
from footnote.adapters.mongodb.documents import as_key, load_turn, own_feedback, storable
from footnote.adapters.shared.turns import NO_ROOM, NO_TURN, TAKEN, page_of
from footnote.errors import Conflict, NotFound
from footnote.ports import Room, StoredTurn
from footnote.turn_records.read import title_of
from footnote.types import Caller, Mode, Page, TurnRecord

OLDEST_FIRST = [("started_at", 1), ("number", 1)]
NEWEST_FIRST = [("started_at", -1), ("number", -1)]
TALK_WITH_TOOLS: Document = {"$or": [{"role": "tool"}, {"tool_calls.0": {"$exists": True}}]}


async def save(store: Opened, record: Document, started_at: float, expires_at: float | None) -> None:
    """A turn keeps the place that it had when it began."""
    from bson import ObjectId
    from pymongo.errors import DuplicateKeyError

    own = {"_id": record["trace_id"], "user_id": record["user_id"]}
    # Of one process, ids that were made later are greater: they order turns of the same moment.
    first: Document = {"started_at": started_at, "number": ObjectId()}
    if expires_at is not None:
        first["expires_at"] = datetime.fromtimestamp(expires_at, UTC)
    change = {"$set": record, "$setOnInsert": first}
    if record["status"] == "idle":  # it may arrive after the turn's end
        change = {"$setOnInsert": {**record, **first}}
    try:
        await store.turns.update_one(own, change, upsert=True)
    except DuplicateKeyError as exc:
        # Another user's trace; or the same turn was saved at this moment, and is there by now.
        if not (await store.turns.update_one(own, change)).matched_count:
            raise Conflict(TAKEN) from exc


async def started_at_of(store: Opened, trace_id: str) -> float | None:
    """When a stored turn started; None = it is not stored."""
    found = await store.turns.find_one({"_id": trace_id}, ["started_at"])
    return None if found is None else float(found["started_at"])


def readable(caller: Caller, trace_id: str, since: float) -> Document:
    """Finds the turn, if the caller may read it."""
    wanted: Document = {"_id": trace_id, "started_at": {"$gte": since}}
    return wanted if caller.sees_all else {**wanted, "user_id": caller.user_id}


def _of_room(user_id: str, room_id: str, since: float) -> Document:
    return {"user_id": user_id, "room_id": room_id, "started_at": {"$gte": since}}


async def get(store: Opened, caller: Caller, trace_id: str, since: float) -> TurnRecord:
    """As `TurnStore.get`."""
    found = await store.turns.find_one(readable(caller, trace_id, since))
    if found is None:
        raise NotFound(NO_TURN)
    return load_turn(found)


async def trim(store: Opened, user_id: str, trace_id: str) -> None:
    """As `TurnStore.trim`."""
    await store.turns.update_one({"_id": trace_id, "user_id": user_id}, {"$pull": {"conversations": TALK_WITH_TOOLS}})


async def history(
    store: Opened,
    user_id: str,
    room_id: str,
    dialect: str,
    mode: Mode,
    classes: frozenset[str],
    limit: int,
    since: float,
    before: str | None,
) -> list[TurnRecord]:
    """By user even for a caller who sees all: two people may use the same room id."""
    wanted = _of_room(user_id, room_id, since) | {"dialect": dialect, "search_type": mode, "status": "done"}
    if classes:
        wanted["block_classes"] = {"$in": storable(sorted(classes))}
    if before is not None:
        own = await store.turns.find_one({"_id": before, "user_id": user_id}, ["started_at", "number"])
        if own is not None:
            same_moment = {"started_at": own["started_at"], "number": {"$lt": own["number"]}}
            wanted["$or"] = [{"started_at": {"$lt": own["started_at"]}}, same_moment]
    found = await store.turns.find(wanted).sort(NEWEST_FIRST).limit(limit).to_list()
    return [load_turn(document) for document in reversed(found)]


async def room_prompt(store: Opened, user_id: str, room_id: str, dialect: str, name: str, since: float) -> str | None:
    """As `TurnStore.room_prompt`."""
    wanted: Document = {"role": "system", "name": name}
    first = await store.turns.find_one(
        {**_of_room(user_id, room_id, since), "dialect": dialect, "conversations": {"$elemMatch": wanted}},
        {"conversations": {"$elemMatch": wanted}},
        sort=OLDEST_FIRST,
    )
    return None if first is None else load_turn(first)["conversations"][0]["content"]


async def tokens(store: Opened, user_id: str, room_id: str, since: float) -> int:
    """As `TurnStore.tokens`."""
    total = {"$group": {"_id": None, "tokens": {"$sum": "$result.usage.total_tokens"}}}
    found = await (await store.turns.aggregate([{"$match": _of_room(user_id, room_id, since)}, total])).to_list()
    return int(found[0]["tokens"]) if found else 0


async def traces_of(store: Opened, user_id: str, since: float) -> list[str]:
    """Of a user's turns, oldest first. Sorted here: the index holds what is read, and the server's memory for sorting is small."""
    found = await store.turns.find({"user_id": user_id, "started_at": {"$gte": since}}, ["started_at", "number"]).to_list()
    return [each["_id"] for each in sorted(found, key=lambda each: (each["started_at"], each["number"]))]


async def read(store: Opened, user_id: str, traces: Sequence[str]) -> list[StoredTurn]:
    """The user's turns of these traces, oldest first."""
    found = await store.turns.find({"user_id": user_id, "_id": {"$in": traces}}).sort(OLDEST_FIRST).to_list()
    return [StoredTurn(load_turn(document), own_feedback(user_id, document)) for document in found]


async def delete_all_of(store: Opened, user_id: str) -> None:
    """A caller who sees all gives feedback on others' turns, too."""
    place = f"feedback.{as_key(user_id)}"
    await store.turns.delete_many({"user_id": user_id})
    await store.turns.update_many({place: {"$exists": True}}, {"$unset": {place: ""}})


# --- conversations -----------------------------------------------------------------------------------


async def rooms(store: Opened, user_id: str, limit: int, after: str | None, since: float) -> Page[Room]:
    """As `TurnStore.rooms`."""
    # Every turn has a room; one that was given none has its trace's name.
    listed: Document = {"named": True}
    if after is not None:
        newest = await store.turns.find_one(_of_room(user_id, after, since), ["started_at"], sort=NEWEST_FIRST)
        if newest is None:
            raise NotFound(NO_ROOM)
        last = newest["started_at"]
        listed["$or"] = [{"updated_at": {"$lt": last}}, {"updated_at": last, "_id": {"$gt": after}}]
    cursor = await store.turns.aggregate(
        [
            {"$match": {"user_id": user_id, "started_at": {"$gte": since}}},
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
    questions = store.turns.find({"_id": {"$in": [room["first"] for room in found]}}, {"conversations": {"$slice": 2}, "room_id": 1})
    titles = {first["_id"]: title_of(load_turn(first)) async for first in questions}

    def load(room: Document) -> Room | None:
        """None: it was deleted between the two reads."""
        title = titles.get(room["first"])
        return None if title is None else Room(room["_id"], title, room["turns"], room["updated_at"])

    return page_of(found, limit, load, lambda room: str(room["_id"]))


async def room(store: Opened, user_id: str, room_id: str, limit: int, after: str | None, since: float) -> Page[StoredTurn]:
    """As `TurnStore.room`."""
    own = _of_room(user_id, room_id, since)
    last = await store.turns.find_one(own if after is None else {**own, "_id": after}, ["started_at", "number"])
    if last is None:
        raise NotFound(NO_ROOM)
    if after is not None:
        at, number = last["started_at"], last["number"]
        own["$or"] = [{"started_at": {"$gt": at}}, {"started_at": at, "number": {"$gt": number}}]
    found = await store.turns.find(own).sort(OLDEST_FIRST).limit(limit + 1).to_list()

    def load(document: Document) -> StoredTurn:
        return StoredTurn(load_turn(document), own_feedback(user_id, document))

    return page_of(found, limit, load, lambda document: str(document["_id"]))


async def count_room(store: Opened, user_id: str, room_id: str, since: float) -> int:
    """How many turns a room has."""
    return await store.turns.count_documents(_of_room(user_id, room_id, since))


async def delete_room(store: Opened, user_id: str, room_id: str) -> None:
    """As `TurnStore.delete_room`, without the number."""
    await store.turns.delete_many({"user_id": user_id, "room_id": room_id})
