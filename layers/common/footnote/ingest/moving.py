"""Gives a document other readers, or moves it to another collection.

From then on nobody reads it who may not, and until it was read again it is in no answer: the earlier generation is removed at once, and
the next one is made from the same file. Vectors of texts that stay the same are taken from the cache.
"""

from __future__ import annotations

from footnote.errors import Conflict, NotFound, UnreadableFile
from footnote.ingest.accept import check_groups
from footnote.ingest.collections import open_collection
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.keys import source_key
from footnote.ingest.source_file import read_source
from footnote.ports import MOST_REDIRECTED
from footnote.types import ATTACHED, SYSTEM, Caller, Document

FOREIGN = "This document is kept in sync with a source, which decides who can read it and where it is. Change it there, or delete it here."
MANY = f"This document has more than {MOST_REDIRECTED} names. Delete it, and add its file again."
BUSY = "The document is being changed. Try again in a moment."
LOST = "The file of this document is missing. Add it again."


async def move(
    ingestor: Ingestor, caller: Caller, doc_id: str, *, collection: str | None = None, permission_groups: list[str] | None = None
) -> Document:
    """Queues a document for other readers, or for another collection; None = as it is. Repeated, it finishes what was interrupted.

    The caller may read the document and write to these groups: NotFound, Forbidden. Conflict for one from a source, and one that others
    change at the same time."""
    found = await ingestor.ledger.get(caller, doc_id)
    before = await ingestor.ledger.get(SYSTEM, found.doc_id)
    if before.collection == ATTACHED:
        raise NotFound("There is no such document.")
    stored = before.collection if collection is None else await open_collection(ingestor.collections, caller, collection)
    groups = before.permission_groups if permission_groups is None else check_groups(permission_groups, caller)
    if (stored, groups) == (before.collection, before.permission_groups):
        if before.state == "RECEIVED":  # perhaps interrupted
            await ingestor.generations.remove(before.doc_id, before.generation - 1)
            await ingestor.enqueue(before)
        return before
    names = await ingestor.origins.names(before.doc_id)
    if any(name.origin is not None for name in names):
        raise Conflict(FOREIGN)
    if len(names) > MOST_REDIRECTED:
        raise Conflict(MANY)
    try:
        data = await read_source(ingestor.files, before)
    except UnreadableFile as exc:
        raise Conflict(LOST) from exc
    if not await ingestor.lifecycle.move(before.doc_id, before.generation, collection=stored, permission_groups=groups):
        raise Conflict(BUSY)
    await ingestor.generations.remove(before.doc_id, before.generation)
    after = await ingestor.ledger.get(SYSTEM, before.doc_id)
    await ingestor.files.put(source_key(after.doc_id, after.generation), data)
    await ingestor.enqueue(after)
    return after
