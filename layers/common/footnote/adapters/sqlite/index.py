"""The embedded index: SQLite FTS5 for words, a memory-mapped scan for vectors. SQLite is the source of truth.

BM25 is SQLite's (k1 = 1.2, b = 0.75). A write is one transaction, so a reader sees a document's old
generation or its new one, never both and never none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from footnote.adapters.sqlite.database import REBUILD, Database, check_pages
from footnote.adapters.sqlite.index_reads import (
    find,
    known_terms,
    questions,
    read,
    read_view,
    sample,
    sentences,
    term_weights,
    titled,
    total_version,
)
from footnote.adapters.sqlite.index_schema import SCHEMA, UPGRADES, VERSION, count_chunks, find_collection
from footnote.adapters.sqlite.index_writes import activate, amend, inventory, remove, stage, staged, want_all_levels
from footnote.adapters.sqlite.vector_copies import VectorCopies
from footnote.adapters.sqlite.vector_file import VectorFiles
from footnote.adapters.sqlite.vector_store import VectorStore
from footnote.errors import SearchUnavailable
from footnote.ports import ChunkVectors, Indexed, PendingVector, VectorScope, View
from footnote.types import Caller, Candidates, Chunk, ChunkSentences, Document, Search

INVENTORY_PAGE = 500
"""Generations that one read lists."""
MAX_VIEWS = 1000
"""Views that are cached."""
MAX_SENTENCES = 2000
"""Chunks whose sentences are cached, about 5 kB each."""
MAX_WEIGHTS = 10_000
"""Terms of a collection whose weights are cached."""
MAX_KNOWN = 20_000
"""Terms, over all callers' groups, of which it is cached whether a collection has them."""


class SqliteIndex:
    """`ports.IndexStore` on `<folder>/index.db` and the vector files beside it."""

    def __init__(self, folder: Path) -> None:
        self._database = Database(
            folder / "index.db", SCHEMA, VERSION, upgrades=UPGRADES, is_copy=True, error=SearchUnavailable, damaged=REBUILD
        )
        self._copies = VectorCopies(VectorFiles(folder))
        self._vectors = VectorStore(self._copies)
        self._views: dict[tuple[str, int, frozenset[str] | None], View] = {}
        self._sentences: dict[str, tuple[int, dict[str, tuple[frozenset[str], ChunkSentences]]]] = {}
        """Embedder → the version of all collections, and chunk id → (permission groups, sentences)."""
        self._weights: dict[str, tuple[int, dict[str, float]]] = {}
        """Collection → its version, and the weights of terms in it."""
        self._counts: dict[str, tuple[int, int]] = {}
        """Collection → its version, and the number of its chunks."""
        self._known: dict[tuple[str, int, frozenset[str] | None], dict[str, bool]] = {}
        """Collection, its version and a caller's groups → whether such a caller may read a chunk with the term."""

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        return await self._database.run(self._candidates, caller, search)

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        return await self._database.run(read, caller, chunk_ids)

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        version = await self._database.glance(total_version)
        known = self._sentences.get(embedder)
        if known is None or known[0] != version or len(known[1]) > MAX_SENTENCES:
            known = self._sentences[embedder] = version, {}
        if missing := [chunk_id for chunk_id in chunk_ids if chunk_id not in known[1]]:
            known[1].update(await self._database.run(sentences, missing, embedder))
        found = {chunk_id: known[1][chunk_id] for chunk_id in chunk_ids if chunk_id in known[1]}
        return {chunk_id: made for chunk_id, (groups, made) in found.items() if caller.may_read(groups)}

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        row = await self._database.glance(find_collection, collection)
        if row is None:
            return {}
        version, known = self._weights.get(collection, (0, {}))
        if version != row["version"] or len(known) > MAX_WEIGHTS:
            known = {}
            self._weights[collection] = row["version"], known
        if missing := [term for term in terms if term not in known]:
            known |= await self._database.run(self._term_weights, collection, missing)
        return {term: known[term] for term in terms if term in known}

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        row = await self._database.glance(find_collection, collection)
        if row is None:
            return frozenset()
        key = collection, row["version"], None if caller.sees_all else caller.groups
        known = self._known.get(key, {})
        if missing := [term for term in terms if term not in known]:
            found = await self._database.run(known_terms, caller, row["collection_id"], missing)
            if sum(map(len, self._known.values())) > MAX_KNOWN:
                self._known.clear()
            known = self._known[key] = known | {term: term in found for term in missing}
        return frozenset(term for term in terms if known[term])

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        row = await self._database.glance(find_collection, collection)
        return {} if row is None else await self._database.run(titled, caller, row["collection_id"], titles)

    async def questions(self, caller: Caller, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return await self._database.run(questions, caller, chunk_ids)

    async def view(self, caller: Caller, collection: str) -> View:
        row = await self._database.glance(find_collection, collection)
        if row is None:
            return View()
        key = collection, row["version"], None if caller.sees_all else caller.groups
        if (known := self._views.get(key)) is None:
            if len(self._views) >= MAX_VIEWS:
                self._views.clear()
            known = self._views[key] = await self._database.run(read_view, caller, row["collection_id"], row["version"])
        return known

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        return await self._database.run(sample, caller, collection, limit)

    async def stage(self, document: Document, chunks: Sequence[Chunk], bounds: Sequence[tuple[tuple[int, int], ...]]) -> None:
        await self._database.run(stage, document, chunks, bounds)

    async def staged(self, doc_id: str, generation: int) -> tuple[int, str]:
        return await self._database.run(staged, doc_id, generation)

    async def activate(self, doc_id: str, generation: int) -> bool:
        return await self._database.run(activate, doc_id, generation)

    async def amend(self, doc_id: str, generation: int, metadata: Mapping[str, Any]) -> None:
        await self._database.run(amend, doc_id, generation, metadata)

    async def remove(self, doc_id: str, through: int) -> None:
        await self._database.run(remove, doc_id, through)

    async def inventory(self) -> AsyncIterator[Indexed]:
        after = "", 0
        while page := await self._database.run(inventory, after, INVENTORY_PAGE):
            for item in page:
                yield item
            after = page[-1].doc_id, page[-1].generation

    async def pending(self, scope: VectorScope, limit: int, doc_id: str | None = None) -> list[PendingVector]:
        return await self._database.run(self._vectors.pending, scope, limit, doc_id)

    async def put_vectors(self, embedder: str, vectors: Sequence[ChunkVectors]) -> None:
        await self._database.run(self._vectors.put, embedder, vectors)

    async def progress(self, scope: VectorScope) -> tuple[int, int]:
        return await self._database.run(self._vectors.progress, scope)

    async def check_copies(self, *, repair: bool) -> list[str]:
        return await self._database.run(self._copies.check, repair)

    async def check_database(self) -> None:
        """SearchUnavailable, with the remedy, if the database is damaged."""
        await self._database.run(check_pages)

    async def close(self) -> None:
        """Closes the database."""
        self._database.close()

    # --- in a worker thread ----------------------------------------------------------------------

    def _candidates(self, connection: sqlite3.Connection, caller: Caller, search: Search) -> Candidates:
        connection.execute("BEGIN")  # one snapshot: both lists see the same generations
        try:
            collection = find_collection(connection, search.collection)
            found = find(connection, self._vectors, collection, caller, search) if collection else Candidates()
        finally:
            connection.execute("COMMIT")
        self._copies.mend(connection)
        if search.needs_all_levels:
            want_all_levels(connection, search.collection)
        return found

    def _term_weights(self, connection: sqlite3.Connection, collection: str, terms: Sequence[str]) -> dict[str, float]:
        row = find_collection(connection, collection)
        if row is None:
            return {}
        version, count = self._counts.get(collection, (0, 0))
        if version != row["version"]:
            count = count_chunks(connection, row["collection_id"])
            self._counts[collection] = row["version"], count
        return term_weights(connection, row["collection_id"], count, terms)
