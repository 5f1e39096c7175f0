"""Feedback on turns in MongoDB, in the turns' documents. `since`, where it is not said otherwise: turns that started before are as good
as deleted."""

from __future__ import annotations

from footnote.adapters.mongodb.databases import Document, Opened
from footnote.adapters.mongodb.documents import (
    FIGURES_FIELDS,
    as_key,
    load_feedback,
    load_figures,
    load_turn,
    make_feedback,
    own_feedback,
    storable,
    unpacked,
)
from footnote.adapters.mongodb.turn_store_turns import NEWEST_FIRST, readable
from footnote.adapters.shared.turns import NO_TURN, load_place, page_of, place_of
from footnote.errors import NotFound
from footnote.ports import FeedbackFilter, RatedTurn
from footnote.types import REASONS, Caller, Feedback, Page

LIST_ORDER = {"given.created_at": -1, "_id": -1, "given.user_id": -1}


async def put_feedback(store: Opened, caller: Caller, feedback: Feedback, created_at: float, since: float) -> None:
    """As `TurnStore.put_feedback`."""
    given = make_feedback(feedback, caller.user_id, created_at)
    change = {"$set": {f"feedback.{as_key(caller.user_id)}": given}, "$max": {"rated_at": created_at}}
    if not (await store.turns.update_one(readable(caller, feedback.trace_id, since), change)).matched_count:
        raise NotFound(NO_TURN)


async def delete_feedback(store: Opened, user_id: str, trace_id: str) -> bool:
    """As `TurnStore.delete_feedback`."""
    place = f"feedback.{as_key(user_id)}"
    return (await store.turns.update_one({"_id": trace_id, place: {"$exists": True}}, {"$unset": {place: ""}})).matched_count > 0


async def feedback_of(store: Opened, user_id: str, trace_id: str, since: float) -> Feedback | None:
    """The user's feedback on a turn."""
    found = await store.turns.find_one({"_id": trace_id, "started_at": {"$gte": since}}, ["feedback"])
    return own_feedback(user_id, found) if found else None


async def list_feedback(
    store: Opened, caller: Caller, wanted: FeedbackFilter, limit: int, after: str | None, since: float
) -> Page[RatedTurn]:
    """As `TurnStore.list_feedback`. First the places of the page's feedback are found, then its turns are read: what is sorted is small."""
    turns: Document = {"rated_at": {"$gte": wanted.since}, "started_at": {"$gte": since}}
    if wanted.trace_id is not None:
        turns["_id"] = wanted.trace_id
    if wanted.collections is not None:
        turns["collection"] = {"$in": storable(sorted(wanted.collections))}
    cursor = await store.turns.aggregate(
        [
            {"$match": turns},
            {"$project": {"given": {"$objectToArray": "$feedback"}}},
            {"$unwind": "$given"},
            {"$project": {"given": "$given.v"}},
            {"$match": {"$and": _conditions(caller, wanted, after)}},
            {"$project": {"given.created_at": 1, "given.user_id": 1}},
            {"$sort": LIST_ORDER},
            {"$limit": limit + 1},
        ]
    )
    found = await cursor.to_list()
    documents = {each["_id"]: each async for each in store.turns.find({"_id": {"$in": [each["_id"] for each in found]}})}

    def load(place: Document) -> RatedTurn | None:
        """None: it was deleted between the two reads."""
        document = documents.get(place["_id"])
        given = own_feedback(unpacked(place["given"]["user_id"]), document) if document else None
        return None if document is None or given is None else RatedTurn(load_turn(document), given)

    def id_of(place: Document) -> str:
        given = place["given"]
        return place_of(Feedback(place["_id"], unpacked(given["user_id"]), "up", created_at=given["created_at"]))

    return page_of(found, limit, load, id_of)


def _conditions(caller: Caller, wanted: FeedbackFilter, after: str | None) -> list[Document]:
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


async def rated(store: Opened, user_id: str, since: float, limit: int) -> list[tuple[str, Feedback]]:
    """As `TurnStore.rated`."""
    place = f"feedback.{as_key(user_id)}"
    says_why: Document = {"$or": [{f"{place}.tags.0": {"$exists": True}}, {f"{place}.reason": {"$gt": ""}}]}
    wanted: Document = {"user_id": user_id, "started_at": {"$gte": since}, **says_why}
    cursor = store.turns.find(wanted, FIGURES_FIELDS).sort(NEWEST_FIRST).limit(limit)
    return [(load_figures(document, ()).question, given) async for document in cursor for given in load_feedback(document, user_id)]


async def rated_by_others(store: Opened, user_id: str, collection: str, since: float, limit: int) -> list[RatedTurn]:
    """As `TurnStore.rated_by_others`."""
    wanted: Document = {
        "user_id": {"$ne": user_id},
        "collection": storable(collection),
        "started_at": {"$gte": since},
        "rated_at": {"$gte": since},  # has an index; feedback comes after its turn
    }
    found: list[RatedTurn] = []
    async for document in store.turns.find(wanted).sort(NEWEST_FIRST):
        record = load_turn(document)
        given = own_feedback(record["user_id"], document)
        if given is not None and (given.tags or given.reason is not None):
            found.append(RatedTurn(record, given))
        if len(found) == limit:
            break
    return found
