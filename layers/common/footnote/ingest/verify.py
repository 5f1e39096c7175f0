"""Do bucket, ledger, index and files say the same? What does not fit is looked at again, and then mended.

    kind          what is wrong                                             what mends it
    untaken       a file in the bucket became no document                   it is taken
    changed       … or the document of another version of it                it is taken
    gone          a document's file has left the bucket                     the document is deleted
    stray         an upload that nobody announced                           –
    half_deleted  a delete stopped half-way                                 it is finished
    abandoned     received, and nobody works on it any more                 queued again
    unnoticed     FAILED, though the index answers with it                  queued again
    missing       READY, and does not answer                                queued again
    damaged       the index does not hold what was read back                queued again
    lost          missing or damaged, and its file is gone too              FAILED: add the file again
    no_text       what was read of it is gone                               queued again
    no_file       it answers, but the file it was read from is gone         –
    orphan        in the index, but no document                             removed
    stale         in the index, but older than what answers                 removed
    ahead         in the index, but newer than the document                 removed; FAILED: delete and add again
    left_file     a file of no document, or of a generation that is over    deleted
    no_vectors    READY for a while, without all vectors                    queued again

Others may work meanwhile. So the comparison of everything only says whom to suspect: of each suspect ledger, index and
files are read once more, and it counts only what is still so. What repairs is fenced by generations, like all ingest,
and once more does no harm.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from footnote.errors import Conflict, NotFound
from footnote.ingest.drops import UPLOADS, Bucket, origin_of, upload_promise
from footnote.ingest.keys import generation_of, parsed_key, source_key
from footnote.ingest.pipeline import AHEAD, LEASE_S, SYSTEM, Ingestor
from footnote.ingest.suspects import AT_WORK, Progress, Suspect, find_suspects, read_digest
from footnote.ports import Embedder, Files, Index, Indexed, Ledger, embedded_languages
from footnote.settings import Settings
from footnote.types import Document, make_chunk_id

Kind = Literal[
    "untaken", "changed", "gone", "stray", "half_deleted", "abandoned", "unnoticed", "missing", "damaged", "lost", "no_text", "no_file",
    "orphan", "stale", "ahead", "left_file", "no_vectors",
]  # fmt: skip

ABANDONED_S = 900.0
"""After so long without a change nobody works on a document any more, if the queue is empty too."""
QUEUED_S = 24 * 3600.0
"""After so long it is not in the queue any more either, however much waits there."""
MOST_PENDING = 5_000
"""Chunks without a vector that one run looks at."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`id`: of a document; of a file in the bucket or in the store, its key."""

    kind: Kind
    id: str
    repaired: bool


@dataclass(frozen=True, slots=True)
class Report:
    documents: int
    findings: tuple[Finding, ...]

    @property
    def wrong(self) -> int:
        """What was found and not repaired."""
        return sum(not finding.repaired for finding in self.findings)

    @property
    def counts(self) -> dict[str, int]:
        return dict(Counter(finding.kind for finding in self.findings))


def drop_buckets(settings: Settings) -> list[str]:
    """Whose files have to be documents. On one machine each folder below `drops` is a bucket."""
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
    """`embedder`: None where vectors are nobody's business here. `abandoned_s`: 0 where nobody else works on these documents.
    `hour`: of the day, in a run of the schedule; without it every text is read back."""
    run = _Run(bucket, bucket.ingestor, repair, abandoned_s, hour, progress)
    abandoned = await run.find_abandoned()
    for name in buckets:
        await run.check_bucket(name, abandoned)
    await run.check_unpurged()
    await run.check_abandoned(abandoned)
    documents = await run.check_documents()
    if embedder is not None:
        await run.check_vectors(embedder)
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
    def index(self) -> Index:
        return self.ingestor.index

    @property
    def files(self) -> Files:
        return self.ingestor.files

    async def _found(self, kind: Kind, what: str, mend: Callable[..., Awaitable[Any]] | None = None, *args: Any) -> None:
        if self.repair and mend is not None:
            await mend(*args)
        self.findings.append(Finding(kind, what, self.repair and mend is not None))

    async def _get(self, doc_id: str) -> Document | None:
        try:
            document = await self.ledger.get(SYSTEM, doc_id)
        except NotFound:
            return None
        return document if document.doc_id == doc_id else None  # an alias is no document of its own

    def _is_left(self, document: Document, queued: bool) -> bool:
        """Nobody works on it, and its job is lost. `queued`: it may still be in the queue."""
        age_s = self.ingestor.clock() - document.updated_at
        return age_s >= (QUEUED_S if queued else self.abandoned_s)

    # --- the bucket ------------------------------------------------------------------------------

    async def check_bucket(self, name: str, abandoned: dict[str, Document]) -> None:
        """Of `abandoned` it takes what lies in this bucket: the bytes may never have been stored."""
        held = await self.ledger.origins(origin_of(name, ""))
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
            known, there = await self.ledger.held(origin_of(name, key)), await self.bucket.drops.head(name, key)
            if (known and known.version) != (there and there.version):
                kind: Kind = "gone" if there is None else "untaken" if known is None else "changed"
                await self._found(kind, key, self.bucket.converge, name, key)
            elif known is not None and known.doc_id in abandoned and abandoned[known.doc_id].state == "RECEIVED":
                del abandoned[known.doc_id]
                await self._found("abandoned", known.doc_id, self.bucket.converge, name, key)

    async def _check_upload(self, name: str, key: str) -> None:
        announced = await self.bucket.cache.get(upload_promise(key.removeprefix(UPLOADS)))
        if await self.bucket.drops.head(name, key) is not None:
            await (self._found("stray", key) if announced is None else self._found("untaken", key, self.bucket.converge, name, key))

    # --- the ledger alone ------------------------------------------------------------------------

    async def check_unpurged(self) -> None:
        for document in await self.ledger.unpurged():
            if self.ingestor.clock() - document.updated_at >= self.abandoned_s:
                await self._found("half_deleted", document.doc_id, self.ingestor.purge, document)

    async def find_abandoned(self) -> dict[str, Document]:
        unfinished = await self.ledger.unfinished()
        queued = await self.ingestor.queue.size() >= len(unfinished)
        return {document.doc_id: document for document in unfinished if self._is_left(document, queued)}

    async def check_abandoned(self, abandoned: dict[str, Document]) -> None:
        for doc_id, document in abandoned.items():
            # A lease of no length changes nothing, and tells whether somebody has one.
            if await self.ledger.lease(doc_id, document.generation, "verify", LEASE_S if self.repair else 0.0):
                now = await self._get(doc_id)
                if now is not None and now.state in AT_WORK:
                    await self._found("abandoned", doc_id, self.ingestor.renew, now)

    # --- ledger, index and files -----------------------------------------------------------------

    async def check_documents(self) -> int:
        """→ how many documents there are."""
        known, suspects = await find_suspects(self.ledger, self.index, self.files, self.hour, self.progress)
        if not suspects:
            return len(known)
        if not any((await self.ledger.counts()).values()):
            raise Conflict("The ledger holds nothing at all, the index and the files do. Is this the right ledger? Nothing was changed.")
        # Before the index: what is being deleted now is either in the first or not in the second.
        deleting = {document.doc_id for document in await self.ledger.unpurged()}
        still: dict[str, list[Indexed]] = defaultdict(list)
        async for item in self.index.inventory():
            if item.doc_id in suspects:
                still[item.doc_id].append(item)
        for done, (doc_id, suspect) in enumerate(suspects.items()):
            self.progress("suspects", done, len(suspects))
            document = await self._get(doc_id)
            if document is not None:
                await self._examine(document, suspect, still[doc_id])
            elif doc_id not in deleting and doc_id not in known:
                orphans = [item.generation for item in still[doc_id]]
                if orphans:
                    await self._found("orphan", doc_id, self.index.remove, doc_id, max(orphans))
                await self._check_left(suspect.keys)
        return len(known)

    async def _examine(self, document: Document, suspect: Suspect, still: list[Indexed]) -> None:
        doc_id, generation, active = document.doc_id, document.generation, document.active_generation
        dead = [item.generation for item in still if item.generation in suspect.generations]
        if stale := [each for each in dead if each < active]:
            await self._found("stale", doc_id, self.index.remove, doc_id, max(stale))
        ahead = [each for each in dead if each > generation]
        if ahead:
            remedy = "Was the ledger restored from a copy? Delete the document and add the file again."
            await self._found("ahead", doc_id, self._give_up, document, max(ahead), AHEAD, remedy)
        if ahead or (document.state not in AT_WORK and self._is_left(document, False)):  # a job tidies up after READY
            await self._check_left([key for key in suspect.keys if generation_of(key) not in (active, generation)])
        if ahead or document.state in AT_WORK:
            return
        hidden = any(item.active and active < item.generation == generation for item in still)
        kind: Kind | None = "unnoticed" if hidden else await self._fault(document) if active else None
        if kind is None:
            return
        if kind == "no_file" or (document.state == "FAILED" and not hidden):
            await self._found(kind, doc_id)  # what answers has no other copy to be read again
        elif await self._has(source_key(doc_id, generation)):
            await self._found(kind, doc_id, self.ingestor.renew, document)
        else:
            reason = "Its text was lost from the index, and the file is gone too."
            await self._found("lost", doc_id, self._give_up, document, generation, reason, "Add the file again.")

    async def _fault(self, document: Document) -> Kind | None:
        """None also where the document changes at this moment: `activate` comes before READY, so whoever is READY
        before and after does answer."""
        doc_id, active = document.doc_id, document.active_generation
        held, answers = await read_digest(self.index, doc_id, active), await self.index.read(SYSTEM, [make_chunk_id(doc_id, active, 0)])
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
        if await self.ledger.update(document.doc_id, document.generation, **changes):
            await self.index.remove(document.doc_id, through)

    async def _has(self, key: str) -> bool:
        return any([found == key async for found in self.files.keys(key)])

    async def _check_left(self, keys: Sequence[str]) -> None:
        for key in keys:
            if await self._has(key):
                await self._found("left_file", key, self.files.delete, key)

    # --- vectors ---------------------------------------------------------------------------------

    async def check_vectors(self, embedder: Embedder) -> None:
        done, total = await self.index.progress(embedder.name, embedded_languages(embedder))
        if done >= total:
            return
        queued = bool(await self.ingestor.queue.size())
        pending = await self.index.pending(embedder.name, embedded_languages(embedder), MOST_PENDING)
        known = {finding.id for finding in self.findings}
        for doc_id in dict.fromkeys(chunk.chunk_id.partition("|")[0] for chunk in pending):
            document = None if doc_id in known else await self._get(doc_id)
            if document is None or document.state != "READY" or not self._is_left(document, queued):
                continue
            if await self.index.pending(embedder.name, embedded_languages(embedder), 1, doc_id):
                await self._found("no_vectors", doc_id, self.ingestor.enqueue, document)
