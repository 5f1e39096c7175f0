"""Verifies that bucket, ledger, index and files agree, and repairs what does not.

    kind          fault                                                     repair
    untaken       a file in the bucket has no document                      it is taken
    changed       its document is of another version of the file            it is taken
    gone          a document's file is no longer in the bucket              the document is deleted
    stray         an upload that was not announced                          –
    half_deleted  a delete stopped half-way                                 it is finished
    abandoned     received, but no worker processes it any more             queued again
    unnoticed     FAILED, but its new generation is active in the index     queued again
    missing       READY, but not in the index                               queued again
    damaged       the index does not contain what was written               queued again
    lost          missing or damaged, and its file is missing too           FAILED: add the file again
    no_text       its parsed text is missing                                queued again
    no_file       it answers, but its original file is missing              –
    orphan        in the index, but without a document                      removed
    stale         in the index, but older than the active generation        removed
    ahead         in the index, but newer than the document                 removed; FAILED: delete and add again
    left_file     a file without a document, or of an old generation        deleted
    no_vectors    READY for a while, but without all vectors                queued again
    bad_copy      a file of vectors is lost or differs from the index       made again

Other processes may work meanwhile. So the comparison only yields suspects: for each one, ledger, index and files are read
again, and only faults that persist count. Repairs are fenced by generations, like all ingest, and idempotent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from footnote.collections.embedders import Embedders
from footnote.errors import Conflict
from footnote.ingest.disagreements import AT_WORK, Progress, Suspect, find_suspects, read_digest
from footnote.ingest.drops import UPLOADS, Bucket, origin_of, upload_cache_key
from footnote.ingest.ingestor import AHEAD, LEASE_S, Ingestor
from footnote.ingest.keys import generation_of, parsed_key, source_key
from footnote.ingest.sync_plan import find_document
from footnote.ingest.vectors import embedding_progress, pending_chunks
from footnote.ledger import Lifecycle
from footnote.ports import Embedder, Files, Generations, Indexed, Ledger
from footnote.settings import Settings
from footnote.types import SYSTEM, Document, make_chunk_id

Kind = Literal[
    "untaken", "changed", "gone", "stray", "half_deleted", "abandoned", "unnoticed", "missing", "damaged", "lost", "no_text", "no_file",
    "orphan", "stale", "ahead", "left_file", "no_vectors", "bad_copy",
]  # fmt: skip

ABANDONED_S = 900.0
"""Time without a change after which a document counts as abandoned, if the queue is short."""
QUEUED_S = 24 * 3600.0
"""Time after which it counts as abandoned however long the queue is."""
MOST_PENDING = 5_000
"""Chunks without a vector that one run examines."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault. `id`: a document's id, the key of a file in the bucket or the store, or the name of a file of the index."""

    kind: Kind
    id: str
    repaired: bool


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a run. `documents`: how many there are."""

    documents: int
    findings: tuple[Finding, ...]

    @property
    def wrong(self) -> int:
        """The number of findings that were not repaired."""
        return sum(not finding.repaired for finding in self.findings)

    @property
    def counts(self) -> dict[str, int]:
        """Kind → number of findings."""
        return dict(Counter(finding.kind for finding in self.findings))


def drop_buckets(settings: Settings) -> list[str]:
    """The buckets whose files become documents. On one machine each folder in `drops` is a bucket."""
    if settings.aws.drop_bucket:
        return [settings.aws.drop_bucket]
    return sorted(path.name for path in (settings.data / "drops").glob("*") if path.is_dir())


async def verify(
    bucket: Bucket,
    buckets: Sequence[str],
    embedder: Embedder | None,
    *,
    repair: bool,
    abandoned_s: float = ABANDONED_S,
    hour: int | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Report:
    """Checks everything and, if `repair` is set, repairs it.

    `embedder`: the default one; None skips the check of vectors. `abandoned_s`: 0 if no other process works on these documents. `hour`: the
    hour of the day in a scheduled run; None reads back all texts. Conflict if the ledger is empty but the index is not."""
    run = _Run(bucket, bucket.ingestor, repair, abandoned_s, hour, progress)
    abandoned = await run.find_abandoned()
    for name in buckets:
        await run.check_bucket(name, abandoned)
    await run.check_unpurged()
    await run.check_abandoned(abandoned)
    documents = await run.check_documents()
    run.findings += [Finding("bad_copy", name, repair) for name in await bucket.ingestor.vectors.check_copies(repair=repair)]
    if embedder is not None:
        for each in Embedders(embedder, bucket.ingestor.named).all:
            await run.check_vectors(each)
    return Report(documents, tuple(run.findings))


@dataclass(slots=True)
class _Run:
    bucket: Bucket
    ingestor: Ingestor
    repair: bool
    abandoned_s: float
    hour: int | None
    progress: Progress
    findings: list[Finding] = field(default_factory=list)

    @property
    def ledger(self) -> Ledger:
        return self.ingestor.ledger

    @property
    def lifecycle(self) -> Lifecycle:
        return self.ingestor.lifecycle

    @property
    def generations(self) -> Generations:
        return self.ingestor.generations

    @property
    def files(self) -> Files:
        return self.ingestor.files

    async def _found(self, kind: Kind, what: str, repair_with: Callable[..., Awaitable[Any]] | None = None, *args: Any) -> None:
        if self.repair and repair_with is not None:
            await repair_with(*args)
        self.findings.append(Finding(kind, what, self.repair and repair_with is not None))

    async def _get(self, doc_id: str) -> Document | None:
        document = await find_document(self.ledger, doc_id)
        return document if document and document.doc_id == doc_id else None  # not found by an alias

    def _is_abandoned(self, document: Document, queued: bool) -> bool:
        """Whether no worker processes it and its job is lost. `queued`: it may still be in the queue."""
        age_s = self.ingestor.clock() - document.updated_at
        return age_s >= (QUEUED_S if queued else self.abandoned_s)

    # --- the bucket ------------------------------------------------------------------------------

    async def check_bucket(self, name: str, abandoned: dict[str, Document]) -> None:
        """Checks the objects of a bucket. Takes abandoned documents again whose object is here, as their bytes may not be stored."""
        held = await self.ingestor.origins.under(origin_of(name, ""))
        suspects, done, total = [], 0, len(held)
        async for drop in self.bucket.drops.list(name):
            self.progress("bucket", done := done + 1, max(done, total))
            if drop.key.startswith(UPLOADS):
                await self._check_upload(name, drop.key)
                continue
            known = held.pop(origin_of(name, drop.key), None)
            if known is None or known.version != drop.version or known.doc_id in abandoned:
                suspects.append(drop.key)
        for key in (*suspects, *(origin.removeprefix(origin_of(name, "")) for origin in held)):
            known, there = await self.ingestor.origins.held(origin_of(name, key)), await self.bucket.drops.head(name, key)
            if (known and known.version) != (there and there.version):
                kind: Kind = "gone" if there is None else "untaken" if known is None else "changed"
                await self._found(kind, key, self.bucket.converge, name, key)
            elif known is not None and known.doc_id in abandoned and abandoned[known.doc_id].state == "RECEIVED":
                del abandoned[known.doc_id]
                await self._found("abandoned", known.doc_id, self.bucket.converge, name, key)

    async def _check_upload(self, name: str, key: str) -> None:
        announced = await self.bucket.cache.get(upload_cache_key(key.removeprefix(UPLOADS)))
        if await self.bucket.drops.head(name, key) is not None:
            await (self._found("stray", key) if announced is None else self._found("untaken", key, self.bucket.converge, name, key))

    # --- the ledger alone ------------------------------------------------------------------------

    async def check_unpurged(self) -> None:
        for document in await self.lifecycle.of_kind("unburied"):
            if self.ingestor.clock() - document.updated_at >= self.abandoned_s:
                await self._found("half_deleted", document.doc_id, self.ingestor.purge, document)

    async def find_abandoned(self) -> dict[str, Document]:
        unfinished = await self.lifecycle.of_kind("unfinished")
        queued = await self.ingestor.queue.size() >= len(unfinished)
        return {document.doc_id: document for document in unfinished if self._is_abandoned(document, queued)}

    async def check_abandoned(self, abandoned: dict[str, Document]) -> None:
        for doc_id, document in abandoned.items():
            # A lease of length 0 changes nothing, but shows whether another process holds one.
            if await self.lifecycle.lease(doc_id, document.generation, "verify", LEASE_S if self.repair else 0.0):
                now = await self._get(doc_id)
                if now is not None and now.state in AT_WORK:
                    await self._found("abandoned", doc_id, self.ingestor.requeue, now)

    # --- ledger, index and files -----------------------------------------------------------------

    async def check_documents(self) -> int:
        """Checks ledger, index and files; returns the number of documents."""
        known, suspects = await find_suspects(self.ledger, self.lifecycle, self.generations, self.files, self.hour, self.progress)
        if not suspects:
            return len(known)
        if not any((await self.lifecycle.counts()).values()):
            raise Conflict("The ledger is empty, but the index or the files are not. Check that it is the right one. Nothing was changed.")
        # Read before the index: a document that is being deleted now is either in this list or no longer in the index.
        deleting = {document.doc_id for document in await self.lifecycle.of_kind("unburied")}
        kept = {document.doc_id: document for document in await self.lifecycle.of_kind("kept")}
        still: dict[str, list[Indexed]] = defaultdict(list)
        async for item in self.generations.inventory():
            if item.doc_id in suspects:
                still[item.doc_id].append(item)
        for done, (doc_id, suspect) in enumerate(suspects.items()):
            self.progress("suspects", done, len(suspects))
            document = await self._get(doc_id)
            if document is not None:
                await self._examine(document, suspect, still[doc_id])
            elif doc_id in kept:  # its files are to stay
                if still[doc_id] and self._is_abandoned(kept[doc_id], False):
                    await self._found("half_deleted", doc_id, self.ingestor.withdraw, kept[doc_id])
            elif doc_id not in deleting and doc_id not in known:
                if orphans := [item.generation for item in still[doc_id]]:
                    await self._found("orphan", doc_id, self.generations.remove, doc_id, max(orphans))
                await self._check_left(suspect.keys)
        return len(known)

    async def _examine(self, document: Document, suspect: Suspect, still: list[Indexed]) -> None:
        doc_id, generation, active = document.doc_id, document.generation, document.active_generation
        dead = [item.generation for item in still if item.generation in suspect.generations]
        if stale := [each for each in dead if each < active]:
            await self._found("stale", doc_id, self.generations.remove, doc_id, max(stale))
        if ahead := [each for each in dead if each > generation]:
            remedy = "The ledger may have been restored from a backup. Delete the document and add the file again."
            await self._found("ahead", doc_id, self._give_up, document, max(ahead), AHEAD, remedy)
        if ahead or (document.state not in AT_WORK and self._is_abandoned(document, False)):  # a job still deletes files after READY
            await self._check_left([key for key in suspect.keys if generation_of(key) not in (active, generation)])
        if ahead or document.state in AT_WORK:
            return
        hidden = any(item.active and active < item.generation == generation for item in still)
        kind: Kind | None = "unnoticed" if hidden else await self._fault(document) if active else None
        if kind is None:
            return
        if kind == "no_file" or (document.state == "FAILED" and not hidden):
            await self._found(kind, doc_id)  # no stored file is left to rebuild it from
        elif await self._has(source_key(doc_id, generation)):
            await self._found(kind, doc_id, self.ingestor.requeue, document)
        else:
            reason = "Its text is missing from the index, and its file is missing too."
            await self._found("lost", doc_id, self._give_up, document, generation, reason, "Add the file again.")

    async def _fault(self, document: Document) -> Kind | None:
        """The fault of an active document. None also if the document changes meanwhile: `activate` comes before READY, so a
        document that is READY before and after must be in the index."""
        doc_id, active = document.doc_id, document.active_generation
        held = await read_digest(self.generations, doc_id, active)
        answers = await self.ingestor.index.read(SYSTEM, [make_chunk_id(doc_id, active, 0)])
        kind: Kind
        if held != document.digest or not answers:
            kind = "damaged" if answers else "missing"
        elif not await self._has(source_key(doc_id, active)):
            kind = "no_file"
        elif not await self._has(parsed_key(doc_id, active)):
            kind = "no_text"
        else:
            return None
        return kind if await self._get(doc_id) == document else None

    async def _give_up(self, document: Document, through: int, reason: str, remedy: str) -> None:
        changes = {"state": "FAILED", "active_generation": 0, "digest": "", "reason": reason, "remedy": remedy}
        if await self.lifecycle.update(document.doc_id, document.generation, **changes):
            await self.generations.remove(document.doc_id, through)

    async def _has(self, key: str) -> bool:
        return any([found == key async for found in self.files.keys(key)])

    async def _check_left(self, keys: Sequence[str]) -> None:
        for key in keys:
            if await self._has(key):
                await self._found("left_file", key, self.files.delete, key)

    async def check_vectors(self, embedder: Embedder) -> None:
        done, total = await embedding_progress(self.ingestor.vectors, embedder)
        if done >= total:
            return
        queued = bool(await self.ingestor.queue.size())
        pending = await pending_chunks(self.ingestor.vectors, embedder, MOST_PENDING)
        known = {finding.id for finding in self.findings}
        for doc_id in dict.fromkeys(chunk.chunk_id.partition("|")[0] for chunk in pending):
            document = None if doc_id in known else await self._get(doc_id)
            if document is None or document.state != "READY" or not self._is_abandoned(document, queued):
                continue
            if await pending_chunks(self.ingestor.vectors, embedder, 1, doc_id):
                await self._found("no_vectors", doc_id, self.ingestor.enqueue, document)
