"""The stored files of a document: reads and parses the one that a generation is made from, deletes those of earlier ones."""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from contextlib import suppress
from dataclasses import replace

from footnote.errors import NotFound, UnreadableFile
from footnote.ingest.fixed_size import FixedSize
from footnote.ingest.inserted import HASHED_AS, parse_inserted, unpack_inserted
from footnote.ingest.keys import FOLDERS, generation_of, parsed_key, source_key
from footnote.ingest.parsed import unpack
from footnote.ports import Files, Parser
from footnote.types import Document, Parsed


async def read_source(files: Files, document: Document) -> bytes:
    """The file. A generation that was started from the same content takes that of the active one, or of the one before, which was
    deleted. UnreadableFile without one."""
    return (await _read(files, document))[0]


async def _read(files: Files, document: Document) -> tuple[bytes, int]:
    """(the file, the generation that it was taken from)."""
    own = source_key(document.doc_id, document.generation)
    with suppress(NotFound):
        return await files.get(own), document.generation
    for generation in (document.active_generation, document.generation - 1):
        with suppress(NotFound):
            data = await files.get(source_key(document.doc_id, generation))
            digest = await asyncio.to_thread(hashlib.sha256, data)
            if document.content_hash.removeprefix(HASHED_AS) == digest.hexdigest():
                await files.put(own, data)
                return data, generation
    raise UnreadableFile("The upload did not arrive.", "Add the file again.")


async def delete_files(files: Files, doc_id: str, through: int) -> None:
    """Deletes the files of all generations of a document up to `through`; generations start at 1."""
    if through == 0:
        return
    for folder in FOLDERS:
        found = [key async for key in files.keys(f"{folder}/{doc_id}/")]
        for key in found:
            if generation_of(key) <= through:
                await files.delete(key)


async def parse_source(files: Files, parser: Parser, document: Document) -> tuple[Parsed, FixedSize | None]:
    """(the text of the file, the size of passages that its sender chose or None). In a thread: a long document takes seconds and must
    not block the server's event loop. What the active generation was made from is not parsed again. UnreadableFile as in `read_source`
    and `Parser.parse`."""
    data, generation = await _read(files, document)
    if document.content_hash.startswith(HASHED_AS):
        sent = unpack_inserted(data)
        return await asyncio.to_thread(parse_inserted, sent), sent.chunk_factor
    is_active = generation == document.active_generation
    if is_active and (kept := await read_parsed(files, replace(document, generation=generation))) is not None:
        return kept, None
    return await parser.parse(data, document.file_name), None


async def read_parsed(files: Files, document: Document) -> Parsed | None:
    """The stored result of parsing a generation; None if it is lost or damaged."""
    try:
        return await asyncio.to_thread(unpack, await files.get(parsed_key(document.doc_id, document.generation)))
    except (NotFound, zlib.error, ValueError, TypeError, LookupError):
        return None
