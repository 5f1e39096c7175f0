"""Ingests a file: accept → parse → chunk → stage → read back → activate → embed.

    failure                         result
    the bytes were never stored     FAILED; add the file again
    the file cannot be read         FAILED with reason and remedy, no retry
    index, store or a defect        retried with growing delay; FAILED after MOST_ATTEMPTS
    the embedder                    stays READY, found by lexical search; embedding is retried

A document is READY when its lexical entries have been read back. Until a new generation is activated, the old one
answers. Every stage is idempotent: after a crash the job is delivered again with the same result.
Any number of processes may work concurrently: a lease keeps two from the same job, and the index refuses to activate a
generation that was removed or superseded.
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
from footnote.ingest.vectors import embed_chunks, pending_chunks
from footnote.ports import Clock, Embedder, Files, Index, Job, Ledger, NewFile, Parser, Queue
from footnote.settings import Ingest
from footnote.text.language import detect_language
from footnote.text.sentences import split_sentences
from footnote.types import Caller, Chunk, Document, Parsed, chunks_digest

log = logging.getLogger(__name__)

LEASE_S = 300.0
MOST_ATTEMPTS = 5
AHEAD = "The index contains a newer version of this file."
FIRST_RETRY_S, RETRY_GROWTH, LONGEST_RETRY_S = 5.0, 12.0, 7200.0
"""The delay before the second attempt, its growth factor, and its maximum: 5 s, 1 min, 12 min, 2 h."""

SYSTEM = Caller("system", sees_all=True)
"""The caller as which the pipeline reads documents of all owners."""


def retry_delay_s(attempt: int) -> float:
    """Seconds until a failed job is retried; 0 after the last attempt, so that it becomes a dead letter at once.

    Half of the delay is random, so that jobs that failed together are not retried together."""
    if attempt >= MOST_ATTEMPTS:
        return 0.0
    longest_s = min(FIRST_RETRY_S * RETRY_GROWTH ** (attempt - 1), LONGEST_RETRY_S)
    return random.uniform(longest_s / 2, longest_s)  # noqa: S311 (nothing secret)


@dataclass(slots=True)
class Ingestor:
    """Accepts, ingests, deletes and repairs documents."""

    ledger: Ledger
    files: Files
    queue: Queue
    index: Index
    parser: Parser
    embedder: Embedder | None
    settings: Ingest
    clock: Clock

    # --- entry points --------------------------------------------------------------------------

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
        """Stores a file and queues it; once this returns, the file is durable.

        `origin`, `version`: as in `NewFile`. `refused`: the reason to keep it as FAILED without queueing it; `data` may be
        empty then."""
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
        # Also for a known document that is not processed yet: an earlier call may have been interrupted here.
        if document.state == "RECEIVED":
            await self.files.put(source_key(document.doc_id, document.generation), data)
            if refused is None:
                await self.enqueue(document)
            else:
                await self._fail(document.doc_id, document.generation, refused.reason, refused.remedy)
                document = await self.ledger.get(SYSTEM, document.doc_id)
        return document

    async def delete(self, caller: Caller, doc_id: str) -> Document:
        """Deletes a document; once this returns, no answer uses it.

        It is first marked as deleted. A delete that fails after that can be repeated; otherwise `verify` finishes it."""
        document = await self.ledger.delete(caller, doc_id)
        await self.purge(document)
        return document

    async def purge(self, document: Document) -> None:
        """Removes everything that is left of a DELETED document."""
        await self.index.remove(document.doc_id, document.generation)
        await self._delete_files(document.doc_id, document.generation)
        await self.ledger.purge(document.doc_id)

    async def retry(self, caller: Caller, doc_id: str) -> Document:
        """Queues a FAILED document again, from the stored bytes."""
        document = await self.ledger.get(caller, doc_id)
        if document.state != "FAILED":
            return document
        await self.requeue(document)
        return await self.ledger.get(caller, doc_id)

    # --- the worker ----------------------------------------------------------------------------

    async def recover(self) -> int:
        """Queues documents that a crash left unfinished, and purges those left half deleted; returns how many were queued.

        Only for a process that works on these documents alone: existing leases are ignored."""
        unfinished = await self.ledger.unfinished()
        for document in unfinished:
            await self.requeue(document)
        for document in await self.ledger.unpurged():
            await self.purge(document)
        return len(unfinished)

    async def work_one(self, handle: Callable[[Job], Awaitable[None]] | None = None) -> bool:
        """Takes one job and processes it, by default with `self.handle`; False if no job is due."""
        job = await self.queue.take(LEASE_S)
        if job is None:
            return False
        try:
            await (handle or self.handle)(job)
        except Exception as exc:
            log.warning("ingest failed", exc_info=exc, extra={"doc_id": job.body.get("doc_id"), "count": job.attempt})
            if job.attempt < MOST_ATTEMPTS:
                await self.queue.retry(job.job_id, retry_delay_s(job.attempt))
                return True
        await self.queue.finish(job.job_id)
        return True

    async def handle(self, job: Job) -> None:
        """Processes a job. Raises errors that are to be retried; on the last attempt the document has been set to FAILED."""
        doc_id, generation = job.body["doc_id"], job.body["generation"]
        try:
            document = await self.ledger.get(SYSTEM, doc_id)
        except NotFound:  # deleted meanwhile: remove what was staged since
            await self.index.remove(doc_id, generation)
            await self._delete_files(doc_id, generation)
            return
        if document.generation != generation:
            return
        if document.state == "READY":  # another worker may have died before this clean-up
            await self._delete_files(doc_id, generation - 1)
            return
        if not await self.ledger.lease(doc_id, generation, job.owner or job.job_id, LEASE_S):
            return  # another worker holds the lease; its job is delivered again if it dies
        try:
            await self._process(document)
        except UnreadableFile as exc:
            await self._fail(doc_id, generation, exc.reason, exc.remedy)
        except Exception as exc:
            if job.attempt >= MOST_ATTEMPTS:
                reason = exc.detail if isinstance(exc, FootnoteError) else "An unexpected error occurred while this file was read."
                await self._fail(doc_id, generation, reason, "Try again; if it fails again, report the file.")
            raise

    async def embed_some(self, limit: int = 16, doc_id: str | None = None) -> int:
        """Embeds up to `limit` chunks that wait for vectors; returns how many. `doc_id`: only those of this document."""
        if self.embedder is None:
            return 0
        waiting = await pending_chunks(self.index, self.embedder, limit, doc_id)
        if waiting:
            await self.index.put_vectors(self.embedder.name, await embed_chunks(self.embedder, waiting))
        return len(waiting)

    async def enqueue(self, document: Document) -> None:
        """Queues a document for `handle`."""
        await self.queue.put({"doc_id": document.doc_id, "generation": document.generation})

    async def requeue(self, document: Document) -> None:
        """Resets a document to RECEIVED and queues it again."""
        await self.ledger.update(document.doc_id, document.generation, state="RECEIVED", reason=None, remedy=None)
        await self.enqueue(document)

    async def _process(self, document: Document) -> None:
        await self.ledger.update(document.doc_id, document.generation, state="PROCESSING")
        try:
            data = await self.files.get(source_key(document.doc_id, document.generation))
        except NotFound as exc:
            raise UnreadableFile("The upload did not arrive.", "Add the file again.") from exc
        parsed = await self.parser.parse(data, document.file_name)
        # In a thread: a long document takes seconds and must not block the server's event loop.
        ready = await asyncio.to_thread(_prepare, document, parsed, self.settings.chunk_tokens)
        if not ready.chunks:
            raise UnreadableFile(
                "The file contains no text.", "If it shows text on the screen, run text recognition (OCR) on it and add it again."
            )
        if await self._publish(ready, parsed):
            log.info("document ready", extra={"doc_id": document.doc_id, "count": len(ready.chunks), "size": document.size})

    async def _publish(self, ready: _Prepared, parsed: Parsed) -> bool:
        """Writes a document to the index and activates it; False if it was deleted or changed again meanwhile."""
        document, chunks = ready.document, ready.chunks
        doc_id, generation = document.doc_id, document.generation
        await self.files.put(parsed_key(doc_id, generation), ready.packed)
        await self.index.stage(document, chunks, ready.bounds)
        if await self.index.staged(doc_id, generation) != (len(chunks), ready.digest):
            raise FootnoteError("The index does not contain everything that was written.")
        if not await self.index.activate(doc_id, generation):
            await self.index.remove(doc_id, generation)
            await self._delete_files(doc_id, generation)
            # If the ledger has nothing newer, the index is ahead of it: the ledger was restored to an earlier state.
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
            await self._delete_files(doc_id, generation - 1)
        return current

    async def _delete_files(self, doc_id: str, through: int) -> None:
        """Deletes the files of all generations up to `through`; generations start at 1."""
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
    """A document ready to be written to the index."""

    document: Document
    packed: bytes
    chunks: list[Chunk]
    bounds: list[tuple[tuple[int, int], ...]]
    """The sentence bounds of each chunk."""
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
    """The document's chunks, each with its detected language."""
    chunks = chunk_document(document, parsed, max_tokens=max_tokens, lang=lang)
    return [replace(chunk, lang=detect_language(chunk.text, {lang: 1})) for chunk in chunks]
