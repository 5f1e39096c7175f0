"""The index as everybody sees it: without deleted collections and ended attachments, and with the names that collections have now.

Every read asks the directory, which is at most a second old. So nothing of a deleted collection reaches anybody, also from a turn,
a cache or a conversation that began before, because all of these read passages here before they show them. `footnote.ledger.Documents`
applies the same to documents, by `show` and `stored_name`.
SYSTEM sees deleted collections and stored names: it is ingest, its checks and the purge, for which a document of a deleted collection is
hidden, not gone. Methods without a caller are for ingest, too.

Every method of a port is written out, so that mypy reports one that is missing here, rather than passing it on unfiltered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from footnote.collections.embedders import Embedders
from footnote.collections.names import NOT_IN_NAMES, Directory
from footnote.collections.service import Collections
from footnote.ports import Built, ChunkVectors, Index, Knowledge, Layer, LayerScope, PendingVector, Vectors, VectorScope, View
from footnote.types import ATTACHED, SYSTEM, Caller, Candidates, Chunk, ChunkSentences, Document, Search

Named = TypeVar("Named", Chunk, Document)


def stored_name(directory: Directory, name: str) -> str:
    """The stored name; one under which nothing is stored if the collection is deleted."""
    stored = directory.resolve(name)
    return f"{stored}{NOT_IN_NAMES}" if stored in directory.deleted else stored


async def show(collections: Collections, items: Sequence[Named]) -> list[Named]:
    """Drop items of deleted collections and of ended attachments; the others get the current names of their collections."""
    directory = await collections.directory()
    attached = {item.doc_id: item for item in items if item.collection == ATTACHED}
    ended = {doc_id for doc_id, item in attached.items() if not await collections.attachments.holds(item)}
    kept = [item for item in items if item.collection not in directory.deleted and item.doc_id not in ended]
    names = {item.collection: directory.name_of(item.collection) for item in kept}
    return [item if names[item.collection] == item.collection else replace(item, collection=names[item.collection]) for item in kept]


class VisibleIndex:
    """`ports.Index` that wraps another. `embedders`: those that are configured now."""

    def __init__(self, index: Index, collections: Collections, embedders: Callable[[], Embedders]) -> None:
        self._index = index
        self._collections = collections
        self._embedders = embedders

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        directory = await self._collections.directory()
        stored = stored_name(directory, search.collection)
        choice = directory.settings(stored).embedder
        if choice is not None and self._embedders().of(choice) is None:
            if not search.text:
                return Candidates()
            search = replace(search, vector=None)
        return await self._index.candidates(caller, replace(search, collection=stored))

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        found = await self._index.read(caller, chunk_ids)
        if caller == SYSTEM:
            return found
        return await show(self._collections, found)

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        if (await self._collections.directory()).deleted:  # their collections are not known here
            chunk_ids = [chunk.chunk_id for chunk in await self.read(caller, chunk_ids)]
        return await self._index.sentences(caller, chunk_ids, embedder)

    async def questions(self, caller: Caller, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        if caller != SYSTEM:
            chunk_ids = [chunk.chunk_id for chunk in await self.read(caller, chunk_ids)]
        return await self._index.questions(caller, chunk_ids)

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        return await self._index.term_weights(caller, stored_name(await self._collections.directory(), collection), terms)

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        return await self._index.known_terms(caller, stored_name(await self._collections.directory(), collection), terms)

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        return await self._index.titled(caller, stored_name(await self._collections.directory(), collection), titles)

    async def view(self, caller: Caller, collection: str) -> View:
        directory = await self._collections.directory()
        stored = stored_name(directory, collection)
        knowledge = directory.settings(stored).knowledge
        return replace(await self._index.view(caller, stored), stored=stored, name=directory.name_of(stored), knowledge=knowledge)

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        directory = await self._collections.directory()
        return await show(self._collections, await self._index.sample(caller, stored_name(directory, collection), limit))


class VisibleVectors:
    """`ports.Vectors` that wraps another. A scope also excludes the collections that have another embedder."""

    def __init__(self, vectors: Vectors, collections: Collections, embedders: Callable[[], Embedders]) -> None:
        self._vectors = vectors
        self._collections = collections
        self._embedders = embedders

    async def pending(self, scope: VectorScope, limit: int, doc_id: str | None = None) -> list[PendingVector]:
        scope = await self._narrow(scope)
        return [] if scope.only == frozenset() else await self._vectors.pending(scope, limit, doc_id)

    async def put_vectors(self, embedder: str, vectors: Sequence[ChunkVectors]) -> None:
        await self._vectors.put_vectors(embedder, vectors)

    async def progress(self, scope: VectorScope) -> tuple[int, int]:
        scope = await self._narrow(scope)
        return (0, 0) if scope.only == frozenset() else await self._vectors.progress(scope)

    async def check_copies(self, *, repair: bool) -> list[str]:
        return await self._vectors.check_copies(repair=repair)

    async def _narrow(self, scope: VectorScope) -> VectorScope:
        others, users = self._embedders().scope(scope.embedder, await self._collections.directory())
        if not others and users is None:
            return scope
        only = users if scope.only is None else scope.only if users is None else scope.only & users
        return replace(scope, without=scope.without | others, only=only)


class VisibleKnowledge:
    """`ports.Knowledge` that wraps another: nothing of deleted collections is read, and scopes have the names that collections have now."""

    def __init__(self, knowledge: Knowledge, collections: Collections) -> None:
        self._knowledge = knowledge
        self._collections = collections

    async def built(self, caller: Caller, scope: LayerScope, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        return await self._knowledge.built(caller, await self._stored(scope), chunk_ids)

    async def built_in(self, caller: Caller, scope: LayerScope) -> dict[str, bytes]:
        return await self._knowledge.built_in(caller, await self._stored(scope))

    async def keyed(self, caller: Caller, scope: LayerScope, keys: Sequence[str], limit: int) -> dict[str, tuple[str, ...]]:
        return await self._knowledge.keyed(caller, await self._stored(scope), keys, limit)

    async def unbuilt(self, scope: LayerScope, limit: int) -> list[Chunk]:
        return await self._knowledge.unbuilt(await self._stored(scope), limit)

    async def put_built(self, scope: LayerScope, built: Sequence[Built]) -> None:
        await self._knowledge.put_built(await self._stored(scope), built)

    async def drop_built(self, collection: str, layer: Layer) -> None:
        await self._knowledge.drop_built((await self._collections.directory()).resolve(collection), layer)

    async def layer_progress(self, scope: LayerScope) -> tuple[int, int]:
        return await self._knowledge.layer_progress(await self._stored(scope))

    async def _stored(self, scope: LayerScope) -> LayerScope:
        return replace(scope, collection=stored_name(await self._collections.directory(), scope.collection))
