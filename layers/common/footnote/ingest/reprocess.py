"""Cuts the documents of a collection again, from the stored results of parsing, after its chunker, languages, columns or the size of
passages have changed.

Each document gets its next generation, and the active one answers until that is ready. Documents that are cut as wanted are left alone, so
that it can be repeated at any time: after a crash it goes on with the rest.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from footnote.errors import NotFound
from footnote.ingest.aids import usable_chunker
from footnote.ingest.chunk import cut_name, sent_cut_name
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.inserted import HASHED_AS
from footnote.ports import read_all
from footnote.types import SYSTEM, Document, StoredName


@dataclass(slots=True)
class Reprocessed:
    """Numbers of documents."""

    queued: int = 0
    """They are being cut again."""
    current: int = 0
    """They are cut as wanted already, or as their sender chose, and searched in the languages of the collection."""
    failed: int = 0
    """They could not be read; `footnote documents retry` tries again."""


async def reprocess(ingestor: Ingestor, stored: StoredName) -> Reprocessed:
    """Queues the documents of a collection that are cut otherwise than its settings say."""
    settings = await ingestor.collections.get(stored)
    embedder = ingestor.embedders.of(settings.embedder)
    found = Reprocessed()
    for document in await read_all(lambda after: ingestor.ledger.list(SYSTEM, collection=stored, limit=200, after=after)):
        if document.content_hash.startswith(HASHED_AS):
            wanted = sent_cut_name(settings)
        else:
            wanted = cut_name(usable_chunker(settings, embedder, document.lang or ""), ingestor.settings.chunk_tokens, settings)
        if document.state == "FAILED":
            found.failed += 1
        elif document.state == "READY" and document.cut == wanted:
            found.current += 1
        else:
            found.queued += 1
            await _queue(ingestor, document)
    return found


async def _queue(ingestor: Ingestor, document: Document) -> None:
    if document.state == "READY":
        await ingestor.lifecycle.renew(document.doc_id, document.generation)
    # Also a document that waits already: an earlier run may have been interrupted here.
    with suppress(NotFound):  # deleted meanwhile
        await ingestor.enqueue(await ingestor.ledger.get(SYSTEM, document.doc_id))
