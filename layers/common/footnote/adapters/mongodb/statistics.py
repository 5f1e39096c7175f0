"""The figures of turns, and the roll-ups of days, in MongoDB: in a database of their own, one document per day, user, room and search
type, and one per day for what they are made from.

No transactions: a process may die between two of these writes, and others write at the same time. So a change of a turn whose day is
over raises the day's version before and after it, and roll-ups hold the version that they are made from. What an older version wrote
late is not read. Doing any of this twice changes nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from footnote.adapters.mongodb.databases import Databases, Document, Opened
from footnote.adapters.mongodb.documents import (
    FIGURES_FIELDS,
    NEWEST_FIRST,
    OLDEST_FIRST,
    as_key,
    load_feedback,
    load_figures,
    load_rollup,
    load_tallies,
    make_rollup,
    make_share,
    storable,
)
from footnote.adapters.shared.turns import Retention, not_fresh
from footnote.ports import Clock, RolledDay, Rollup
from footnote.turn_records.days import begin_of, day_after, day_of, end_of
from footnote.turn_records.figures import figures_of, share_of
from footnote.turn_records.tallies import dump
from footnote.types import Caller, Outcome, Tally, TurnFigures, TurnRecord

ROLLUP_KEY = ("date", "user_id", "room_id", "model")
DAYS = "rolled_days"
"""The collection with one document per day, beside those of the search types."""
NOT_OVER = -1
"""The version in roll-ups of a day that is not over."""
DUPLICATE_KEY = 11000


@asynccontextmanager
async def changing(databases: Databases, clock: Clock, *days: str) -> AsyncIterator[None]:
    """Around a change of turns of these days. Those that are over are marked before, in case this process dies in between; and after, in
    case it was frozen in between and the days were rolled up meanwhile: their roll-ups are not fresh any more."""

    async def mark() -> None:
        from pymongo import UpdateOne

        now = clock()
        change = {"$inc": {"version": 1}, "$max": {"changed_at": now}}
        marks = [UpdateOne({"_id": day}, change, upsert=True) for day in sorted(set(days)) if end_of(day) <= now]
        if marks:
            await databases.run(lambda store: store.statistics[DAYS].bulk_write(marks, ordered=False))

    await mark()
    yield
    await mark()


async def day_of_turn(databases: Databases, trace_id: str) -> list[str]:
    """The day of a stored turn; [] = it is not stored."""
    found = await databases.run(lambda store: store.turns.find_one({"_id": trace_id}, ["started_at"]))
    return [] if found is None else [day_of(found["started_at"])]


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


async def delete_rollups(store: Opened, own: Document) -> None:
    """Deletes the roll-ups of a user, or of one of their rooms."""
    for name in await _collections(store):
        await store.statistics[name].delete_many({**own, "model": name})


async def count_turn(databases: Databases, clock: Clock, record: TurnRecord) -> None:
    """Adds a stored turn's share to the roll-up of its day, user, room and mode, once however often this is called. The turn is marked
    first: a turn that is counted twice would never be noticed."""
    day, share = share_of(figures_of(record))
    uncounted = {"_id": record["trace_id"], "user_id": share.user_id, "counted": {"$ne": True}}
    key, change = make_share(day, share)

    async def count(store: Opened) -> None:
        from pymongo.errors import DuplicateKeyError

        if not (await store.turns.update_one(uncounted, {"$set": {"counted": True}})).modified_count:
            return
        collection = store.statistics[share.search_type]
        try:
            if not (await collection.update_one(key, change)).matched_count:
                await collection.create_index(ROLLUP_KEY, unique=True)
                await collection.update_one(key, change, upsert=True)
        except DuplicateKeyError:  # another turn of the room was counted first
            await collection.update_one(key, change)

    async with changing(databases, clock, day):
        await databases.run(count)


class MongoStatisticsStore:
    """`ports.StatisticsStore` on MongoDB. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, databases: Databases, clock: Clock, *, keep_s: float | None = None) -> None:
        self._databases = databases
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def figures(self, caller: Caller, since: float, until: float) -> list[TurnFigures]:
        whose = None if caller.role == "admin" else caller.user_id
        wanted = self._ended(caller, since, until)

        async def read(store: Opened) -> list[TurnFigures]:
            found = store.turns.find(wanted, FIGURES_FIELDS).sort(OLDEST_FIRST)
            return [load_figures(document, load_feedback(document, whose)) async for document in found]

        return await self._databases.run(read)

    async def ended_as(
        self, caller: Caller, outcomes: Collection[Outcome], since: float, until: float, limit: int | None
    ) -> list[TurnFigures]:
        wanted = {**self._ended(caller, since, until), "outcome": {"$in": list(outcomes)}}

        async def read(store: Opened) -> list[TurnFigures]:
            found = store.turns.find(wanted, FIGURES_FIELDS).sort(NEWEST_FIRST).limit(limit or 0)  # 0 = all
            return [load_figures(document, ()) async for document in found]

        return await self._databases.run(read)

    def _ended(self, caller: Caller, since: float, until: float) -> Document:
        """Finds the turns of a period that are over."""
        period = {"$gte": max(since, self._retention.since), "$lt": until}
        return {"started_at": period, "status": {"$ne": "idle"}, **_own(caller)}

    async def put_rollups(self, day: str, rollups: Sequence[Rollup], rolled: RolledDay | None = None) -> bool:
        """The new documents first, then others are deleted, then the day is marked: whenever this is cut off, it is not fresh."""
        version = NOT_OVER if rolled is None else rolled.version
        kept = [make_rollup(day, rollup, version) for rollup in rollups]

        async def put(store: Opened) -> bool:
            from pymongo.errors import DuplicateKeyError

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

        return await self._databases.run(put)

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        found = await self._databases.run(_read_rollups, {"date": day, **_own(caller)})
        return sorted(map(load_rollup, found), key=lambda rollup: (rollup.user_id, rollup.room_id, rollup.search_type))

    async def rolled_days(self, caller: Caller, first: str, last: str) -> list[RolledDay]:
        return await self._databases.run(_rolled_days, first, last, self._retention.since, caller.role == "admin")

    async def unrolled_days(self, caller: Caller, last: str) -> list[RolledDay]:
        since = self._retention.since

        async def read(store: Opened) -> list[RolledDay]:
            return not_fresh(await _rolled_days(store, "", last, since), await _days_with_turns(store, since, end_of(last)), since)

        return await self._databases.run(read)

    async def tallies(self, caller: Caller, days: Sequence[RolledDay]) -> list[Tally]:
        """Of a fresh day, what has another version was written late and does not count."""
        if not days:
            return []
        wanted = {each.day: each for each in days}
        within: Document = {"date": {"$gte": min(wanted), "$lte": max(wanted)}, **_own(caller)}
        return [
            tally
            for document in await self._databases.run(_read_rollups, within, {"figures": 0, "usage": 0})
            if (day := wanted.get(document["date"])) and (not day.is_fresh or document.get("version") == day.rolled)
            for tally in load_tallies(document)
        ]


def _own(caller: Caller) -> Document:
    """Finds what is the caller's, and for an admin everybody's."""
    return {} if caller.role == "admin" else {"user_id": caller.user_id}


async def _collections(store: Opened) -> list[str]:
    """One per search type. Foreign collections in this database hold no document whose `model` is the collection's name."""
    names = await store.statistics.list_collection_names(authorizedCollections=True)
    return [name for name in names if not name.startswith("system.") and name != DAYS]


async def _read_rollups(store: Opened, wanted: Document, hidden: Document | None = None) -> list[Document]:
    """The documents of roll-ups, without the `hidden` fields."""
    names = await _collections(store)
    return [document for name in names async for document in store.statistics[name].find({**wanted, "model": name}, hidden)]


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


async def _rolled_days(store: Opened, first: str, last: str, since: float, with_tallies: bool = False) -> list[RolledDay]:
    found = store.statistics[DAYS].find({"_id": {"$gte": first, "$lte": last}}, None if with_tallies else {"tallies": 0}).sort("_id", 1)
    return [
        RolledDay(
            *(each["_id"], each.get("version", 0), each.get("changed_at", 0.0), each.get("rolled"), begin_of(each["_id"]) >= since),
            tuple(load_tallies(each)),
        )
        async for each in found
    ]


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
