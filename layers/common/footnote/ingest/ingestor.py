"""Ingests a file: accept → parse → chunk → stage → read back → activate → embed.

    failure                         result
    the bytes were never stored     FAILED; add the file again
    the file cannot be read         FAILED with reason and remedy, no retry
    index, store or a defect        retried with growing delay; FAILED after MOST_ATTEMPTS
    the embedder                    stays READY, found by lexical search; embedding is retried
    the language model              stays READY, described by patterns (`ingest.describing`)

A document is READY when its lexical entries have been read back. Until a new generation is activated, the old one
answers. Every stage is idempotent: after a crash the job is delivered again with the same result.
Any number of processes may work concurrently: a lease keeps two from the same job, and the index refuses to activate a
generation that was removed or superseded.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from footnote.collections import Collections
from footnote.collections.embedders import Embedders
from footnote.errors import FootnoteError, NotFound, UnreadableFile
from footnote.ingest.accept import check_file_name, check_groups, check_metadata, check_size
from footnote.ingest.aids import Helpers
from footnote.ingest.apart import Apart, in_thread
from footnote.ingest.collections import check_chosen, open_collection
from footnote.ingest.describe_by_model import DocumentModel
from footnote.ingest.inserted import HASHED_AS
from footnote.ingest.keys import parsed_key, source_key
from footnote.ingest.making import make, note_words
from footnote.ingest.prepare import Prepared
from footnote.ingest.retries import MOST_ATTEMPTS, retry_delay_s
from footnote.ingest.source_file import delete_files, parse_source
from footnote.ingest.vector_cache import forget_vectors
from footnote.ingest.vectors import embed_pending
from footnote.ledger import Documents, Lifecycle, Origins
from footnote.ports import Clock, Embedder, Files, Generations, Index, Job, NewFile, Parser, Queue, VectorCache, Vectors
from footnote.settings import Ingest
from footnote.types import ATTACHED, SYSTEM, Caller, DescribedBy, Document, Parsed

log = logging.getLogger(__name__)

LEASE_S, JOB_S = 300.0, 600.0  # a job goes to another worker after both
AHEAD = "The index contains a newer version of this file."  # if the ledger has nothing newer: it was restored to an earlier state


@dataclass(slots=True)
class Ingestor:
    """Accepts, ingests, deletes and repairs documents."""

    ledger: Documents
    lifecycle: Lifecycle
    origins: Origins
    files: Files
    queue: Queue
    index: Index
    generations: Generations
    vectors: Vectors
    parser: Parser
    embedder: Embedder | None
    """The default one."""
    settings: Ingest
    clock: Clock
    collections: Collections
    vector_cache: VectorCache
    model: DocumentModel | None = None
    """Whether documents are to wait for a model's description, which `ingest.describing` makes; None = none does."""
    named: Mapping[str, Embedder] = field(default_factory=dict)
    """The embedders that collections can name."""
    apart: Apart = in_thread

    @property
    def embedders(self) -> Embedders:
        """All embedders, of which each collection uses one."""
        return Embedders(self.embedder, self.named)

    # --- entry points --------------------------------------------------------------------------

    async def accept(
        self,
        caller: Caller,
        data: bytes,
        *,
        file_name: str,
        collection: str,
        permission_groups: list[str],
        title: str = "",
        owner: str | None = None,
        doc_id: str | None = None,
        chosen_id: bool = False,
        metadata: Mapping[str, Any] | None = None,
        origin: str | None = None,
        version: str = "",
        refused: UnreadableFile | None = None,
        even_deleted: bool = False,
    ) -> Document:
        """Stores a file and queues it; once this returns, the file is durable. `collection`: its name or an alias, or a `StoredName`.
        `owner`: who added it, if not the caller. `chosen_id`: `data` is from `pack_inserted`. `origin`, `version`: as in `NewFile`.
        `refused`: the reason to keep it as FAILED without queueing it; `data` may be empty. `even_deleted`: as in `open_collection`."""
        check_size(len(data), self.settings.max_file_mb)
        stored = await open_collection(self.collections, caller, collection, even_deleted=even_deleted)
        if chosen_id and doc_id is not None:
            await check_chosen(self.collections, self.ledger, caller, doc_id, stored)
        identity = data if refused is None or data else f"{origin}@{version}".encode()
        digest = await asyncio.to_thread(hashlib.sha256, identity)
        file = NewFile(
            file_name=check_file_name(file_name),
            collection=stored,
            permission_groups=await self.check_groups(caller, stored, permission_groups),
            content_hash=f"{HASHED_AS if chosen_id else ''}{digest.hexdigest()}",
            size=len(data),
            title=title,
            owner=caller.owner if owner is None else owner,
            metadata=check_metadata(metadata),
            doc_id=doc_id,
            chosen_id=chosen_id or stored == ATTACHED,
            origin=origin,
            version=version,
        )
        document, _ = await self.lifecycle.accept(caller, file)
        # Also for a known document that is not processed yet: an earlier call may have been interrupted here.
        if document.state == "RECEIVED":
            await self._remove_withdrawn(document)
            await self.files.put(source_key(document.doc_id, document.generation), data)
            if refused is None:
                await self.enqueue(document)
            else:
                await self._fail(document.doc_id, document.generation, refused.reason, refused.remedy)
                if not document.active_generation:  # nothing else removes the files of earlier ones that were refused as well
                    await delete_files(self.files, document.doc_id, document.generation - 1)
                document = await self.ledger.get(SYSTEM, document.doc_id)
        return document

    async def check_groups(self, caller: Caller, stored: str, groups: list[str]) -> frozenset[str]:
        """The permission groups of a new document, as in `accept.check_groups`. `stored`: the stored name of its collection."""
        return check_groups(groups, caller, (await self.collections.get(stored)).permission_groups)

    async def delete(self, caller: Caller, doc_id: str, *, keep: bool = False) -> Document:
        """Deletes a document; once this returns, no answer uses it. `keep`: its files stay, so that `restoring.restore` can undo it.
        It is first marked as deleted. A delete that fails after that can be repeated; otherwise the next clean-up finishes it."""
        document = await self.ledger.delete(caller, doc_id, keep=keep)
        await (self.withdraw if keep else self.purge)(document)
        return document

    async def withdraw(self, document: Document) -> None:
        """Removes a DELETED document from the index and its vectors from the cache."""
        await forget_vectors(self.vector_cache, self.index, self.embedders, document)
        await self.generations.remove(document.doc_id, document.generation)

    async def purge(self, document: Document) -> None:
        """Removes everything that is left of a DELETED document."""
        await self.withdraw(document)
        await delete_files(self.files, document.doc_id, document.generation)
        await self.lifecycle.purge(document.doc_id)

    async def retry(self, caller: Caller, doc_id: str) -> Document:
        """Queues a FAILED document again, from the stored bytes."""
        if (document := await self.ledger.get(caller, doc_id)).state == "FAILED":
            await self.requeue(document)
        return await self.ledger.get(caller, doc_id)

    async def retry_failed(self, limit: int) -> int:
        """Queues FAILED documents of all collections again, oldest first. → how many."""
        failed = await self.lifecycle.of_kind("failed", limit)
        for document in failed:
            await self.requeue(document)
        return len(failed)

    # --- the worker ----------------------------------------------------------------------------

    async def recover(self) -> int:
        """Queues documents that a crash left unfinished, recalls the jobs that it interrupted, and finishes deletions that it left half
        done; returns how many were queued. Only for a process that works on these documents alone: existing leases are ignored."""
        await self.queue.recall()
        unfinished = await self.lifecycle.of_kind("unfinished")
        for document in unfinished:
            await self.requeue(document)
        for document in await self.lifecycle.of_kind("unburied"):
            await self.purge(document)
        for document in await self.lifecycle.of_kind("kept"):
            await self.withdraw(document)
        return len(unfinished)

    async def work_one(self, handle: Callable[[Job], Awaitable[None]] | None = None) -> bool:
        """Takes one job and processes it, by default with `self.handle`; False if no job is due."""
        if (job := await self.queue.take(JOB_S)) is None:
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
            await self._clean_up(doc_id, generation)
            return
        if document.generation != generation:
            return
        if document.state == "READY":  # another worker may have died before this clean-up
            await delete_files(self.files, doc_id, generation - 1)
            return
        if not await self.lifecycle.lease(doc_id, generation, job.owner or job.job_id, LEASE_S):
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
        """Embeds chunks that wait for vectors, as `embed_pending`; returns how many."""
        used = self.embedders.used(await self.collections.directory())
        return await embed_pending(self.vectors, used, self.vector_cache, limit, doc_id)

    async def enqueue(self, document: Document) -> None:
        """Queues a document for `handle`."""
        await self.queue.put({"doc_id": document.doc_id, "generation": document.generation})

    async def requeue(self, document: Document) -> None:
        """Resets a document to RECEIVED and queues it again."""
        await self.lifecycle.update(document.doc_id, document.generation, state="RECEIVED", reason=None, remedy=None)
        await self.enqueue(document)

    async def _process(self, document: Document) -> None:
        doc_id, generation = document.doc_id, document.generation
        await self.lifecycle.update(doc_id, generation, state="PROCESSING")
        await self._remove_withdrawn(document)
        parsed, fixed = await parse_source(self.files, self.parser, document)
        settings = await self.collections.get(document.collection)
        helpers = Helpers(self.embedders.of(settings.embedder), apart=self.apart)
        try:
            ready, parsed = await make(document, parsed, fixed, settings, self.settings.chunk_tokens, helpers)
            waits = self.model is not None and self.model.is_wanted(self.settings.enrichment, settings.chunker)
            current = await self.publish(ready, parsed, "waiting" if waits else "patterns")
        except Exception:
            await note_words(self.lifecycle, self.apart, document, parsed)
            raise
        if current:
            log.info("document ready", extra={"doc_id": document.doc_id, "count": len(ready.chunks), "size": document.size})

    async def publish(self, ready: Prepared, parsed: Parsed, described_by: DescribedBy) -> bool:
        """Writes a document to the index and activates it; False if it was deleted or changed again meanwhile. A generation that is
        active already is replaced."""
        document, chunks = ready.document, ready.chunks
        doc_id, generation = document.doc_id, document.generation
        await self.files.put(parsed_key(doc_id, generation), ready.packed)
        await self.generations.stage(document, chunks, ready.bounds)
        if await self.generations.staged(doc_id, generation) != (len(chunks), ready.digest):
            raise FootnoteError("The index does not contain everything that was written.")
        await forget_vectors(self.vector_cache, self.index, self.embedders, document, ready)
        if not await self.generations.activate(doc_id, generation):
            await self._clean_up(doc_id, generation)
            await self._fail(doc_id, generation, AHEAD, "Delete the document and add the file again.")
            return False
        current = await self.lifecycle.update(
            doc_id,
            generation,
            state="READY",
            active_generation=generation,
            reason=parsed.reason,
            remedy=parsed.remedy,
            title=document.title,
            lang=document.lang,
            format=parsed.format,
            cut=document.cut,
            pages=parsed.pages,
            chunks=sum(chunk.level == 2 for chunk in chunks),
            digest=f"{len(chunks)}:{ready.digest}",
            words="",
            described_by=described_by,
        )
        if current:
            await delete_files(self.files, doc_id, generation - 1)
        return current

    async def _remove_withdrawn(self, document: Document) -> None:
        """Removes earlier generations from the index if none of them may answer any more: other people may read the document now, or
        it had been deleted."""
        if not document.active_generation and document.generation > 1:
            await self.generations.remove(document.doc_id, document.generation - 1)

    async def _clean_up(self, doc_id: str, generation: int) -> None:
        """Removes a generation that may not answer. The files of a document that can be restored stay."""
        await self.generations.remove(doc_id, generation)
        try:
            await self.ledger.find_deleted(SYSTEM, doc_id)
        except NotFound:
            await delete_files(self.files, doc_id, generation)

    async def _fail(self, doc_id: str, generation: int, reason: str, remedy: str) -> None:
        await self.lifecycle.update(doc_id, generation, state="FAILED", reason=reason, remedy=remedy)
