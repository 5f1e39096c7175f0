"""Everything the core needs from outside, as small Protocols. Backends live in `adapters/`.

Where data is read, the `Caller` is a required argument: a read without an identity cannot be
written down. Every backend of a port, and every wrapper around one, passes the same suite in
`tests/contracts`. Methods raise errors of `footnote.errors` only.
"""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from footnote.types import (
    Caller,
    Candidates,
    Chunk,
    Document,
    Feedback,
    Message,
    Page,
    Parsed,
    Search,
    SentenceVectors,
    Turn,
    Usage,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """`languages`: language → number of chunks. `version` grows with every change that answers can see."""

    name: str
    chunks: int
    languages: Mapping[str, int]
    version: int


@dataclass(frozen=True, slots=True)
class PendingVector:
    """A chunk that waits for its vectors."""

    chunk_id: str
    title: str
    text: str
    lang: str
    bounds: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    chunk_id: str
    vector: npt.NDArray[np.float32]
    sentences: npt.NDArray[np.int8] | None = None


SMALL_COLLECTION = 200
"""Chunks without any of the terms that are taken to stand beside the real ones."""


class Index(Protocol):
    """Finds chunks. A document's chunks are staged under a new generation and answer after `activate`."""

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        """Two lists of at most `search.limit` visible, active chunks, best first, ties by chunk id.
        An unknown collection gives empty lists; a backend that is down raises SearchUnavailable."""
        ...

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The final gate: the chunks that exist, are active and visible now, in the order asked."""
        ...

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, SentenceVectors]:
        """Sentence bounds of visible chunks, and their vectors by this embedder; None where not made (yet)."""
        ...

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        """log(1 + (N − n + .5)/(n + .5)) of each term, unknown terms included; n = chunks with the term,
        N = chunks + SMALL_COLLECTION, so that the words of a single document are not all common."""
        ...

    async def info(self, collection: str) -> CollectionInfo | None: ...

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        """Visible, active passages (level 2) from as many documents as there are, newest documents first."""
        ...

    async def stage(self, document: Document, chunks: Sequence[Chunk], bounds: Sequence[tuple[tuple[int, int], ...]]) -> None:
        """Writes a generation that does not answer yet. Staging the same generation again replaces it.
        `bounds`: the sentence bounds of each chunk."""
        ...

    async def staged(self, doc_id: str, generation: int) -> tuple[int, str]:
        """(number of chunks, `types.chunks_digest` of them) as read back from the index."""
        ...

    async def activate(self, doc_id: str, generation: int) -> None:
        """This generation answers from now on, all others of the document are gone."""
        ...

    async def remove(self, doc_id: str) -> None:
        """The document answers no query from the moment this returns. Unknown ids are fine."""
        ...

    async def pending(self, embedder: str, languages: frozenset[str] | None, limit: int, doc_id: str | None = None) -> list[PendingVector]:
        """Active chunks in these languages (None = all) without a vector of this embedder, oldest first."""
        ...

    async def put_vectors(self, embedder: str, vectors: Sequence[ChunkVectors]) -> None:
        """Chunks that are gone meanwhile are skipped."""
        ...

    async def progress(self, embedder: str, languages: frozenset[str] | None) -> tuple[int, int]:
        """(chunks with a vector, chunks that should have one) over all collections."""
        ...

    async def close(self) -> None: ...


class Ledger(Protocol):
    """The documents and what became of them. A document is found by its id, its name or its content."""

    async def accept(
        self,
        caller: Caller,
        *,
        file_name: str,
        collection: str,
        permission_groups: frozenset[str],
        content_hash: str,
        size: int,
        title: str = "",
        metadata: Mapping[str, Any] | None = None,
        doc_id: str | None = None,
    ) -> tuple[Document, bool]:
        """Records a file, and tells whether there is work to do.

        Within one collection and set of groups: the same content again returns the document as it is
        (False), under whatever name; a known name with new content is the document's next generation
        (True); anything else is a new document (True). A FAILED document is tried again (True)."""
        ...

    async def get(self, caller: Caller, doc_id: str) -> Document:
        """NotFound for what does not exist, is deleted, or may not be seen."""
        ...

    async def list(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        """Newest first; `after` is the `last_id` of the page before. Deleted documents are not listed."""
        ...

    async def collections(self, caller: Caller) -> dict[str, int]:
        """Visible collection → number of visible READY documents."""
        ...

    async def reserve(self, caller: Caller, *, file_name: str, collection: str, permission_groups: frozenset[str]) -> str:
        """The id that a file of this name would get: the known document's, or a new one that is still free."""
        ...

    async def unfinished(self) -> builtins.list[Document]:
        """Documents in RECEIVED or PROCESSING, oldest first, whoever they belong to."""
        ...

    async def counts(self) -> dict[str, int]:
        """State → number of documents, over all collections; for /ready and progress, no names."""
        ...

    async def update(self, doc_id: str, generation: int, **changes: Any) -> bool:
        """Writes fields of `Document`; False (and no change) when the document moved on to another
        generation or was deleted meanwhile."""
        ...

    async def delete(self, caller: Caller, doc_id: str) -> Document:
        """State DELETED, its names free again; NotFound as in `get`."""
        ...


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """What figures need to know of a stored turn, and the feedback on it. `cited`: public chunk ids, as shown."""

    trace_id: str
    user_id: str
    room_id: str
    search_type: str
    llm: str | None
    question: str
    started_at: float
    latency_ms: int
    outcome: str | None
    is_error: bool
    usage: Usage
    cited: tuple[str, ...] = ()
    feedback: tuple[Feedback, ...] = ()


@dataclass(frozen=True, slots=True)
class Rollup:
    """The figures of one user, room and search type on one day, by name."""

    user_id: str
    room_id: str
    search_type: str
    figures: Mapping[str, float]


class TurnStore(Protocol):
    """Turns as version 3 blocks, and feedback on them."""

    async def save(self, turn: Turn, status: Literal["done", "error", "idle"]) -> None: ...

    async def get(self, caller: Caller, trace_id: str) -> dict[str, Any]:
        """The stored block of the caller's own turn; NotFound otherwise."""
        ...

    async def history(self, caller: Caller, room_id: str, dialect: str, limit: int) -> list[dict[str, Any]]:
        """The caller's finished blocks of one room and dialect, oldest first, the last `limit` of them."""
        ...

    async def put_feedback(self, caller: Caller, feedback: Feedback) -> None:
        """One per trace and user, the last one stands. NotFound for a turn that is not the caller's."""
        ...

    async def feedback(self, caller: Caller, trace_id: str) -> Feedback | None: ...

    async def records(self, caller: Caller, since: float, until: float) -> list[TurnRecord]:
        """Turns that started in [since, until) and are over, oldest first: an admin's are everybody's, with
        all feedback on them; others get their own turns and feedback."""
        ...

    async def put_rollups(self, day: str, rollups: Sequence[Rollup]) -> None:
        """These, and no others, are the roll-ups of a day (YYYY-MM-DD, UTC)."""
        ...

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        """By user, room and search type; an admin's are everybody's."""
        ...


class Cache(Protocol):
    """Values with an expiry that is checked on read. JSON-serialisable values only."""

    async def get(self, key: str) -> Any | None: ...
    async def put(self, key: str, value: Any, ttl_s: float) -> None: ...
    async def delete(self, key: str) -> None: ...


class Files(Protocol):
    """The bytes of source files, by key. Keys are made by us, never by a file's name."""

    async def put(self, key: str, data: bytes) -> None: ...
    async def get(self, key: str) -> bytes:
        """NotFound when there is none."""
        ...

    async def delete(self, key: str) -> None: ...


class Drops(Protocol):
    """Files that somebody put into a bucket."""

    async def get(self, bucket: str, key: str) -> bytes:
        """NotFound when there is none (any more)."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    job_id: str
    body: Mapping[str, Any]
    attempt: int


class Queue(Protocol):
    """Work that survives a restart. A job that was taken and neither finished nor failed comes back."""

    async def put(self, body: Mapping[str, Any]) -> str: ...
    async def take(self, lease_s: float) -> Job | None:
        """The oldest job that is due, leased; None when there is none. `attempt` counts from 1."""
        ...

    async def finish(self, job_id: str) -> None: ...
    async def retry(self, job_id: str, delay_s: float) -> None: ...
    async def size(self) -> int: ...


class Embedder(Protocol):
    """Text → unit vectors. `languages` None = all."""

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def languages(self) -> frozenset[str] | None: ...
    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """(len(texts), dimension), rows of length 1."""
        ...


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a model's reply; `usage` comes with the last one, where the provider tells it."""

    text: str = ""
    thinking: str = ""
    usage: Usage | None = None


class LanguageModel(Protocol):
    @property
    def name(self) -> str: ...

    def stream(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        first_token_s: float = 120.0,
        total_s: float = 120.0,
    ) -> AsyncIterator[Delta]:
        """Raises ModelUnavailable or ModelTimeout; nothing is retried after the first piece."""
        ...


class Parser(Protocol):
    async def parse(self, data: bytes, file_name: str) -> Parsed:
        """UnreadableFile, with a reason and a remedy for a person, for whatever cannot be read."""
        ...


class Models(Protocol):
    """Which language model answers now? What was configured, or what answers at a usual local address."""

    async def pick(self, name: str | None) -> LanguageModel | None:
        """The model called `name`, or the default one; None when there is no model at all."""
        ...


class Clock(Protocol):
    def __call__(self) -> float:
        """Seconds since the epoch."""
        ...
