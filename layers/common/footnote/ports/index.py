"""The index: chunks, their vectors, and searches over both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from footnote.ports.knowledge import Knowledge
from footnote.types import Caller, Candidates, Chunk, ChunkSentences, Document, KnowledgeKind, Maker, Search

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class View:
    """What a caller sees of a collection. `languages`: language → number of visible, active chunks. `groups`: the caller's
    groups that access lists in the collection name; callers with equal groups see the same chunks. `version`: the
    collection's, 0 if it does not exist. `name`: the collection's current name; `stored`: the one that never changes, which
    distinguishes it in caches from others that had its name. `attached`: ids of the documents that are searched with it, because they are
    attached to the conversation; `attached_version` grows with every change of such documents. `knowledge`: what the collection has built,
    by the settings of it."""

    version: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    groups: frozenset[str] = frozenset()
    name: str = ""
    stored: str = ""
    attached: tuple[str, ...] = ()
    attached_version: int = 0
    knowledge: Mapping[KnowledgeKind, Maker] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VectorScope:
    """The chunks whose vectors are wanted: active ones in these languages (None = all) of the collections `only` (None = all) except
    `without`. `recipe`: the version of the texts that are embedded; vectors of an earlier one are to be replaced."""

    embedder: str
    languages: frozenset[str] | None = None
    recipe: int = 0
    without: frozenset[str] = frozenset()
    only: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class PendingVector:
    """A chunk that waits for its vectors."""

    chunk_id: str
    title: str
    text: str
    lang: str
    bounds: tuple[tuple[int, int], ...]
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """The vectors of a chunk: of its text, and of each sentence, quantized to int8.

    `recipe`: the version of the texts that were embedded; it grows."""

    chunk_id: str
    vector: npt.NDArray[np.float32]
    sentences: npt.NDArray[np.int8] | None = None
    recipe: int = 0


@dataclass(frozen=True, slots=True)
class Indexed:
    """A generation of a document in the index, for reconciliation. `active`: it is the one that answers."""

    doc_id: str
    generation: int
    collection: str
    active: bool
    chunks: int


SAME_TITLE = 20
"""Documents with one title that are looked up; more would tell nothing new."""
SMALL_COLLECTION = 200
"""Virtual chunks without any term, added to the real ones when terms are weighted."""


class Index(Protocol):
    """Finds chunks on somebody's behalf, whose permissions each read checks. What a turn is given."""

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        """Two lists of at most `search.limit` visible, active chunks, best first, ties by chunk id. `coverage` counts
        visible chunks only, so that it reveals nothing about others. An unknown collection gives empty lists; an engine that
        is down raises SearchUnavailable.

        Section openings and outlines get vectors only in collections where they are searched: the first search with a vector at
        their levels makes those of its collection wanted."""

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The final permission check: the chunks that exist, are active and visible now, in the order of `chunk_ids`."""

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        """Sentences of visible chunks with their terms, and their vectors by this embedder if they are made."""

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        """log(1 + (N − n + .5)/(n + .5)) of each term, unknown terms included; n = chunks with the term,
        N = chunks + SMALL_COLLECTION, so that in a collection of one document not every term is common."""

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        """Those of the terms that visible, active chunks contain."""

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        """Title → ids of documents with visible, active chunks that have exactly this title, at most SAME_TITLE of them. Titles of one
        document may be missing."""

    async def view(self, caller: Caller, collection: str) -> View:
        """What the caller sees of the collection."""

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        """Visible, active passages (chunk level 2) from as many documents as possible, newest documents first."""

    async def questions(self, caller: Caller, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The `questions` of visible chunks that have some, for copies to another index; nothing else reads them."""


class Generations(Protocol):
    """The chunks of documents, as ingest writes them: staged under a new generation, they answer after `activate`."""

    async def stage(self, document: Document, chunks: Sequence[Chunk], bounds: Sequence[tuple[tuple[int, int], ...]]) -> None:
        """Writes a generation that is not active yet. Staging the same generation again replaces it.
        `bounds`: the sentence bounds of each chunk. The words of a chunk's `questions` find it, too."""

    async def staged(self, doc_id: str, generation: int) -> tuple[int, str]:
        """(number of chunks, `types.chunks_digest` of them) as read back from the index."""

    async def activate(self, doc_id: str, generation: int) -> bool:
        """Makes this generation the active one and deletes all earlier ones. Returns False and changes nothing if a later one
        is already active or this one was removed, also with concurrent writers."""

    async def amend(self, doc_id: str, generation: int, metadata: Mapping[str, Any]) -> None:
        """Sets these fields of the metadata of a generation's chunks, except where a chunk has a value of its own. Nothing happens to a
        generation that was removed, or is removed at the same time."""

    async def remove(self, doc_id: str, through: int) -> None:
        """Removes generations up to `through`. When this returns no query finds them, and none ever will, even if one of them
        is staged or activated later. Unknown ids are ignored."""

    def inventory(self) -> AsyncIterator[Indexed]:
        """Every generation of every document in every collection, staged ones too, ordered by doc_id, then generation."""


class Vectors(Protocol):
    """The vectors of chunks, which are made after the chunks answer."""

    async def pending(self, scope: VectorScope, limit: int, doc_id: str | None = None) -> list[PendingVector]:
        """Chunks that wait for vectors: first those without one of this embedder, then those whose vectors have an earlier recipe, which
        stay in use until `put_vectors` replaces them; each oldest first. `doc_id`: only those of this document."""

    async def put_vectors(self, embedder: str, vectors: Sequence[ChunkVectors]) -> None:
        """Stores vectors. Chunks that were deleted in the meantime are skipped."""

    async def progress(self, scope: VectorScope) -> tuple[int, int]:
        """(chunks with a vector of this recipe or a later one, chunks that should have one)."""

    async def check_copies(self, *, repair: bool) -> list[str]:
        """The names of files that hold what is stored a second time, for searches, and differ from it by now. `repair`: they are made
        again, and searches that are under way see either."""


class IndexStore(Index, Generations, Vectors, Knowledge, Protocol):
    """All of an engine's index."""

    async def close(self) -> None:
        """Closes connections and files."""


class WrappedIndex:
    """`ports.Index` that passes each read on to another one; subclasses change some of them."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        return await self._index.candidates(caller, search)

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        return await self._index.read(caller, chunk_ids)

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        return await self._index.sentences(caller, chunk_ids, embedder)

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        return await self._index.term_weights(caller, collection, terms)

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        return await self._index.known_terms(caller, collection, terms)

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        return await self._index.titled(caller, collection, titles)

    async def view(self, caller: Caller, collection: str) -> View:
        return await self._index.view(caller, collection)

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        return await self._index.sample(caller, collection, limit)

    async def questions(self, caller: Caller, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return await self._index.questions(caller, chunk_ids)
