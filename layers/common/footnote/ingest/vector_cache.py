"""What was embedded before is read from the vector cache: the same text again, in a new generation, in another document or collection.

    failure of the cache            result
    a read or a write               everything is embedded as without a cache; logged
    a delete                        logged; the entries expire

Vectors leave the cache with the last text that was known to need them: those of a deleted document, and those of a new
generation's predecessor that it does not contain. Those of a generation that is removed before its successor is read, because the
document's readers changed, stay for the successor, which most often has the same texts; what it does not contain, expires. If another
document contains the same text, only its next embedding costs something. Vectors are made in the background, and when
they are ready is shown to admins only. So nobody learns from how long it took that somebody else's document holds the same text.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Literal

from footnote.collections.embedders import Embedders
from footnote.errors import FootnoteError, StoreUnavailable
from footnote.ports import EmbeddedPassage, Embedder, Index, VectorCache
from footnote.text.embedded_texts import passage_of
from footnote.types import SYSTEM, Chunk, Document, make_chunk_id

if TYPE_CHECKING:
    from footnote.ingest.prepare import Prepared

log = logging.getLogger(__name__)

Role = Literal["passage", "voice"]
"""A passage is kept with its sentences, as float32 and int8, as in the index; a voice as float32: what is read is bit for bit what was
stored. A voice, which is in no document, has an entry of its own: how fast it is found tells nothing about documents."""

Bounds = Sequence[tuple[int, int]]
READ_AT_ONCE = 200
"""Chunks that are read at once from the index to find their entries."""


def vector_key(role: Role, text: str) -> bytes:
    """The key of a text's vector: 32 bytes."""
    return hashlib.sha256(f"{role}\0{text}".encode(errors="surrogatepass")).digest()


def passage_key(passage: EmbeddedPassage) -> bytes:
    """The key of a passage's vectors."""
    return vector_key("passage", f"{passage.heading}\0{passage.bounds}\0{passage.text}")


async def read_vectors(cache: VectorCache, embedder: Embedder, keys: Sequence[bytes]) -> dict[bytes, bytes] | None:
    """Key → vector, for those that are known; None if the cache cannot be read."""
    try:
        return await cache.get(embedder.name, keys)
    except StoreUnavailable as exc:
        log.warning("vector cache not read", extra={"reason": exc.detail, "count": len(keys)})
        return None


async def keep_vectors(cache: VectorCache, embedder: Embedder, vectors: Mapping[bytes, bytes]) -> None:
    """Stores vectors, unless the cache cannot be written."""
    try:
        await cache.put(embedder.name, vectors)
    except StoreUnavailable as exc:
        log.warning("vector cache not written", extra={"reason": exc.detail, "count": len(vectors)})


async def forget_voices(cache: VectorCache, texts: Sequence[str]) -> None:
    """Deletes what is kept for these voices, unless the cache cannot be written."""
    try:
        await cache.delete([vector_key("voice", text) for text in texts])
    except StoreUnavailable as exc:
        log.warning("vectors not deleted from the cache", extra={"reason": exc.detail, "count": len(texts)})


async def forget_vectors(
    cache: VectorCache, index: Index, embedders: Embedders, document: Document, successor: Prepared | None = None
) -> None:
    """Deletes what is kept for the document's active generation, except for texts that `successor` contains, too.

    To be called before the index removes the generation, so that it can be repeated after a crash. Without an embedder nothing was
    kept."""
    if not embedders.all or not document.active_generation:
        return
    try:
        old = {_key_of(chunk, bounds) async for chunk, bounds in _read_chunks(index, document)}
        if successor is not None:
            old -= set(map(_key_of, successor.chunks, successor.bounds))
        if old:
            await cache.delete(sorted(old))
    except FootnoteError as exc:
        log.warning("vectors not deleted from the cache", extra={"reason": exc.detail, "doc_id": document.doc_id})


def _key_of(chunk: Chunk, bounds: Bounds) -> bytes:
    return passage_key(passage_of(chunk.title, chunk.headings, chunk.text, bounds))


async def _read_chunks(index: Index, document: Document) -> AsyncIterator[tuple[Chunk, Bounds]]:
    """The chunks of the active generation with their sentence bounds."""
    for start in count(step=READ_AT_ONCE):
        ids = [make_chunk_id(document.doc_id, document.active_generation, start + at) for at in range(READ_AT_ONCE)]
        chunks = await index.read(SYSTEM, ids)
        sentences = await index.sentences(SYSTEM, [chunk.chunk_id for chunk in chunks], embedder="")
        for chunk in chunks:
            yield chunk, sentences[chunk.chunk_id].bounds if chunk.chunk_id in sentences else ()
        if len(chunks) < READ_AT_ONCE:
            return
