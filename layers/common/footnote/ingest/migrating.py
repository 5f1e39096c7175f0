"""Makes documents again that an earlier version cut, or whose words it wrote otherwise, from the stored results of parsing.

It runs in the background, one document after the other, behind new files. Each answers all the time:

    what differs from before         what happens
    only the words for searches      the passages are written again where they are, in one step; their ids, their descriptions and
                                     citations of them stay
    the passages themselves          the next generation is made; the active one answers until it is ready
    nothing is left in the index     the document is received again: it is said that it is being read
    the newest file has FAILED       the passages of the earlier one, which answers, are written again where they are

A document is noted in the ledger when it is done, so whoever dies in the middle goes on with the rest. Settings of a collection that have
changed since are no reason to begin; a document that is made again follows them.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

from footnote.errors import FootnoteError, NotFound, UnreadableFile
from footnote.ingest import chunk
from footnote.ingest.aids import Helpers
from footnote.ingest.disagreements import AT_WORK, PAGE, read_digest
from footnote.ingest.fixed_size import FixedSize
from footnote.ingest.ingestor import LEASE_S, Ingestor
from footnote.ingest.inserted import HASHED_AS
from footnote.ingest.making import make
from footnote.ingest.prepare import Prepared
from footnote.ingest.source_file import parse_source, read_parsed
from footnote.ingest.vectors import pending_chunks
from footnote.ports import Cache, Generations, Index, Ledger
from footnote.types import SYSTEM, Document, Parsed

log = logging.getLogger(__name__)

PROGRESS = "migration"
"""The key of the progress in the cache."""
KEPT_S = 24 * 3600.0
"""How long the progress is kept; then it is looked for documents again."""
OWNER = "migrating"
"""Of the lease, in every process: whoever goes on after a kill need not wait for its end, and to write the same twice does no harm."""
VECTORS_AT_ONCE = 64
MOST_QUEUED = 500
"""Documents that one scheduled run queues, if nothing else waits."""


def is_outdated(document: Document) -> bool:
    """Whether an earlier version made the passages of the document that answer. "" = before there were names."""
    unnamed = not document.cut and not document.content_hash.startswith(HASHED_AS)
    return bool(document.active_generation) and (unnamed or chunk.rules_of(document.cut) < chunk.RULES)


async def find_outdated(ledger: Ledger, generations: Generations | None = None) -> list[str]:
    """The ids of documents to be made again, newest first. `generations`: also those whose active generation is not among them."""
    held = None if generations is None else {item.doc_id: item.generation async for item in generations.inventory() if item.active}
    return [
        each.doc_id
        async for each in _list(ledger)
        if each.state not in AT_WORK and (is_outdated(each) or (held is not None and held.get(each.doc_id, 0) != each.active_generation))
    ]


async def receive_lost(ingestor: Ingestor) -> int:
    """Receives all documents again if the index has none, because it was made anew: whoever asks is told that they are being read.
    → how many. Only for a process that works on these documents alone."""
    if not (await ingestor.lifecycle.counts()).get("READY") or [item async for item in ingestor.generations.inventory()]:
        return 0
    lost = [each async for each in _list(ingestor.ledger) if each.state == "READY"]
    for document in reversed(lost):
        await ingestor.requeue(document)
    return len(lost)


async def migrate(ingestor: Ingestor, doc_id: str) -> bool:
    """Makes a document again if an earlier version made it, or if the index does not have it. False if somebody else is at work on it."""
    try:
        document = await ingestor.ledger.get(SYSTEM, doc_id)
    except NotFound:
        return True
    generation = document.active_generation
    if not generation or document.state in AT_WORK:
        return True
    is_there = await read_digest(ingestor.generations, doc_id, generation) == document.digest
    if is_there and not is_outdated(document):
        return True
    if document.state == "READY" and not is_there:
        await ingestor.requeue(document)
        return True
    if not await ingestor.lifecycle.lease(doc_id, document.generation, OWNER, LEASE_S):
        return False
    active = replace(document, generation=generation)
    try:
        parsed, fixed = await _parsed(ingestor, active)
        settings = await ingestor.collections.get(document.collection)
        helpers = Helpers(ingestor.embedders.of(settings.embedder), apart=ingestor.apart)
        ready, _ = await make(active, parsed, fixed, settings, ingestor.settings.chunk_tokens, helpers)
    except UnreadableFile as exc:
        log.warning("document not made again", extra={"doc_id": doc_id, "reason": exc.reason})
        await ingestor.lifecycle.update(doc_id, document.generation, state=document.state)
        return True
    if document.state == "READY" and document.digest != f"{len(ready.chunks)}:{ready.digest}":
        await ingestor.lifecycle.renew(doc_id, document.generation)
        await ingestor.enqueue(await ingestor.ledger.get(SYSTEM, doc_id))
    else:
        await _write_again(ingestor, document, ready)
    return True


async def _parsed(ingestor: Ingestor, document: Document) -> tuple[Parsed, FixedSize | None]:
    is_sent = document.content_hash.startswith(HASHED_AS)
    if not is_sent and (parsed := await read_parsed(ingestor.files, document)) is not None:
        return parsed, None
    return await parse_source(ingestor.files, ingestor.parser, document)


async def _write_again(ingestor: Ingestor, document: Document, ready: Prepared) -> None:
    """Replaces the passages of the active generation, and ends the lease."""
    generations, doc_id, generation = ingestor.generations, document.doc_id, document.active_generation
    ready = await _with_descriptions(ingestor.index, ready)
    embedder = ingestor.embedders.of((await ingestor.collections.get(document.collection)).embedder)
    had_vectors = embedder is not None and not await pending_chunks(ingestor.vectors, embedder, 1, doc_id)
    await generations.stage(ready.document, ready.chunks, ready.bounds)
    if await generations.staged(doc_id, generation) != (len(ready.chunks), ready.digest):
        raise FootnoteError("The index does not contain everything that was written.")
    if not await generations.activate(doc_id, generation):  # deleted or replaced meanwhile
        await generations.remove(doc_id, generation)
        return
    digest = f"{len(ready.chunks)}:{ready.digest}"
    await ingestor.lifecycle.update(doc_id, document.generation, state=document.state, cut=ready.document.cut, digest=digest)
    log.info("document made again", extra={"doc_id": doc_id, "count": len(ready.chunks)})
    if had_vectors:  # they are in the cache
        while await ingestor.embed_some(VECTORS_AT_ONCE, doc_id):
            pass


async def _with_descriptions(index: Index, ready: Prepared) -> Prepared:
    """What a model wrote about the document and for searches, as far as its passages are the same."""
    ids = [each.chunk_id for each in ready.chunks]
    held = {each.chunk_id: each for each in await index.read(SYSTEM, ids)}
    if any(each.chunk_id not in held or held[each.chunk_id].text != each.text for each in ready.chunks):
        return ready
    asked = await index.questions(SYSTEM, ids)
    chunks = [replace(each, metadata=held[each.chunk_id].metadata, questions=asked.get(each.chunk_id, ())) for each in ready.chunks]
    shared = {name: chunks[-1].metadata.get(name, value) for name, value in ready.document.metadata.items()}
    return replace(ready, document=replace(ready.document, metadata=shared), chunks=chunks)


async def _list(ledger: Ledger) -> AsyncIterator[Document]:
    after = None
    while True:
        page = await ledger.list(SYSTEM, limit=PAGE, after=after)
        for document in page.data:
            yield document
        if not page.has_more:
            return
        after = page.last_id


@dataclass(slots=True)
class Migration:
    """The work of one process on all documents."""

    ingestor: Ingestor
    cache: Cache
    _waiting: deque[str] | None = field(default=None)

    async def step(self) -> bool:
        """Makes the next document again; False if there is none now. An error of a backend leaves it for the next call."""
        if self._waiting is None:
            found = await find_outdated(self.ingestor.ledger, self.ingestor.generations)
            if found or await documents_left(self.cache):
                await note_progress(self.cache, len(found))
            self._waiting = deque(found)
        if not self._waiting:
            return False
        doc_id = self._waiting[0]
        try:
            is_done = await migrate(self.ingestor, doc_id)
        except FootnoteError:
            raise
        except Exception as exc:  # it would fail again
            log.error("document not made again", exc_info=exc, extra={"doc_id": doc_id})
            is_done = True
        if not is_done:
            self._waiting.rotate(-1)
            return False
        self._waiting.popleft()
        await note_progress(self.cache, len(self._waiting))
        return True


async def queue_outdated(ingestor: Ingestor, cache: Cache) -> int:
    """Queues documents to be made again, a bounded number and only if nothing else waits; → how many are outdated."""
    noted = await cache.get(PROGRESS)
    if noted == _noted(0):
        return 0
    found = await find_outdated(ingestor.ledger)
    await note_progress(cache, len(found))
    if not await ingestor.queue.size():
        for doc_id in found[:MOST_QUEUED]:
            await ingestor.queue.put({"doc_id": doc_id, "migrate": True})
    return len(found)


async def note_progress(cache: Cache, left: int) -> None:
    """Notes how many documents are left, for whoever asks."""
    await cache.put(PROGRESS, _noted(left), KEPT_S)


async def documents_left(cache: Cache) -> int:
    """How many documents are still to be made again, as last noted."""
    noted = await cache.get(PROGRESS)
    return noted["left"] if noted and noted["rules"] == chunk.RULES else 0


def _noted(left: int) -> dict[str, int]:
    return {"left": left, "rules": chunk.RULES}
