"""The figures of turns in MongoDB, and the roll-ups: one document per day, user, room and search type."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.adapters.mongodb.databases import Document, Opened
from footnote.adapters.mongodb.documents import FIGURES_FIELDS, as_key, load_feedback, load_figures, load_rollup, make_rollup, make_share
from footnote.adapters.mongodb.turn_store_turns import OLDEST_FIRST
from footnote.ports import Rollup
from footnote.types import Caller, Feedback, TurnFigures

ROLLUP_KEY = ("date", "user_id", "room_id", "model")


async def figures(store: Opened, caller: Caller, since: float, until: float) -> list[TurnFigures]:
    """As `TurnStore.figures`."""
    everybody = caller.role == "admin"
    wanted: Document = {"started_at": {"$gte": since, "$lt": until}, "status": {"$ne": "idle"}}
    if not everybody:
        wanted["user_id"] = caller.user_id
    cursor = store.turns.find(wanted, FIGURES_FIELDS).sort(OLDEST_FIRST)
    return [load_figures(document, load_feedback(document, None if everybody else caller.user_id)) async for document in cursor]


async def rated(store: Opened, user_id: str, since: float, limit: int) -> list[tuple[str, Feedback]]:
    """As `TurnStore.rated`."""
    wanted: Document = {"user_id": user_id, "started_at": {"$gte": since}, f"feedback.{as_key(user_id)}.tags.0": {"$exists": True}}
    cursor = store.turns.find(wanted, FIGURES_FIELDS).sort([("started_at", -1), ("number", -1)]).limit(limit)
    return [(load_figures(document, ()).question, given) async for document in cursor for given in load_feedback(document, user_id)]


async def count(store: Opened, trace_id: str, day: str, share: Rollup) -> None:
    """The turn is marked first: a turn that is counted twice would never be noticed."""
    from pymongo.errors import DuplicateKeyError

    uncounted = {"_id": trace_id, "user_id": share.user_id, "counted": {"$ne": True}}
    if not (await store.turns.update_one(uncounted, {"$set": {"counted": True}})).modified_count:
        return
    key, change = make_share(day, share)
    collection = store.statistics[share.search_type]
    try:
        if not (await collection.update_one(key, change)).matched_count:
            await collection.create_index(ROLLUP_KEY, unique=True)
            await collection.update_one(key, change, upsert=True)
    except DuplicateKeyError:  # another turn of the room was counted first
        await collection.update_one(key, change)


async def put_rollups(store: Opened, day: str, rollups: Sequence[Rollup]) -> None:
    """The day's new documents first, then its others are deleted: whenever this is cut off, doing it again repairs it."""
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


async def rollups(store: Opened, caller: Caller, day: str) -> list[Rollup]:
    """As `TurnStore.rollups`."""
    own = {} if caller.role == "admin" else {"user_id": caller.user_id}
    found = [
        load_rollup(document)
        for name in await _collections(store)
        async for document in store.statistics[name].find({"date": day, "model": name, **own})
    ]
    return sorted(found, key=lambda rollup: (rollup.user_id, rollup.room_id, rollup.search_type))


async def delete_all_of(store: Opened, user_id: str) -> None:
    """Deletes the roll-ups under a user's name."""
    for name in await _collections(store):
        await store.statistics[name].delete_many({"user_id": user_id, "model": name})


async def _collections(store: Opened) -> list[str]:
    """One per search type. Foreign collections in this database hold no document whose `model` is the collection's name."""
    names = await store.statistics.list_collection_names(authorizedCollections=True)
    return [name for name in names if not name.startswith("system.")]
