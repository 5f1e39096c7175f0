"""The index and the ledger as everybody sees them: without deleted collections, and with the names that collections have now.

Every read asks the directory, which is at most a second old. So nothing of a deleted collection reaches anybody, also from a turn,
a cache or a conversation that began before, because all of these read passages and documents here before they show them.
So does an attachment disappear whose record is gone, and none is ever listed or counted.
SYSTEM is not anybody: ingest, its checks and the purge see deleted collections and stored names, because a document of a deleted
collection is hidden, not gone. Nor do methods without a caller read for anybody: they are of ingest.

Every method of a port is written out, so that one that is new there is missing here, rather than passed on unfiltered.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from footnote.collections.embedders import Embedders
from footnote.collections.names import NOT_IN_NAMES, Directory
from footnote.collections.service import Collections
from footnote.errors import NotFound
from footnote.ports import ChunkVectors, Held, Index, Ledger, Name, NewFile, PendingVector, Target, Vectors, VectorScope, View
from footnote.types import ATTACHED, SYSTEM, Caller, Candidates, Chunk, ChunkSentences, Document, Page, Search

UNKNOWN = "There is no such document."

Named = TypeVar("Named", Chunk, Document)


def _find(directory: Directory, name: str) -> str:
    """The stored name; one under which nothing is stored if the collection is deleted."""
    stored = directory.resolve(name)
    return f"{stored}{NOT_IN_NAMES}" if stored in directory.deleted else stored


async def _show(collections: Collections, items: Sequence[Named]) -> list[Named]:
    """Those that are neither of deleted collections nor of attachments that have ended, with the names that their collections have now."""
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
        stored = _find(directory, search.collection)
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
        return await _show(self._collections, found)

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        if (await self._collections.directory()).deleted:  # their collections are not known here
            chunk_ids = [chunk.chunk_id for chunk in await self.read(caller, chunk_ids)]
        return await self._index.sentences(caller, chunk_ids, embedder)

    async def questions(self, caller: Caller, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        if caller != SYSTEM:
            chunk_ids = [chunk.chunk_id for chunk in await self.read(caller, chunk_ids)]
        return await self._index.questions(caller, chunk_ids)

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        return await self._index.term_weights(caller, _find(await self._collections.directory(), collection), terms)

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        return await self._index.known_terms(caller, _find(await self._collections.directory(), collection), terms)

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        return await self._index.titled(caller, _find(await self._collections.directory(), collection), titles)

    async def view(self, caller: Caller, collection: str) -> View:
        directory = await self._collections.directory()
        stored = _find(directory, collection)
        return replace(await self._index.view(caller, stored), stored=stored, name=directory.name_of(stored))

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        directory = await self._collections.directory()
        return await _show(self._collections, await self._index.sample(caller, _find(directory, collection), limit))


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


class VisibleLedger:
    """`ports.Ledger` that wraps another. Writes take stored names."""

    def __init__(self, ledger: Ledger, collections: Collections) -> None:
        self._ledger = ledger
        self._collections = collections

    async def get(self, caller: Caller, doc_id: str) -> Document:
        document = await self._ledger.get(caller, doc_id)
        if caller == SYSTEM:
            return document
        found = await _show(self._collections, [document])
        if not found:
            raise NotFound(UNKNOWN)
        return found[0]

    async def delete(self, caller: Caller, doc_id: str, *, keep: bool = False) -> Document:
        try:
            document = await self._ledger.get(caller, doc_id)
        except NotFound:  # or half deleted, which is repeated
            return await self._ledger.delete(caller, doc_id, keep=keep)
        if caller != SYSTEM and not await _show(self._collections, [document]):
            raise NotFound(UNKNOWN)
        return await self._ledger.delete(caller, doc_id, keep=keep)

    async def deleted(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        stored = None if collection is None else _find(await self._collections.directory(), collection)
        page = await self._ledger.deleted(caller, collection=stored, limit=limit, after=after)
        return replace(page, data=tuple(await _show(self._collections, page.data)))

    async def find_deleted(self, caller: Caller, doc_id: str) -> Document:
        document = await self._ledger.find_deleted(caller, doc_id)
        if caller != SYSTEM and not await _show(self._collections, [document]):
            raise NotFound(UNKNOWN)
        return document

    async def list(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        if caller == SYSTEM:
            return await self._ledger.list(caller, collection=collection, limit=limit, after=after)
        directory = await self._collections.directory()
        stored = None if collection is None else _find(directory, collection)
        shown: builtins.list[Document] = []
        more = True
        while more and len(shown) <= limit:
            page = await self._ledger.list(caller, collection=stored, limit=limit, after=after)
            found = await _show(self._collections, [document for document in page.data if document.collection != ATTACHED])
            if stored is not None and not directory.deleted:
                return replace(page, data=tuple(found))
            shown += found
            more, after = page.has_more, page.last_id
        data = tuple(shown[:limit])
        return Page(data, len(shown) > limit, data[-1].doc_id if data else None)

    async def collections(self, caller: Caller) -> dict[str, int]:
        directory = await self._collections.directory()
        counts = await self._ledger.collections(caller)
        counts.pop(ATTACHED, None)
        if caller == SYSTEM:
            return counts
        return {directory.name_of(stored): count for stored, count in counts.items() if stored not in directory.deleted}

    async def readable_states(self, caller: Caller, collection: str) -> dict[str, int]:
        return await self._ledger.readable_states(caller, _find(await self._collections.directory(), collection))

    async def unreadable(self, caller: Caller, collection: str, limit: int) -> builtins.list[Document]:
        stored = _find(await self._collections.directory(), collection)
        return await _show(self._collections, await self._ledger.unreadable(caller, stored, limit))

    async def undescribed(self, limit: int) -> builtins.list[Document]:
        return await self._ledger.undescribed(limit)

    async def accept(self, caller: Caller, file: NewFile) -> tuple[Document, bool]:
        return await self._ledger.accept(caller, file)

    async def reserve(self, caller: Caller, *, file_name: str, collection: str, permission_groups: frozenset[str]) -> str:
        return await self._ledger.reserve(caller, file_name=file_name, collection=collection, permission_groups=permission_groups)

    async def unfinished(self) -> builtins.list[Document]:
        return await self._ledger.unfinished()

    async def failed(self) -> builtins.list[Document]:
        return await self._ledger.failed()

    async def counts(self) -> dict[str, int]:
        return await self._ledger.counts()

    async def update(self, doc_id: str, generation: int, **changes: Any) -> bool:
        return await self._ledger.update(doc_id, generation, **changes)

    async def renew(self, doc_id: str, generation: int) -> bool:
        return await self._ledger.renew(doc_id, generation)

    async def move(self, doc_id: str, generation: int, *, collection: str, permission_groups: frozenset[str]) -> bool:
        return await self._ledger.move(doc_id, generation, collection=collection, permission_groups=permission_groups)

    async def lease(self, doc_id: str, generation: int, owner: str, lease_s: float) -> bool:
        return await self._ledger.lease(doc_id, generation, owner, lease_s)

    async def undelete(self, doc_id: str, generation: int) -> bool:
        return await self._ledger.undelete(doc_id, generation)

    async def kept(self) -> builtins.list[Document]:
        return await self._ledger.kept()

    async def give_up(self, doc_id: str) -> bool:
        return await self._ledger.give_up(doc_id)

    async def release(self, origin: str, keep: str | None = None) -> builtins.list[Document]:
        return await self._ledger.release(origin, keep)

    async def redirect(self, origins: Mapping[str, Target | None]) -> builtins.list[Document]:
        return await self._ledger.redirect(origins)

    async def purge(self, doc_id: str) -> None:
        await self._ledger.purge(doc_id)

    async def unpurged(self) -> builtins.list[Document]:
        return await self._ledger.unpurged()

    async def held(self, origin: str) -> Held | None:
        return await self._ledger.held(origin)

    async def origins(self, prefix: str) -> dict[str, Held]:
        return await self._ledger.origins(prefix)

    async def names(self, doc_id: str) -> builtins.list[Name]:
        return await self._ledger.names(doc_id)

    async def restore(self, document: Document, names: Sequence[Name]) -> bool:
        return await self._ledger.restore(document, names)
