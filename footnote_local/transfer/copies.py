"""Reads and writes copies of documents, with the ports alone: a copy may come from any engine and go to any other.

A document is read as it answers: its active generation, also if a newer version of its file waits or has failed. A document that does
not answer yet is copied as its file alone, and read again where it arrives.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from footnote.bootstrap import Core
from footnote.errors import Conflict, NotFound
from footnote.ingest.inserted import HASHED_AS
from footnote.ingest.keys import parsed_key, source_key
from footnote.ingest.vectors import RECIPE, pending_chunks, scope_of
from footnote.ports import ChunkVectors, Name
from footnote.types import SYSTEM, Chunk, ChunkSentences, Document, StoredName, chunks_digest, make_chunk_id

PAGE = 500
READ_AT_ONCE = 200
"""Chunks that are read at once."""
TRIES = 3
"""How often a document that changes while it is read is read again."""

Bounds = tuple[tuple[int, int], ...]
Result = Literal["added", "queued", "there", "differs", "deleted"]
"""added: as it was. queued: its file is read again. there: it was there already. differs, deleted: a document with this id has another
content or collection, or was deleted; it stays as it is."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A document with everything that was made from it. `vectors`: None for a chunk without current ones."""

    document: Document
    names: Sequence[Name] = ()
    source: bytes | None = None
    parsed: bytes | None = None
    chunks: Sequence[Chunk] = ()
    bounds: Sequence[Bounds] = ()
    vectors: Sequence[ChunkVectors | None] = ()

    @property
    def shared_metadata(self) -> dict[str, Any]:
        """The metadata that all passages have; each may have more, such as the date of a customer's voice."""
        first, *others = [chunk.metadata for chunk in self.chunks] or [{}]
        return {name: value for name, value in first.items() if all(name in other and other[name] == value for other in others)}


async def list_documents(core: Core, stored: StoredName) -> list[str]:
    """The ids of a collection's documents, oldest first."""
    doc_ids: list[str] = []
    after = None
    while True:
        page = await core.ledger.list(SYSTEM, collection=stored, limit=PAGE, after=after)
        doc_ids += [document.doc_id for document in page.data]
        if not page.has_more:
            return doc_ids[::-1]
        after = page.last_id


async def has_old_vectors(core: Core) -> bool:
    """Whether some vectors are of an earlier recipe, so that each document has to be checked."""
    for embedder in core.embedders.all:
        of_any, of_this = [(await core.vectors.progress(replace(scope_of(embedder), recipe=n)))[0] for n in (0, RECIPE)]
        if of_any != of_this:
            return True
    return False


async def read_copies(core: Core, doc_ids: Sequence[str]) -> AsyncIterator[Copy]:
    """The documents, without those deleted meanwhile."""
    check_recipe = await has_old_vectors(core)
    for doc_id in doc_ids:
        copy = await read_copy(core, doc_id, check_recipe)
        if copy is not None:
            yield copy


async def read_copy(core: Core, doc_id: str, check_recipe: bool) -> Copy | None:
    """None for a deleted document. Conflict if it keeps changing, or if its passages are missing from the index."""
    for _ in range(TRIES):
        try:
            document = await core.ledger.get(SYSTEM, doc_id)
        except NotFound:
            return None
        generation = document.active_generation or document.generation
        names = await core.origins.names(doc_id)
        source, parsed = await _file(core, source_key(doc_id, generation)), await _file(core, parsed_key(doc_id, generation))
        if not document.active_generation:
            return Copy(document, names, source)
        chunks, bounds, vectors = await _read_chunks(core, document, check_recipe)
        if f"{len(chunks)}:{chunks_digest((chunk.chunk_id, chunk.text) for chunk in chunks)}" == document.digest:
            return Copy(_as_it_answers(document, source), names, source, parsed, chunks, bounds, vectors)
    raise Conflict(
        f"The document {doc_id} changes all the time or is damaged in the index. Run `footnote verify --repair`, then try again."
    )


def _as_it_answers(document: Document, source: bytes | None) -> Document:
    """The document without its newest version, if that does not answer. The newest file, added again, counts as changed."""
    if document.state == "READY":
        return document
    digest = hashlib.sha256(source or b"").hexdigest()
    content_hash = f"{HASHED_AS if document.content_hash.startswith(HASHED_AS) else ''}{digest}"
    active = document.active_generation
    return replace(
        document, state="READY", generation=active, content_hash=content_hash, size=len(source or b""), reason=None, remedy=None
    )  # fmt: skip


async def _file(core: Core, key: str) -> bytes | None:
    try:
        return await core.files.get(key)
    except NotFound:
        return None


async def _read_chunks(core: Core, document: Document, check_recipe: bool) -> tuple[list[Chunk], list[Bounds], list[ChunkVectors | None]]:
    chunks: list[Chunk] = []
    bounds: list[Bounds] = []
    vectors: list[ChunkVectors | None] = []
    embedder = await core.document_embedder(document.collection)
    old: set[str] = set()
    if check_recipe and embedder is not None:
        old = {item.chunk_id for item in await pending_chunks(core.vectors, embedder, 2**31, document.doc_id)}
    while len(chunks) % READ_AT_ONCE == 0:
        ids = [make_chunk_id(document.doc_id, document.active_generation, len(chunks) + at) for at in range(READ_AT_ONCE)]
        read = await core.index.read(SYSTEM, ids)
        if not read:
            break
        sentences = await core.index.sentences(SYSTEM, [chunk.chunk_id for chunk in read], embedder.name if embedder else "")
        questions = await core.index.questions(SYSTEM, [chunk.chunk_id for chunk in read])
        for chunk in read:
            passage = sentences.get(chunk.chunk_id, ChunkSentences(()))
            chunks.append(replace(chunk, questions=questions.get(chunk.chunk_id, ())))
            bounds.append(passage.bounds)
            is_current = passage.passage is not None and chunk.chunk_id not in old
            vectors.append(ChunkVectors(chunk.chunk_id, passage.passage, passage.vectors, RECIPE) if is_current else None)  # type: ignore[arg-type]
    return chunks, bounds, vectors


async def write_copy(core: Core, copy: Copy) -> Result:
    """Adds a document as it was. It can be repeated after it was killed; a document that was written half answers nothing until it is
    whole. The vectors must be of the embedder of the target's collection, or None."""
    document = copy.document
    doc_id, generation = document.doc_id, document.active_generation if copy.chunks else document.generation
    there = await _there(core, doc_id)
    if there is not None and (there.content_hash, there.collection) != (document.content_hash, document.collection):
        return "differs"
    if there is not None and there.state != "PROCESSING":
        return "there"
    if copy.source is not None:
        await core.files.put(source_key(doc_id, generation), copy.source)
    if not copy.chunks:
        waiting = replace(document, active_generation=0, state="FAILED" if document.state == "FAILED" else "RECEIVED")
        if not await core.lifecycle.restore(waiting, copy.names):
            return "deleted"
        if waiting.state == "RECEIVED":
            await core.ingestor.enqueue(waiting)
        return "added" if waiting.state == "FAILED" else "queued"
    if copy.parsed is not None:
        await core.files.put(parsed_key(doc_id, generation), copy.parsed)
    beginning = replace(document, state="PROCESSING", generation=generation, active_generation=0)
    if there is None and not await core.lifecycle.restore(beginning, copy.names):
        return "deleted"
    await write_to_index(core, copy)
    await core.lifecycle.update(doc_id, generation, state="READY", active_generation=generation)
    return "added"


async def write_to_index(core: Core, copy: Copy) -> None:
    """Writes a document's passages and vectors to the index, reads them back and activates them."""
    document, shown = copy.document, copy.chunks[0]
    generation = shown.generation
    chunks = [replace(chunk, collection=document.collection) for chunk in copy.chunks]
    indexed = replace(
        document, title=shown.title, metadata=copy.shared_metadata, created_at=shown.created_at, generation=generation,
        permission_groups=shown.permission_groups,
    )  # fmt: skip
    await core.generations.stage(indexed, chunks, copy.bounds)
    expected = len(chunks), chunks_digest((chunk.chunk_id, chunk.text) for chunk in chunks)
    is_whole = await core.generations.staged(document.doc_id, generation) == expected
    if not (is_whole and await core.generations.activate(document.doc_id, generation)):
        raise Conflict(f"The index refused the document {document.doc_id}: it holds or held a newer version of it. Delete it there first.")
    made = [vector for vector in copy.vectors if vector is not None]
    if made and (embedder := await core.document_embedder(document.collection)) is not None:
        await core.vectors.put_vectors(embedder.name, made)


async def _there(core: Core, doc_id: str) -> Document | None:
    try:
        return await core.ledger.get(SYSTEM, doc_id)
    except NotFound:
        return None
