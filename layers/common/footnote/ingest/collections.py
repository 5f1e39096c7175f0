"""Which collection a document is added to, and which documents of collections may be changed."""

from __future__ import annotations

from footnote.collections import Collections
from footnote.errors import Conflict, NotFound
from footnote.ports import Ledger
from footnote.types import SYSTEM, Caller, StoredName

DELETED = "This collection was deleted. An admin can restore it for an hour; else choose another name."
HELD = "The document with this id is in a deleted collection. The id is free when that is purged, within a day."
UNAVAILABLE = "This id cannot be used at present. Choose another doc_id."
CLOSED = "No document can be added under this name of a collection at present. Choose another one."


async def open_collection(collections: Collections, caller: Caller, name: str, *, even_deleted: bool = False) -> StoredName:
    """The stored name of the collection to which a document is added. BadRequest for an invalid name. Conflict if it was deleted,
    which only admins are told. `even_deleted`: a stored name may be that of a deleted collection, which is restored with the document."""
    directory = await collections.load()
    if isinstance(name, StoredName):
        if even_deleted or directory.may_hold(name):
            return name
    elif directory.find(name) or not directory.find_deleted(name):
        return await collections.open(name, by=caller.user_id)
    raise Conflict(DELETED if _is_told(caller) else CLOSED)


def _is_told(caller: Caller) -> bool:
    """Whether the caller learns that there was a collection that is deleted."""
    return caller.sees_all or caller.role == "admin"


async def check_chosen(collections: Collections, ledger: Ledger, caller: Caller, doc_id: str, stored: str) -> None:
    """Conflict if the document with this id, as far as the caller may read it, is in another collection; if that is deleted,
    only admins are told."""
    try:
        there = await ledger.get(SYSTEM, doc_id)
    except NotFound:
        return
    if not caller.may_read(there.permission_groups):  # the ledger says that there is none
        return
    if await collections.is_deleted(there.collection):
        raise Conflict(HELD if _is_told(caller) else UNAVAILABLE)
    if there.collection != stored:
        name = await collections.name_of(there.collection)
        raise Conflict(f"The document with this id is in the index “{name}”. Delete it there, or choose another doc_id.")
