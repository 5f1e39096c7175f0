"""The roll-ups in MongoDB: one document per day, user, room and search type, and one per day for what they are made from.

No transactions: a process may die between two of these writes, and others write at the same time. So a change of a turn whose day is
over raises the day's version before and after it, and roll-ups hold the version that they are made from. What an older version wrote
late is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from footnote.adapters.mongodb.databases import Document, Opened
from footnote.adapters.mongodb.documents import as_key, load_rollup, load_tallies, make_rollup, storable
from footnote.ports import RolledDay, Rollup
from footnote.turn_records.days import begin_of, day_after, day_of, end_of
from footnote.turn_records.tallies import dump
from footnote.types import Caller, Tally

ROLLUP_KEY = ("date", "user_id", "room_id", "model")
DAYS = "rolled_days"
"""The collection with one document per day, beside those of the search types."""
NOT_OVER = -1
"""The version in roll-ups of a day that is not over."""
DUPLICATE_KEY = 11000


async def mark_changed(store: Opened, days: Iterable[str], now: float) -> None:
    """Raises the version of those of the days that are over: their roll-ups are not fresh any more."""
    from pymongo import UpdateOne

    change = {"$inc": {"version": 1}, "$max": {"changed_at": now}}
    marks = [UpdateOne({"_id": day}, change, upsert=True) for day in sorted(set(days)) if end_of(day) <= now]
    if marks:
        await store.statistics[DAYS].bulk_write(marks, ordered=False)


async def days_of(store: Opened, user_id: str, room_id: str | None = None) -> list[str]:
    """The days of a user's turns and roll-ups in a room; None = in all rooms, and of the turns on which they gave feedback."""
    own = {"user_id": user_id} if room_id is None else {"user_id": user_id, "room_id": room_id}
    days = {day_of(each["started_at"]) async for each in store.turns.find(own, ["started_at"])}
    if room_id is None:
        rated = store.turns.find({f"feedback.{as_key(user_id)}": {"$exists": True}}, ["started_at"])
        days |= {day_of(each["started_at"]) async for each in rated}
    for name in await _collections(store):
        days |= {each["date"] async for each in store.statistics[name].find({**own, "model": name}, ["date"])}
    return sorted(days)


async def put_rollups(store: Opened, day: str, rollups: Sequence[Rollup], rolled: RolledDay | None) -> bool:
    """The new documents first, then others are deleted, then the day is marked: whenever this is cut off, it is not fresh."""
    from pymongo.errors import DuplicateKeyError

    version = NOT_OVER if rolled is None else rolled.version
    kept = [make_rollup(day, rollup, version) for rollup in rollups]
    for name in sorted({*await _collections(store), *(document["model"] for document in kept)}):
        await _replace(store, name, day, [document for document in kept if document["model"] == name], version)
    if rolled is None:
        return True
    change = {"rolled": version, "tallies": storable(dump(rolled.tallies))}
    days = store.statistics[DAYS]
    if (await days.update_one({"_id": day, "version": version}, {"$set": change})).matched_count:
        return True
    if version:
        return False
    try:
        await days.insert_one({"_id": day, "version": 0, "changed_at": 0.0, **change})
    except DuplicateKeyError:  # it was changed meanwhile
        return False
    return True


async def _replace(store: Opened, name: str, day: str, documents: Sequence[Document], version: int) -> None:
    """Replaces a day's documents of one search type, except those of a later version."""
    from pymongo import ReplaceOne
    from pymongo.errors import BulkWriteError

    collection, not_later = store.statistics[name], {"version": {"$not": {"$gt": version}}}
    if documents:
        await collection.create_index(ROLLUP_KEY, unique=True)
        changes = [ReplaceOne({**{field: each[field] for field in ROLLUP_KEY}, **not_later}, each, upsert=True) for each in documents]
        try:
            await collection.bulk_write(changes, ordered=False)
        except BulkWriteError as exc:
            if any(error["code"] != DUPLICATE_KEY for error in exc.details["writeErrors"]):  # else there is a later version
                raise
    keys = {(each["user_id"], each["room_id"]) for each in documents}
    there = collection.find({"date": day, "model": name, **not_later}, ["user_id", "room_id"])
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


async def rolled_days(store: Opened, caller: Caller, first: str, last: str, since: float) -> list[RolledDay]:
    """As `TurnStore.rolled_days`. `since`: turns that started before are not kept."""
    hidden = None if caller.role == "admin" else {"tallies": 0}
    found = store.statistics[DAYS].find({"_id": {"$gte": first, "$lte": last}}, hidden).sort("_id", 1)
    return [_rolled_day(document, since) async for document in found]


async def unrolled_days(store: Opened, last: str, since: float) -> list[RolledDay]:
    """As `TurnStore.unrolled_days`."""
    documents = store.statistics[DAYS].find({"_id": {"$lte": last}}, {"tallies": 0})
    known = {document["_id"]: _rolled_day(document, since) async for document in documents}
    for day in await _days_with_turns(store, since, end_of(last)):
        known.setdefault(day, RolledDay(day, whole=begin_of(day) >= since))
    return sorted((each for each in known.values() if not each.is_fresh), key=lambda each: each.day, reverse=True)


async def _days_with_turns(store: Opened, since: float, until: float) -> list[str]:
    """From turn to first turn of a later day, by the index."""
    days: list[str] = []
    while True:
        within = {"started_at": {"$gte": since, "$lt": until}}
        found = await store.turns.find(within, ["started_at"]).sort("started_at", 1).limit(1).to_list()
        if not found:
            return days
        days.append(day_of(found[0]["started_at"]))
        since = begin_of(day_after(days[-1]))


async def tallies(store: Opened, caller: Caller, days: Sequence[RolledDay]) -> list[Tally]:
    """As `TurnStore.tallies`. Of a fresh day, what has another version was written late and does not count."""
    if not days:
        return []
    wanted = {each.day: each for each in days}
    span: Document = {"date": {"$gte": min(wanted), "$lte": max(wanted)}}
    own = {} if caller.role == "admin" else {"user_id": caller.user_id}
    return [
        tally
        for name in await _collections(store)
        async for document in store.statistics[name].find({**span, "model": name, **own}, {"figures": 0, "usage": 0})
        if (day := wanted.get(document["date"])) and (not day.is_fresh or document.get("version") == day.rolled)
        for tally in load_tallies(document)
    ]


async def delete_of(store: Opened, user_id: str, room_id: str | None = None) -> None:
    """Deletes the roll-ups under a user's name, of one room or of all."""
    own = {"user_id": user_id} if room_id is None else {"user_id": user_id, "room_id": room_id}
    for name in await _collections(store):
        await store.statistics[name].delete_many({**own, "model": name})


def _rolled_day(document: Document, since: float) -> RolledDay:
    day, version, changed_at = document["_id"], document.get("version", 0), document.get("changed_at", 0.0)
    return RolledDay(day, version, changed_at, document.get("rolled"), begin_of(day) >= since, tuple(load_tallies(document)))


async def _collections(store: Opened) -> list[str]:
    """One per search type. Foreign collections in this database hold no document whose `model` is the collection's name."""
    names = await store.statistics.list_collection_names(authorizedCollections=True)
    return [name for name in names if not name.startswith("system.") and name != DAYS]
