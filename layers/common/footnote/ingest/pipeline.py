"""A file on its way into the index: accept → parse → chunk → stage → read back → flip → vectors.

    what fails                      what becomes of the document
    the bytes were never stored     FAILED, add it again
    the file cannot be read         FAILED with reason and remedy, no retry
    index, store or a defect        back into the queue, later each time; FAILED after MOST_ATTEMPTS
    the embedder                    stays READY, found by its words; vectors are tried again

A document is READY when its lexical entries were read back. Until a new generation is flipped, the
old one answers. Every stage can be repeated: after a crash the job comes back and ends the same.
Any number of processes may work at once: a lease keeps two from the same job, and the index itself
refuses to flip what was removed or overtaken.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from footnote.errors import FootnoteError, NotFound, UnreadableFile
from footnote.ingest.accept import check_collection, check_file_name, check_groups, check_metadata, check_size
from footnote.ingest.chunk import chunk_document
from footnote.ingest.keys import FOLDERS, generation_of, parsed_key, source_key
from footnote.ingest.parsed import pack
from footnote.ingest.vectors import embed_chunks
from footnote.ports import Clock, Embedder, Files, Index, Job, Ledger, NewFile, Parser, Queue, embedded_languages
from footnote.settings import Ingest
from footnote.text.language import detect_language
from footnote.text.sentences import split_sentences
from footnote.types import Caller, Chunk, Document, Parsed, chunks_digest

log = logging.getLogger(__name__)

LEASE_S = 300.0
MOST_ATTEMPTS = 5
AHEAD = "The index holds a later state of this file."
FIRST_RETRY_S, RETRY_GROWTH, LONGEST_RETRY_S = 5.0, 12.0, 7200.0
"""Longest waits before the second attempt, and before any; they grow by the factor: 5 s, 1 min, 12 min, 2 h."""

SYSTEM = Caller("system", sees_all=True)
"""Who the pipeline reads as: it works on documents whoever they belong to."""


def retry_delay_s(attempt: int) -> float:
    """Seconds until a job that failed is tried again; 0 after the last attempt, so that it becomes a dead letter at once. Half of
    the wait is random: jobs that failed together do not come back together."""
    if attempt >= MOST_ATTEMPTS:
        return 0.0
    longest_s = min(FIRST_RETRY_S * RETRY_GROWTH ** (attempt - 1), LONGEST_RETRY_S)
    return random.uniform(longest_s / 2, longest_s)  # noqa: S311 (nothing secret)


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
        origin: str | None = None,
        version: str = "",
        refused: UnreadableFile | None = None,
    ) -> Document:
        """Stores a file and queues its work; when this returns, nothing of it can be lost. `origin`, `version`: as in
        `NewFile`. `refused`: why it is kept as FAILED and never queued; its bytes need not be known then."""
        check_size(len(data), self.settings.max_file_mb)
        identity = data if refused is None or data else f"{origin}@{version}".encode()
        digest = await asyncio.to_thread(hashlib.sha256, identity)
        file = NewFile(
            file_name=check_file_name(file_name),
            collection=check_collection(collection),
            permission_groups=check_groups(permission_groups, caller),
            content_hash=digest.hexdigest(),
            size=len(data),
            metadata=check_metadata(metadata),
            doc_id=doc_id,
            origin=origin,
            version=version,
        )
        document, _ = await self.ledger.accept(caller, file)
        # Also for a known one that is still on its way: what was interrupted here before is mended so.
        if document.state == "RECEIVED":
            await self.files.put(source_key(document.doc_id, document.generation), data)
            if refused is None:
                await self.enqueue(document)
            else:
                await self._fail(document.doc_id, document.generation, refused.reason, refused.remedy)
                document = await self.ledger.get(SYSTEM, document.doc_id)
        return document

    async def delete(self, caller: Caller, doc_id: str) -> Document:
        """The document is gone from every answer when this returns. It is marked first: a delete that fails
        half-way can be asked for again, and is finished by `verify` if nobody does."""
        document = await self.ledger.delete(caller, doc_id)
        await self.purge(document)
        return document

    async def purge(self, document: Document) -> None:
        """Removes all that is left of a DELETED document."""
        await self.index.remove(document.doc_id, document.generation)
        await self._forget_files(document.doc_id, document.generation)
        await self.ledger.purge(document.doc_id)

    async def retry(self, caller: Caller, doc_id: str) -> Document:
        """Queues a FAILED document again, from the stored bytes."""
        document = await self.ledger.get(caller, doc_id)
        if document.state != "FAILED":
            return document
        await self.renew(document)
        return await self.ledger.get(caller, doc_id)

    # --- the worker ----------------------------------------------------------------------------

    async def recover(self) -> int:
        """Queues what a crash left between the ledger and the queue; returns how many. For the one process that works
        on these documents: whatever holds a lease on them is dead."""
        unfinished = await self.ledger.unfinished()
        for document in unfinished:
            await self.renew(document)
        for document in await self.ledger.unpurged():
            await self.purge(document)
        return len(unfinished)

    async def work_one(self, handle: Callable[[Job], Awaitable[None]] | None = None) -> bool:
        """Takes one job and ends it, by default with `self.handle`; False when the queue holds none that is due."""
        job = await self.queue.take(LEASE_S)
        if job is None:
            return False
        try:
            await (handle or self.handle)(job)
        except Exception as exc:
            log.warning("ingest went wrong", exc_info=exc, extra={"doc_id": job.body.get("doc_id"), "count": job.attempt})
            if job.attempt < MOST_ATTEMPTS:
                await self.queue.retry(job.job_id, retry_delay_s(job.attempt))
                return True
        await self.queue.finish(job.job_id)
        return True

    async def handle(self, job: Job) -> None:
        """Ends a job. Raises what is to be tried again; after MOST_ATTEMPTS the document is FAILED by then."""
        doc_id, generation = job.body["doc_id"], job.body["generation"]
        try:
            document = await self.ledger.get(SYSTEM, doc_id)
        except NotFound:  # deleted meanwhile: what was staged since goes too
            await self.index.remove(doc_id, generation)
            await self._forget_files(doc_id, generation)
            return
        if document.generation != generation:
            return
        if document.state == "READY":  # by somebody who may have died before the last of it
            await self._forget_files(doc_id, generation - 1)
            return
        if not await self.ledger.lease(doc_id, generation, job.owner or job.job_id, LEASE_S):
            return  # somebody else's job does this, and comes back if they die
        try:
            await self._process(document)
        except UnreadableFile as exc:
            await self._fail(doc_id, generation, exc.reason, exc.remedy)
        except Exception as exc:
            if job.attempt >= MOST_ATTEMPTS:
                reason = exc.detail if isinstance(exc, FootnoteError) else "Something went wrong while this file was read."
                await self._fail(doc_id, generation, reason, "Try again; if it fails again, report the file.")
            raise

    async def embed_some(self, limit: int = 16, doc_id: str | None = None) -> int:
        """Makes the vectors of up to `limit` chunks; returns how many were made. `doc_id`: of this document only."""
        if self.embedder is None:
            return 0
        waiting = await self.index.pending(self.embedder.name, embedded_languages(self.embedder), limit, doc_id)
        if waiting:
            await self.index.put_vectors(self.embedder.name, await embed_chunks(self.embedder, waiting))
        return len(waiting)

    async def enqueue(self, document: Document) -> None:
        await self.queue.put({"doc_id": document.doc_id, "generation": document.generation})

    async def renew(self, document: Document) -> None:
        """Queues a document as if it had just come."""
        await self.ledger.update(document.doc_id, document.generation, state="RECEIVED", reason=None, remedy=None)
        await self.enqueue(document)

    async def _process(self, document: Document) -> None:
        await self.ledger.update(document.doc_id, document.generation, state="PROCESSING")
        try:
            data = await self.files.get(source_key(document.doc_id, document.generation))
        except NotFound as exc:
            raise UnreadableFile("The upload did not arrive.", "Add the file again.") from exc
        parsed = await self.parser.parse(data, document.file_name)
        # In a thread: it takes seconds for a long document, and the server's streams must not wait for it.
        ready = await asyncio.to_thread(_prepare, document, parsed, self.settings.chunk_tokens)
        if not ready.chunks:
            raise UnreadableFile(
                "The file holds no text.", "If it shows text on the screen, run text recognition (OCR) on it and add it again."
            )
        if await self._publish(ready, parsed):
            log.info("document ready", extra={"doc_id": document.doc_id, "count": len(ready.chunks), "size": document.size})

    async def _publish(self, ready: _Prepared, parsed: Parsed) -> bool:
        """False where the document was deleted or changed again meanwhile."""
        document, chunks = ready.document, ready.chunks
        doc_id, generation = document.doc_id, document.generation
        await self.files.put(parsed_key(doc_id, generation), ready.packed)
        await self.index.stage(document, chunks, ready.bounds)
        if await self.index.staged(doc_id, generation) != (len(chunks), ready.digest):
            raise FootnoteError("The index did not keep all that was written.")
        if not await self.index.activate(doc_id, generation):
            await self.index.remove(doc_id, generation)
            await self._forget_files(doc_id, generation)
            # Where the ledger knows of nothing newer, the index is ahead of it: it was restored to an earlier state.
            await self._fail(doc_id, generation, AHEAD, "Delete the document and add the file again.")
            return False
        current = await self.ledger.update(
            doc_id,
            generation,
            state="READY",
            active_generation=generation,
            reason=parsed.reason,
            remedy=parsed.remedy,
            title=document.title,
            lang=document.lang,
            format=parsed.format,
            pages=parsed.pages,
            chunks=sum(chunk.level == 2 for chunk in chunks),
            digest=f"{len(chunks)}:{ready.digest}",
        )
        if current:
            await self._forget_files(doc_id, generation - 1)
        return current

    async def _forget_files(self, doc_id: str, through: int) -> None:
        """Of all generations up to this one; they count from 1."""
        if through == 0:
            return
        for folder in FOLDERS:
            found = [key async for key in self.files.keys(f"{folder}/{doc_id}/")]
            for key in found:
                if generation_of(key) <= through:
                    await self.files.delete(key)

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
    metadata = {"file_name": document.file_name, **document.metadata}
    document = replace(document, title=parsed.title or document.title, lang=lang, metadata=metadata)
    chunks = cut(document, parsed, lang, max_tokens)
    bounds = [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks]
    digest = chunks_digest((chunk.chunk_id, chunk.text) for chunk in chunks)
    return _Prepared(document, pack(parsed), chunks, bounds, digest)


def cut(document: Document, parsed: Parsed, lang: str, max_tokens: int) -> list[Chunk]:
    """The document's chunks, each with the language it is written in."""
    chunks = chunk_document(document, parsed, max_tokens=max_tokens, lang=lang)
    return [replace(chunk, lang=detect_language(chunk.text, {lang: 1})) for chunk in chunks]
