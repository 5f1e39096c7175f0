"""The end of a deleted collection.

A deleted collection is hidden by `footnote.collections.visible`, and nothing else of it changes, so that it can be restored. When
it can no longer be, its documents are removed one by one, as if each was deleted, and then its record. Every stage can be repeated:
a run that was interrupted is continued by the next one. The record goes last, because it is what hides the rest.
"""

from __future__ import annotations

import logging

from footnote.errors import NotFound
from footnote.ingest.pipeline import Ingestor
from footnote.types import SYSTEM, Collection

log = logging.getLogger(__name__)

AT_ONCE = 100


async def purge_deleted(ingestor: Ingestor) -> list[str]:
    """Removes the collections that were deleted too long ago to be restored. → their names. Concurrent runs do no harm.

    Whatever fails is logged and left to the next run, so that it keeps neither other collections nor other work waiting."""
    purged = []
    try:
        due = await ingestor.collections.due(by=SYSTEM.user_id)
    except Exception as exc:
        log.warning("deleted collections cannot be looked for", exc_info=exc)
        return []
    for gone in due:
        try:
            await _purge(ingestor, gone)
        except Exception as exc:
            log.warning("a deleted collection was not purged", exc_info=exc)
        else:
            purged.append(gone.name)
    return purged


async def _purge(ingestor: Ingestor, gone: Collection) -> None:
    while documents := (await ingestor.ledger.list(SYSTEM, collection=gone.stored, limit=AT_ONCE)).data:
        for document in documents:
            try:
                await ingestor.purge(await ingestor.ledger.delete(SYSTEM, document.doc_id))
            except NotFound:  # another run was faster
                continue
    for document in await ingestor.ledger.unpurged():
        if document.collection == gone.stored:
            await ingestor.purge(document)
    await ingestor.collections.forget(gone.stored, by=SYSTEM.user_id)
