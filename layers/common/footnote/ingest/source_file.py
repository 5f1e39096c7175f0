"""Reads the stored file that a generation of a document is made from."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress

from footnote.errors import NotFound, UnreadableFile
from footnote.ingest.inserted import HASHED_AS
from footnote.ingest.keys import source_key
from footnote.ports import Files
from footnote.types import Document


async def read_source(files: Files, document: Document) -> bytes:
    """The file. A generation that was started from the same content takes that of the active one. UnreadableFile without one."""
    own, active = (source_key(document.doc_id, generation) for generation in (document.generation, document.active_generation))
    with suppress(NotFound):
        return await files.get(own)
    with suppress(NotFound):
        data = await files.get(active)
        digest = await asyncio.to_thread(hashlib.sha256, data)
        if document.content_hash.removeprefix(HASHED_AS) == digest.hexdigest():
            await files.put(own, data)
            return data
    raise UnreadableFile("The upload did not arrive.", "Add the file again.")
