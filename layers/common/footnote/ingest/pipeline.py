"""A file on its way into the index: accept → parse → chunk → stage → read back → flip → vectors.

    what fails                      what becomes of the document
    the bytes were never stored     FAILED, add it again
    the file cannot be read         FAILED with reason and remedy, no retry
    index, store or a defect        back into the queue, later each time; FAILED after MOST_ATTEMPTS
    the embedder                    stays READY, found by its words; vectors are tried again

A document is READY when its lexical entries were read back. Until a new generation is flipped, the
old one answers. Every stage can be repeated: after a crash the job comes back and ends the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from footnote.errors import FootnoteError, NotFound, UnreadableFile
from footnote.ingest.accept import check_collection, check_file_name, check_groups, check_size
from footnote.ingest.chunk import chunk_document
from footnote.ingest.keys import parsed_key, source_key
from footnote.ingest.parsed import pack
from footnote.ingest.vectors import embed_chunks
from footnote.ports import Clock, Embedder, Files, Index, Ledger, Parser, Queue
from footnote.settings import Ingest
from footnote.text.language import detect_language
from footnote.text.sentences import split_sentences
from footnote.types import Caller, Chunk, Document, Parsed, chunks_digest

log = logging.getLogger(__name__)

LEASE_S = 300.0
MOST_ATTEMPTS = 5
RETRY_S = 2.0
"""Before the second attempt; doubled before each further one."""

ADMINS = "role:admin"
NOBODY_NAMED = UnreadableFile(
    "Nobody is named who may read files from this folder.", "Add its prefix to INGEST__DROP_GROUPS and drop the file again."
)
SYSTEM = Caller("system", sees_all=True)
"""Who the pipeline reads as: it works on documents whoever they belong to."""


@dataclass(slots=True)
class Ingestor:
    ledger: Ledger
    files: Files
    queue: Queue
    index: Index
    parser: Parser
    embedder: Embedder | None
    settings: Ingest
    clock: Clock
    _flip: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a document is flipped or deleted: a delete never falls between check and flip."""

    # --- doors ---------------------------------------------------------------------------------

    async def accept(
        self,
        caller: Caller,
        data: bytes,
        *,
        file_name: str,
        collection: str,
        permission_groups: list[str],
        doc_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        refused: UnreadableFile | None = None,
    ) -> Document:
        """Stores a file and queues its work; when this returns, nothing of it can be lost. `refused`: why it is
        kept as FAILED and never queued."""
        check_size(len(data), self.settings.max_file_mb)
        digest = await asyncio.to_thread(hashlib.sha256, data)
        document, _ = await self.ledger.accept(
            caller,
            file_name=check_file_name(file_name),
            collection=check_collection(collection),
            permission_groups=check_groups(permission_groups, caller),
            content_hash=digest.hexdigest(),
            size=len(data),
            metadata=metadata,
            doc_id=doc_id,
        )
        # Also for a known one that is still on its way: what was interrupted here before is mended so.
        if document.state == "RECEIVED":
            await self.files.put(source_key(document.doc_id, document.generation), data)
            if refused is None:
                await self.queue.put({"doc_id": document.doc_id, "generation": document.generation})
            else:
                await self._fail(document.doc_id, document.generation, refused.reason, refused.remedy)
                document = await self.ledger.get(SYSTEM, document.doc_id)
        return document

    async def accept_drop(self, caller: Caller, data: bytes, *, key: str, collection: str) -> Document:
        """A file from the bucket. Its groups come from the settings by the longest prefix of its key; without
        one it is kept as FAILED, visible to admins, and nobody's to read."""
        prefix = max((prefix for prefix in self.settings.drop_groups if key.startswith(prefix)), key=len, default=None)
        groups = [ADMINS] if prefix is None else self.settings.drop_groups[prefix]
        refused = NOBODY_NAMED if prefix is None else None
        return await self.accept(caller, data, file_name=key, collection=collection, permission_groups=groups, refused=refused)

    async def delete(self, caller: Caller, doc_id: str) -> Document:
        """The document is gone from every answer when this returns. The ledger forgets it last: a delete that
        fails half-way can be asked for again."""
        async with self._flip:
            document = await self.ledger.get(caller, doc_id)
            await self.index.remove(document.doc_id)
            document = await self.ledger.delete(caller, document.doc_id)
        for generation in range(1, document.generation + 1):
            await self._forget_files(document.doc_id, generation)
        return document

    async def retry(self, caller: Caller, doc_id: str) -> Document:
        """Queues a FAILED document again, from the stored bytes."""
        document = await self.ledger.get(caller, doc_id)
        if document.state != "FAILED":
            return document
        data = await self.files.get(source_key(document.doc_id, document.generation))
        return await self.accept(
            caller,
            data,
            file_name=document.file_name,
            collection=document.collection,
            permission_groups=sorted(document.permission_groups),
            metadata=document.metadata,
        )

    # --- the worker ----------------------------------------------------------------------------

    async def recover(self) -> int:
        """Queues what a crash left between the ledger and the queue; returns how many. Doubles do no harm."""
        unfinished = await self.ledger.unfinished()
        for document in unfinished:
            await self.queue.put({"doc_id": document.doc_id, "generation": document.generation})
        return len(unfinished)

    async def work_one(self) -> bool:
        """Takes one job and ends it; False when the queue holds none that is due."""
        job = await self.queue.take(LEASE_S)
        if job is None:
            return False
        doc_id, generation = job.body["doc_id"], job.body["generation"]
        try:
            document = await self.ledger.get(SYSTEM, doc_id)
            await self._process(document, generation)
        except NotFound:  # deleted meanwhile: what was staged since goes too
            await self.index.remove(doc_id)
            await self._forget_files(doc_id, generation)
        except UnreadableFile as exc:
            await self._fail(doc_id, generation, exc.reason, exc.remedy)
        except Exception as exc:
            if job.attempt < MOST_ATTEMPTS:
                log.warning("ingest is tried again", exc_info=exc, extra={"doc_id": doc_id, "count": job.attempt})
                await self.queue.retry(job.job_id, RETRY_S * 2 ** (job.attempt - 1))
                return True
            log.error("ingest failed", exc_info=exc, extra={"doc_id": doc_id})
            reason = exc.detail if isinstance(exc, FootnoteError) else "Something went wrong while this file was read."
            await self._fail(doc_id, generation, reason, "Try again; if it fails again, report the file.")
        await self.queue.finish(job.job_id)
        return True

    async def embed_some(self, limit: int = 16) -> int:
        """Makes the vectors of up to `limit` chunks; returns how many were made."""
        if self.embedder is None:
            return 0
        waiting = await self.index.pending(self.embedder.name, self.embedder.languages, limit)
        if waiting:
            await self.index.put_vectors(self.embedder.name, await embed_chunks(self.embedder, waiting))
        return len(waiting)

    async def _process(self, document: Document, generation: int) -> None:
        if document.generation != generation or document.state not in ("RECEIVED", "PROCESSING"):
            return
        await self.ledger.update(document.doc_id, generation, state="PROCESSING")
        try:
            data = await self.files.get(source_key(document.doc_id, generation))
        except NotFound as exc:
            raise UnreadableFile("The upload did not arrive.", "Add the file again.") from exc
        parsed = await self.parser.parse(data, document.file_name)
        # In a thread: it takes seconds for a long document, and the server's streams must not wait for it.
        ready = await asyncio.to_thread(_prepare, document, parsed, self.settings.chunk_tokens)
        if not ready.chunks:
            raise UnreadableFile(
                "The file holds no text.", "If it shows text on the screen, run text recognition (OCR) on it and add it again."
            )
        await self._publish(ready, parsed)
        log.info("document ready", extra={"doc_id": document.doc_id, "count": len(ready.chunks), "size": document.size})

    async def _publish(self, ready: _Prepared, parsed: Parsed) -> None:
        document, chunks = ready.document, ready.chunks
        await self.files.put(parsed_key(document.doc_id, document.generation), ready.packed)
        await self.index.stage(document, chunks, ready.bounds)
        if await self.index.staged(document.doc_id, document.generation) != (len(chunks), ready.digest):
            raise FootnoteError("The index did not keep all that was written.")
        async with self._flip:
            now = await self.ledger.get(SYSTEM, document.doc_id)
            if now.generation != document.generation:
                return  # a newer one is on its way and will be flipped in its turn
            await self.index.activate(document.doc_id, document.generation)
            await self.ledger.update(
                document.doc_id,
                document.generation,
                state="READY",
                active_generation=document.generation,
                reason=parsed.reason,
                remedy=parsed.remedy,
                title=document.title,
                lang=document.lang,
                format=parsed.format,
                pages=parsed.pages,
                chunks=sum(chunk.level == 2 for chunk in chunks),
            )
        if document.active_generation not in (0, document.generation):
            await self._forget_files(document.doc_id, document.active_generation)

    async def _forget_files(self, doc_id: str, generation: int) -> None:
        await self.files.delete(source_key(doc_id, generation))
        await self.files.delete(parsed_key(doc_id, generation))

    async def _fail(self, doc_id: str, generation: int, reason: str, remedy: str) -> None:
        await self.ledger.update(doc_id, generation, state="FAILED", reason=reason, remedy=remedy)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What is made of a parsed document before anything of it is written."""

    document: Document
    packed: bytes
    chunks: list[Chunk]
    bounds: list[tuple[tuple[int, int], ...]]
    """Of each chunk's sentences."""
    digest: str


def _prepare(document: Document, parsed: Parsed, max_tokens: int) -> _Prepared:
    lang = detect_language("\n".join(block.text for block in parsed.blocks))
    document = replace(document, title=parsed.title or document.title, lang=lang)
    chunks = cut(document, parsed, lang, max_tokens)
    bounds = [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks]
    digest = chunks_digest((chunk.chunk_id, chunk.text) for chunk in chunks)
    return _Prepared(document, pack(parsed), chunks, bounds, digest)


def cut(document: Document, parsed: Parsed, lang: str, max_tokens: int) -> list[Chunk]:
    """The document's chunks, each with the language it is written in."""
    chunks = chunk_document(document, parsed, max_tokens=max_tokens, lang=lang)
    return [replace(chunk, lang=detect_language(chunk.text, {lang: 1})) for chunk in chunks]
