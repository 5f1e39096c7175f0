"""The figures of turns in MongoDB."""

from __future__ import annotations

from collections.abc import Collection

from footnote.adapters.mongodb.databases import Document, Opened
from footnote.adapters.mongodb.documents import FIGURES_FIELDS, load_feedback, load_figures, make_share
from footnote.adapters.mongodb.turn_store_rollups import ROLLUP_KEY
from footnote.adapters.mongodb.turn_store_turns import NEWEST_FIRST, OLDEST_FIRST
from footnote.ports import Rollup
from footnote.types import Caller, Outcome, TurnFigures


async def figures(store: Opened, caller: Caller, since: float, until: float) -> list[TurnFigures]:
    """As `TurnStore.figures`."""
    everybody = caller.role == "admin"
    wanted: Document = {"started_at": {"$gte": since, "$lt": until}, "status": {"$ne": "idle"}}
    if not everybody:
        wanted["user_id"] = caller.user_id
    cursor = store.turns.find(wanted, FIGURES_FIELDS).sort(OLDEST_FIRST)
    return [load_figures(document, load_feedback(document, None if everybody else caller.user_id)) async for document in cursor]


async def ended_as(
    store: Opened, caller: Caller, outcomes: Collection[Outcome], since: float, until: float, limit: int | None
) -> list[TurnFigures]:
    """As `TurnStore.ended_as`."""
    wanted: Document = {"outcome": {"$in": list(outcomes)}, "started_at": {"$gte": since, "$lt": until}, "status": {"$ne": "idle"}}
    if caller.role != "admin":
        wanted["user_id"] = caller.user_id
    cursor = store.turns.find(wanted, FIGURES_FIELDS).sort(NEWEST_FIRST).limit(limit or 0)  # 0 = all
    return [load_figures(document, ()) async for document in cursor]


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
