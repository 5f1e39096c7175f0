"""Feedback on turns in MongoDB: in the turns' documents, by user."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.adapters.mongodb.databases import Databases, Document, Opened
from footnote.adapters.mongodb.documents import (
    FIGURES_FIELDS,
    NEWEST_FIRST,
    as_key,
    load_feedback,
    load_figures,
    load_turn,
    make_feedback,
    own_feedback,
    readable,
    storable,
    unpacked,
)
from footnote.adapters.mongodb.statistics import changing, day_of_turn
from footnote.adapters.shared.turns import NO_TURN, Retention, load_place, page_of, place_of
from footnote.errors import NotFound
from footnote.ports import Clock, FeedbackFilter, RatedTurn
from footnote.types import REASONS, Caller, Feedback, Page

LIST_ORDER = {"given.created_at": -1, "_id": -1, "given.user_id": -1}


class MongoFeedbackStore:
    """`ports.FeedbackStore` on MongoDB. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, databases: Databases, clock: Clock, *, keep_s: float | None = None) -> None:
        self._databases = databases
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def put(self, caller: Caller, feedback: Feedback) -> None:
        created_at = feedback.created_at or self._clock()
        wanted = readable(caller, feedback.trace_id, self._retention.since)
        given = make_feedback(feedback, caller.user_id, created_at)
        change = {"$set": {_place(caller): given}, "$max": {"rated_at": created_at}}
        async with changing(self._databases, self._clock, *await day_of_turn(self._databases, feedback.trace_id)):
            done = await self._databases.run(lambda store: store.turns.update_one(wanted, change))
        if not done.matched_count:
            raise NotFound(NO_TURN)

    async def get(self, caller: Caller, trace_id: str) -> Feedback | None:
        wanted = {"_id": trace_id, "started_at": {"$gte": self._retention.since}}
        found = await self._databases.run(lambda store: store.turns.find_one(wanted, ["feedback"]))
        return own_feedback(caller.user_id, found) if found else None

    async def delete(self, caller: Caller, trace_id: str) -> bool:
        wanted, change = {"_id": trace_id, _place(caller): {"$exists": True}}, {"$unset": {_place(caller): ""}}
        async with changing(self._databases, self._clock, *await day_of_turn(self._databases, trace_id)):
            return (await self._databases.run(lambda store: store.turns.update_one(wanted, change))).matched_count > 0

    async def list(self, caller: Caller, wanted: FeedbackFilter, limit: int, after: str | None = None) -> Page[RatedTurn]:
        """First the places of the page's feedback are found, then its turns are read: what is sorted is small."""
        limit = max(limit, 1)
        turns: Document = {"rated_at": {"$gte": wanted.since}, "started_at": {"$gte": self._retention.since}}
        if wanted.trace_id is not None:
            turns["_id"] = wanted.trace_id
        if wanted.collections is not None:
            turns["collection"] = {"$in": storable(sorted(wanted.collections))}
        stages: Sequence[Document] = [
            {"$match": turns},
            {"$project": {"given": {"$objectToArray": "$feedback"}}},
            {"$unwind": "$given"},
            {"$project": {"given": "$given.v"}},
            {"$match": {"$and": _conditions(caller, wanted, after)}},
            {"$project": {"given.created_at": 1, "given.user_id": 1}},
            {"$sort": LIST_ORDER},
            {"$limit": limit + 1},
        ]

        async def read(store: Opened) -> Page[RatedTurn]:
            places = await (await store.turns.aggregate(stages)).to_list()
            documents = {each["_id"]: each async for each in store.turns.find({"_id": {"$in": [each["_id"] for each in places]}})}

            def load(place: Document) -> RatedTurn | None:
                """None: it was deleted between the two reads."""
                document = documents.get(place["_id"])
                given = own_feedback(unpacked(place["given"]["user_id"]), document) if document else None
                return None if document is None or given is None else RatedTurn(load_turn(document), given)

            return page_of(places, limit, load, _id_of)

        return await self._databases.run(read)

    async def rated(self, caller: Caller, since: float, limit: int) -> Sequence[tuple[str, Feedback]]:
        says_why = [{f"{_place(caller)}.tags.0": {"$exists": True}}, {f"{_place(caller)}.reason": {"$gt": ""}}]
        wanted: Document = {"user_id": caller.user_id, "started_at": {"$gte": max(since, self._retention.since)}, "$or": says_why}

        async def read(store: Opened) -> Sequence[tuple[str, Feedback]]:
            found = store.turns.find(wanted, FIGURES_FIELDS).sort(NEWEST_FIRST).limit(limit)
            return [(load_figures(each, ()).question, given) async for each in found for given in load_feedback(each, caller.user_id)]

        return await self._databases.run(read)

    async def rated_by_others(self, caller: Caller, collection: str, since: float, limit: int) -> Sequence[RatedTurn]:
        since = max(since, self._retention.since)
        wanted: Document = {
            "user_id": {"$ne": caller.user_id},
            "collection": storable(collection),
            "started_at": {"$gte": since},
            "rated_at": {"$gte": since},  # has an index; feedback comes after its turn
        }

        async def read(store: Opened) -> Sequence[RatedTurn]:
            found: list[RatedTurn] = []
            async for document in store.turns.find(wanted).sort(NEWEST_FIRST):
                record = load_turn(document)
                given = own_feedback(record["user_id"], document)
                if given is not None and (given.tags or given.reason is not None):
                    found.append(RatedTurn(record, given))
                if len(found) == limit:
                    break
            return found

        return await self._databases.run(read)


def _place(caller: Caller) -> str:
    """The field of a turn's document that holds the caller's feedback."""
    return f"feedback.{as_key(caller.user_id)}"


def _id_of(place: Document) -> str:
    given = place["given"]
    return place_of(Feedback(place["_id"], unpacked(given["user_id"]), "up", created_at=given["created_at"]))


def _conditions(caller: Caller, wanted: FeedbackFilter, after: str | None) -> Sequence[Document]:
    """Of one user's feedback on a turn."""
    conditions: list[Document] = [{"given.created_at": {"$gte": wanted.since}}]
    if caller.role != "admin":
        conditions.append({"given.user_id": storable(caller.user_id)})
    if wanted.until is not None:
        conditions.append({"given.created_at": {"$lt": wanted.until}})
    if wanted.rating is not None:
        conditions.append({"given.rating": wanted.rating})
    if wanted.usual_reason == "other":
        free = {"given.reason": {"$nin": [None, *(reason for reason in REASONS if reason != "other")]}}
        conditions.append({"$or": [free, {"given.reason": None, "given.comment": {"$ne": None}}]})
    elif wanted.usual_reason is not None:
        conditions.append({"given.reason": wanted.usual_reason})
    if after is not None:
        at, trace_id, user_id = load_place(after)
        conditions.append(
            {
                "$or": [
                    {"given.created_at": {"$lt": at}},
                    {"given.created_at": at, "_id": {"$lt": trace_id}},
                    {"given.created_at": at, "_id": trace_id, "given.user_id": {"$lt": storable(user_id)}},
                ]
            }
        )
    return conditions
