"""Where chunks are found."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from footnote.types import Caller, Candidates, Chunk, Document, Search, SentenceVectors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """`version` grows with every change that answers can see."""

    name: str
    chunks: int
    version: int


@dataclass(frozen=True, slots=True)
class View:
    """What somebody sees of a collection. `languages`: language → number of visible, active chunks. `groups`: those of
    theirs that an access list in it names; two people with the same ones see the same. `version`: the collection's, 0 where
    there is none: nobody learns so whether there is one."""

    version: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    groups: frozenset[str] = frozenset()


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


@dataclass(frozen=True, slots=True)
class Indexed:
    """A generation of a document as the index holds it, for reconciliation. `active`: it is the one that answers."""

    doc_id: str
    generation: int
    collection: str
    active: bool
    chunks: int


SMALL_COLLECTION = 200
"""Chunks without any of the terms that are taken to stand beside the real ones."""


class Index(Protocol):
    """Finds chunks. A document's chunks are staged under a new generation and answer after `activate`."""

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        """Two lists of at most `search.limit` visible, active chunks, best first, ties by chunk id. `coverage` counts
        visible chunks only: nobody learns of others. An unknown collection gives empty lists; a backend that is down raises
        SearchUnavailable."""
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

    async def view(self, caller: Caller, collection: str) -> View: ...

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

    async def activate(self, doc_id: str, generation: int) -> bool:
        """This generation answers from now on, all earlier ones are gone. False, and nothing changes, where a later one
        answers already or this one was removed; that holds whoever else writes at the same time."""
        ...

    async def remove(self, doc_id: str, through: int) -> None:
        """Generations up to `through` answer no query from the moment this returns, and never will again, even if one
        of them is staged or activated later. Unknown ids are fine."""
        ...

    def inventory(self) -> AsyncIterator[Indexed]:
        """Every generation of every document in every collection, staged ones too, ordered by doc_id, then generation."""
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
