"""The end of a deleted collection.

A deleted collection is hidden by `footnote.collections.visible`, and nothing else of it changes, so that it can be restored. When
it can no longer be, its documents are removed one by one, as if each was deleted, and then its record. Sources that were synced into
it are told, and what is remembered of their files is removed, so that another collection gets all of them. Every stage can be
repeated: a run that was interrupted is continued by the next one. The record goes last, because it is what hides the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from footnote.errors import NotFound
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.restoring import purge_expired
from footnote.ingest.sync_plan import find_document
from footnote.ingest.sync_record import mark_purged, read_record
from footnote.ingest.sync_state import origin_prefix
from footnote.ports import MOST_REDIRECTED, Held, Records, read_all
from footnote.types import SYSTEM, Collection

log = logging.getLogger(__name__)

AT_ONCE = 100


async def purge_deleted(ingestor: Ingestor, records: Records) -> list[str]:
    """Removes the collections and documents that were deleted too long ago to be restored. → the collections' names. Concurrent runs
    do no harm.

    Whatever fails is logged and left to the next run, so that it keeps neither other collections nor other work waiting."""
    purged = []
    try:
        due = await ingestor.collections.due(by=SYSTEM.user_id)
    except Exception as exc:
        log.warning("deleted collections cannot be looked for", exc_info=exc)
        return []
    try:
        await purge_expired(ingestor)
    except Exception as exc:
        log.warning("deleted documents were not purged", exc_info=exc)
    for gone in due:
        try:
            await _purge(ingestor, records, gone)
        except Exception as exc:
            log.warning("a deleted collection was not purged", exc_info=exc)
        else:
            purged.append(gone.name)
    return purged


async def _purge(ingestor: Ingestor, records: Records, gone: Collection) -> None:
    while documents := (await ingestor.ledger.list(SYSTEM, collection=gone.stored, limit=AT_ONCE)).data:
        for document in documents:
            try:
                await ingestor.purge(await ingestor.ledger.delete(SYSTEM, document.doc_id))
            except NotFound:  # another run was faster
                continue
    for document in await ingestor.lifecycle.of_kind("unburied"):
        if document.collection == gone.stored:
            await ingestor.purge(document)
    await _leave_sources(ingestor, records, gone)
    await ingestor.collections.forget(gone.stored, by=SYSTEM.user_id)


async def _leave_sources(ingestor: Ingestor, records: Records, gone: Collection) -> None:
    """Notes at the sources of this collection that it is gone, and removes what is remembered of their files and of pages of a wiki."""
    pages = await ingestor.origins.under("confluence:")
    await _forget(ingestor, [origin for origin in pages if origin.rsplit("/", 2)[1] == gone.stored], pages)
    for record in await read_all(lambda after: records.list("source", limit=200, after=after)):
        source = read_record(record.value)
        if source.collection == gone.stored and not source.is_purged:
            files = await ingestor.origins.under(origin_prefix(record.key))
            await _forget(ingestor, list(files), files)
            await mark_purged(records, record, ingestor.clock(), by=SYSTEM.user_id)


async def _forget(ingestor: Ingestor, origins: Sequence[str], held: Mapping[str, Held]) -> None:
    """Removes origins that lead to a deleted document."""
    ended = [origin for origin in origins if await find_document(ingestor.ledger, held[origin].doc_id) is None]
    for start in range(0, len(ended), MOST_REDIRECTED):
        await ingestor.origins.redirect(dict.fromkeys(ended[start : start + MOST_REDIRECTED]))
