"""What becomes of a document that was deleted so that it can be restored.

Nothing of it is in the index any more, and its files stay. For an hour it can be restored: it is read again from its stored file, as its
next generation, with the readers that it had. Then its files are removed. The ledger decides which of the two comes first.

    meanwhile                               result
    the same file is added under its name   the new document has the name: the deleted one cannot be restored and is purged
    the same content under another name     it cannot be restored while that document is there
    its file leaves the synced source       it cannot be restored and is purged
    its collection is deleted               it cannot be restored until the collection is
"""

from __future__ import annotations

from footnote.errors import NotFound, UnreadableFile
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.keys import source_key
from footnote.ingest.source_file import read_source
from footnote.types import RESTORABLE_S, SYSTEM, Caller, Document

UNKNOWN = "There is no such document."


async def restore(ingestor: Ingestor, caller: Caller, doc_id: str) -> Document:
    """Queues a deleted document again; repeated, it changes nothing. NotFound for one that the caller may not read or that cannot be
    restored any more, Conflict if another document has its content by now."""
    try:
        gone = await ingestor.ledger.find_deleted(caller, doc_id)
        data = await read_source(ingestor.files, gone)
    except NotFound:
        return await ingestor.ledger.get(caller, doc_id)  # restored already
    except UnreadableFile as exc:
        raise NotFound(UNKNOWN) from exc
    if not await ingestor.lifecycle.undelete(gone.doc_id, gone.generation):
        return await ingestor.ledger.get(caller, doc_id)  # somebody else was faster
    document = await ingestor.ledger.get(SYSTEM, gone.doc_id)
    await ingestor.generations.remove(document.doc_id, gone.generation)  # a deletion may have been interrupted before this
    await ingestor.files.put(source_key(document.doc_id, document.generation), data)
    await ingestor.enqueue(document)
    return document


async def purge_expired(ingestor: Ingestor) -> int:
    """Purges the deleted documents that cannot be restored any more, and withdraws the others, whose deletion may have been interrupted.
    → how many were purged. Concurrent runs do no harm."""
    now, kept = ingestor.clock(), await ingestor.lifecycle.of_kind("kept")
    over = [document for document in kept if document.updated_at + RESTORABLE_S <= now]
    for document in kept:
        if document.updated_at + RESTORABLE_S > now:
            await ingestor.withdraw(document)
    ended = [document for document in over if await ingestor.lifecycle.expire(document.doc_id)]
    for document in [*ended, *(each for each in await ingestor.lifecycle.of_kind("unburied") if each not in ended)]:
        await ingestor.purge(document)
    return len(ended)
