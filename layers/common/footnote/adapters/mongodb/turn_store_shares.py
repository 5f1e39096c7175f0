"""Links to conversations in MongoDB: the collection `shares`, one document for each, which MongoDB deletes after its time.

A link is stored before its room is looked for, and deleted after the turns of the room: whichever of two simultaneous calls comes
second finds what the other has left."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from footnote.adapters.mongodb.databases import Document, Opened
from footnote.adapters.mongodb.documents import storable, unpacked
from footnote.adapters.shared.turns import NO_ROOM, valid_shares
from footnote.errors import NotFound
from footnote.ports import Share

if TYPE_CHECKING:
    from pymongo.asynchronous.collection import AsyncCollection


def _shares(store: Opened) -> AsyncCollection[Document]:
    return store.turns.database["shares"]


async def put_share(store: Opened, share: Share, since: float) -> None:
    """As `TurnStore.put_share`."""
    kept: Document = {"share": storable(asdict(share)), "user_id": share.user_id, "room_id": storable(share.room_id)}
    if share.expires_at is not None:
        kept["expires_at"] = datetime.fromtimestamp(share.expires_at, UTC)
    await _shares(store).replace_one({"_id": share.digest}, kept, upsert=True)
    if not await store.turns.find_one({"user_id": share.user_id, "room_id": kept["room_id"], "started_at": {"$gte": since}}, ["_id"]):
        await _shares(store).delete_one({"_id": share.digest})
        raise NotFound(NO_ROOM)


async def shares(store: Opened, user_id: str, now: float) -> list[Share]:
    """As `TurnStore.shares`."""
    return valid_shares([_load(document) async for document in _shares(store).find({"user_id": user_id})], now)


async def shared(store: Opened, digest: str, now: float) -> Share | None:
    """As `TurnStore.shared`. MongoDB deletes what has expired within a minute or so, so its time is looked at here."""
    found = await _shares(store).find_one({"_id": digest})
    share = None if found is None else _load(found)
    return share if share is not None and share.is_valid(now) else None


async def count_share(store: Opened, user_id: str, share_id: str) -> int:
    """How many links of the user's have this id: one or none."""
    return await _shares(store).count_documents({"user_id": user_id, "share.share_id": share_id})


async def delete_share(store: Opened, user_id: str, share_id: str) -> None:
    """As `TurnStore.delete_share`, without saying whether there was one."""
    await _shares(store).delete_many({"user_id": user_id, "share.share_id": share_id})


async def delete_shares(store: Opened, user_id: str, room_id: str | None = None) -> None:
    """Deletes the user's links, to one room or to all."""
    await _shares(store).delete_many({"user_id": user_id, **({} if room_id is None else {"room_id": storable(room_id)})})


def _load(document: Document) -> Share:
    return Share(**unpacked(document["share"]))
