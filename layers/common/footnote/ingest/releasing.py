"""Removes what an origin no longer holds."""

from __future__ import annotations

from footnote.ingest.ingestor import Ingestor


async def release(ingestor: Ingestor, origin: str, keep: str | None = None) -> None:
    """Removes the origin from every document except `keep`, and purges documents that have no name left.

    It also purges those that another process released but did not purge before it ended."""
    released = await ingestor.origins.release(origin, keep)
    for deleted in {document.doc_id: document for document in [*released, *await ingestor.lifecycle.of_kind("unburied")]}.values():
        await ingestor.purge(deleted)
