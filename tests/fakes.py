"""Fakes of the core's ports, and builders of its data."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from footnote.ingest.parse import parse
from footnote.knowledge.late_interaction import DIMENSIONS, LENGTH
from footnote.ports import Delta, Generations, LanguageModel
from footnote.text.sentences import split_sentences
from footnote.text.tokens import query_tokens
from footnote.types import (
    Chunk,
    ChunkLevel,
    Collection,
    Document,
    Hit,
    KnowledgeKind,
    Maker,
    Message,
    ModelSource,
    Parsed,
    make_chunk_id,
)

Piece = str | Delta | Exception | asyncio.Event
"""A piece of a reply: text or a Delta is sent, an exception is raised, an event is awaited."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The arguments of one call of a model."""

    messages: tuple[Message, ...]
    options: Mapping[str, Any]


@dataclass(slots=True)
class FakeModel:
    """`ports.LanguageModel` that takes its replies from a queue."""

    replies: list[Sequence[Piece]]
    name: str = "fake"
    sent: list[Sent] = field(default_factory=list)

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        self.sent.append(Sent(tuple(messages), options))
        for piece in self.replies.pop(0):
            match piece:
                case Exception():
                    raise piece
                case asyncio.Event():
                    await piece.wait()
                case Delta():
                    yield piece
                case _:
                    yield Delta(piece)


@dataclass(slots=True)
class SameModel:
    """`ports.LanguageModel` that always gives the same reply."""

    reply: str = "It was built in 1894 [1]."
    name: str = "same"

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        yield Delta(self.reply)


@dataclass(slots=True)
class FakeModels:
    """`ports.Models` that picks the same model for every name, none, or raises an error."""

    model: LanguageModel | Exception | None = None
    asked: list[str | None] = field(default_factory=list)
    address: str | None = "http://model.test/v1"

    @property
    def source(self) -> ModelSource:
        return ModelSource("off" if self.model is None else "configured")

    async def pick(self, name: str | None) -> LanguageModel | None:
        self.asked.append(name)
        if isinstance(self.model, Exception):
            raise self.model
        return self.model


@dataclass(slots=True)
class FakeEmbedder:
    """`ports.Embedder` in which every word has a fixed direction; the vector of a text is the normalised sum of its words."""

    name: str = "fake-embedder"
    dimension: int = 16
    languages: frozenset[str] | None = frozenset({"en"})
    embedded: list[str] = field(default_factory=list)

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        self.embedded += texts
        return np.array([self.vector(text) for text in texts], np.float32).reshape(len(texts), self.dimension)

    def vector(self, text: str) -> npt.NDArray[np.float32]:
        whole = sum((self._direction(word) for word in query_tokens(text, "en")), self._direction("") / 4)
        return np.asarray(whole / np.linalg.norm(whole), np.float32)

    def _direction(self, word: str) -> npt.NDArray[np.float32]:
        digest = hashlib.sha256(word.encode()).digest() * (self.dimension // 32 + 1)
        return np.frombuffer(digest, np.int8)[: self.dimension].astype(np.float32)


class FakeTokenEmbedder(FakeEmbedder):
    """`ports.TokenEmbedder`: the vector of a token lies along an axis that its word has."""

    async def embed_tokens(self, texts: Sequence[str], *, query: bool = False) -> list[npt.NDArray[np.int8]]:
        return [self.tokens(text) for text in texts]

    def tokens(self, text: str) -> npt.NDArray[np.int8]:
        axes = [hashlib.sha256(word.encode()).digest()[0] % DIMENSIONS for word in query_tokens(text, "en")]
        return (LENGTH * np.eye(DIMENSIONS)[axes]).astype(np.int8).reshape(-1, DIMENSIONS)


class FakeVectorCache:
    """`ports.VectorCache` in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, bytes], bytes] = {}

    async def get(self, embedder: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        return {key: self.kept[embedder, key] for key in keys if (embedder, key) in self.kept}

    async def put(self, embedder: str, vectors: Mapping[bytes, bytes]) -> None:
        self.kept |= {(embedder, key): vector for key, vector in vectors.items()}

    async def delete(self, keys: Sequence[bytes]) -> None:
        for key in [each for each in self.kept if each[1] in keys]:
            del self.kept[key]

    async def close(self) -> None:
        pass


class LoopClock:
    """Advances the event loop's clock: timeouts without waiting."""

    def __init__(self) -> None:
        loop, self.ahead = asyncio.get_running_loop(), 0.0
        real = loop.time
        loop.time = lambda: real() + self.ahead  # type: ignore[method-assign]

    def advance(self, seconds: float) -> None:
        self.ahead += seconds


def make_document(doc_id: str = "plan", *, generation: int = 1, groups: Sequence[str] = ("staff",), **changes: Any) -> Document:
    known = {"title": doc_id.title(), "collection": "default", "file_name": f"{doc_id}.txt", "state": "PROCESSING", "created_at": 1.0}
    fields = {**known, "content_hash": "0" * 64, "size": 1, **changes}
    return Document(doc_id, permission_groups=frozenset(groups), generation=generation, **fields)


def make_chunk(document: Document, text: str, ordinal: int = 0, *, level: ChunkLevel = 2, lang: str = "en", **changes: Any) -> Chunk:
    fields: dict[str, Any] = {
        "permission_groups": document.permission_groups,
        "metadata": document.metadata,
        "created_at": document.created_at,
        **changes,
    }
    chunk_id = make_chunk_id(document.doc_id, document.generation, ordinal)
    return Chunk(chunk_id, document.doc_id, document.generation, ordinal, level, document.title, text, lang, document.collection, **fields)


def make_hit(text: str, doc_id: str = "plan", ordinal: int = 0, *, score: float = 1.0, cosine: float | None = None, **changes: Any) -> Hit:
    scores = {"bm25": 1.0} if cosine is None else {"bm25": 1.0, "cosine": cosine}
    return Hit(make_chunk(make_document(doc_id), text, ordinal, **changes), score, scores)


async def put_document(
    generations: Generations, document: Document, texts: Sequence[str], *, lang: str = "en", **changes: Any
) -> list[Chunk]:
    """Stages and activates a document with one chunk for each text."""
    chunks = [make_chunk(document, text, ordinal, lang=lang, **changes) for ordinal, text in enumerate(texts)]
    await generations.stage(document, chunks, [tuple(split_sentences(text, lang)) for text in texts])
    await generations.activate(document.doc_id, document.generation)
    return chunks


async def work_all(core: Any) -> None:
    """Processes the documents in the queue."""
    while await core.ingestor.work_one():
        pass


async def embed_all(core: Any) -> None:
    """Makes the vectors that are missing."""
    while await core.ingestor.embed_some():
        pass


async def switch_on(core: Any, *kinds: KnowledgeKind, collection: str = "default", maker: Maker = "rules") -> None:
    """Has the collection build these kinds of knowledge, and no others."""

    def change(now: Collection) -> Collection:
        return replace(now, settings=replace(now.settings, knowledge=dict.fromkeys(kinds, maker)))

    await core.collections.edit(collection, change, by="root")


async def build_all(core: Any) -> None:
    """Builds the knowledge that is missing."""
    while await core.knowledge_builder.build_some():
        pass


class HereParser:
    """The real parsers, in this process."""

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        return parse(data, file_name)

    async def close(self) -> None:
        """There is no process to end."""
