"""Files attached to conversations.

An attachment is a document like any other, in the collection ATTACHED and with the permission group of its user alone. No name leads to
that collection, so no search, list, count or suggestion of a collection contains it; only turns of its conversation search it too
(`footnote.retrieve.attached`). It is one collection for all users, because each has an index of its own in both engines.

A record says to which conversation it belongs, and an attachment is there only while its record is (`footnote.collections.visible`).
So one deleted record hides it from everybody at once, also where only the records can be written, and what is left of it is removed
later (`footnote.ingest.attachments`). The record is written before the document and deleted before it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from footnote.collections.places import Places
from footnote.errors import NotFound
from footnote.ports import Clock, Ledger, Record, Records, read_all
from footnote.types import ATTACHED, Caller, Chunk, Document

CONVERSATION = "conversation"
"""The metadata field of an attachment that holds its `conversation_key`."""
MOST = 20
"""Attachments of one conversation."""
AT_ONCE = 200
"""Records that are read together."""
TOO_MANY = f"A conversation can have {MOST} attached files. Remove one, or add the files to a collection."


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a conversation, as its record says. `key`: the record's."""

    key: str
    doc_id: str
    user_id: str
    room_id: str
    attached_at: float


def conversation_key(user_id: str, room_id: str) -> str:
    """Identifies a user's conversation. Ids may be any text, so hashes stand for them; those of one user begin alike."""
    return f"{_user_key(user_id)}{_digest(room_id)[:32]}"


def key_of(item: Document | Chunk) -> str:
    """The key of the record of this document of ATTACHED, or of the one of this chunk."""
    return f"{item.metadata.get(CONVERSATION)}/{item.doc_id}"


def _user_key(user_id: str) -> str:
    return f"{_digest(user_id)[:32]}."


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


class Attachments:
    """Which documents are attached to which conversation."""

    def __init__(self, records: Records, clock: Clock) -> None:
        self._records = records
        self._places = Places(records, clock, MOST, TOO_MANY)

    async def add(self, user_id: str, room_id: str, doc_id: str) -> str:
        """Attaches a document to the user's conversation, before it exists → its CONVERSATION. Conflict if there are MOST already."""
        conversation = conversation_key(user_id, room_id)

        async def attached() -> set[str]:
            return {each.doc_id for each in await self._list(f"{conversation}/")}

        async with self._places.place(f"attachment/{conversation}", doc_id, attached):
            await self._records.put("attachment", f"{conversation}/{doc_id}", {"user_id": user_id, "room_id": room_id}, by=user_id)
        return conversation

    async def of(self, user_id: str, room_id: str) -> tuple[str, ...]:
        """The ids of the documents attached to the user's conversation, the first one first; some may not have arrived yet."""
        found = await self._list(f"{conversation_key(user_id, room_id)}/")
        return tuple(each.doc_id for each in sorted(found, key=lambda each: (each.attached_at, each.doc_id)))

    async def of_user(self, user_id: str) -> list[Attachment]:
        """The attachments of all conversations of the user."""
        return await self._list(_user_key(user_id))

    async def all(self) -> list[Attachment]:
        """All attachments of all users."""
        return await self._list("")

    async def holds(self, item: Document | Chunk) -> bool:
        """Whether this document of ATTACHED, or the one of this chunk, is still attached to its conversation."""
        return await self._records.get("attachment", key_of(item)) is not None

    async def forget_document(self, document: Document) -> None:
        """Ends the attachment that is this document, if it is one."""
        if document.collection == ATTACHED:
            await self.forget(key_of(document))

    async def forget(self, key: str) -> None:
        """Ends one attachment, by the key of its record. Unknown keys are ignored."""
        await self._records.delete("attachment", key)

    async def end(self, user_id: str, room_id: str | None = None) -> None:
        """Ends the attachments of the user's conversation, or of all their conversations."""
        ended = await self.of_user(user_id) if room_id is None else await self._list(f"{conversation_key(user_id, room_id)}/")
        for each in ended:
            await self.forget(each.key)

    async def _list(self, prefix: str) -> list[Attachment]:
        found = await read_all(lambda after: self._records.list("attachment", prefix=prefix, limit=AT_ONCE, after=after))
        return [_attachment(record) for record in found]


async def arrived(ledger: Ledger, caller: Caller, doc_ids: Iterable[str]) -> list[Document]:
    """The documents of these ids, in their order, without those that have not arrived yet."""

    async def found(doc_id: str) -> Document | None:
        with suppress(NotFound):
            return await ledger.get(caller, doc_id)
        return None

    return [document for document in await asyncio.gather(*map(found, doc_ids)) if document is not None]


def _attachment(record: Record) -> Attachment:
    doc_id = record.key.partition("/")[2]
    return Attachment(record.key, doc_id, record.value["user_id"], record.value["room_id"], record.changed_at)
