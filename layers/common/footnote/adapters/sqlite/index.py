"""The embedded index: SQLite FTS5 for words, a memory-mapped scan for vectors. SQLite is the source of truth.

A write is one transaction, so a reader sees a document's old generation or its new one, never both and never none.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from footnote.adapters.sqlite import layers
from footnote.adapters.sqlite.database import REBUILD, Database, check_pages
from footnote.adapters.sqlite.index_schema import SCHEMA, UPGRADES, VERSION, unpack_bounds
from footnote.adapters.sqlite.index_writes import activate, amend, inventory, remove, stage, staged, want_all_levels
from footnote.adapters.sqlite.vector_copies import VectorCopies, VectorFiles
from footnote.adapters.sqlite.vector_store import Scan, VectorStore
from footnote.adapters.sqlite.word_search import find_by_words
from footnote.errors import SearchUnavailable
from footnote.ports import (
    SAME_TITLE,
    SMALL_COLLECTION,
    Built,
    ChunkVectors,
    Indexed,
    Layer,
    LayerScope,
    PendingVector,
    VectorScope,
    View,
)
from footnote.text.sentence_terms import read_terms
from footnote.text.tokens import query_tokens
from footnote.types import SYSTEM, Caller, Candidate, Candidates, Chunk, ChunkSentences, Document, Part, Search
from footnote.types.conditions import values_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

INVENTORY_PAGE = 500
"""Generations that one read lists."""
MAX_VIEWS = 1000
"""Views that are cached."""
MAX_SENTENCES = 2000
"""Chunks whose sentences are cached, about 5 kB each."""
MAX_CHUNKS = 2000
"""Chunks that are cached themselves, about 2 kB each."""
MAX_WEIGHTS = 10_000
"""Terms of a collection whose weights are cached."""
SMALL = 2000
"""Chunks that a collection had when they were last counted, to be searched without a thread: the hand-over would take half as long as
the search."""
MAX_KNOWN = 20_000
"""Terms, over all callers' groups, of which it is cached whether a collection has them."""
CHUNK = """c.rowid, c.chunk_id, c.ordinal, c.level, c.lang, c.kind, c.content_type, c.page, c.parts, c.headings, c.text, c.metadata,
    g.doc_id, g.generation, g.title, g.metadata, g.created_at, a.groups, k.name AS collection"""
FROM_CHUNKS = """chunks c JOIN generations g USING (generation_id) JOIN acls a USING (acl_id)
    JOIN collections k ON k.collection_id = c.collection_id"""


T = TypeVar("T")


class SqliteIndex:
    """`ports.IndexStore` on `<folder>/index.db` and the vector files beside it."""

    def __init__(self, folder: Path) -> None:
        self._database = Database(
            folder / "index.db", SCHEMA, VERSION, upgrades=UPGRADES, is_copy=True, error=SearchUnavailable, damaged=REBUILD
        )
        self._copies = VectorCopies(VectorFiles(folder))
        self._vectors = VectorStore(self._copies)
        self._views: dict[tuple[str, int, frozenset[str] | None], View] = {}
        self._chunks: dict[str, tuple[int, dict[str, Chunk]]] = {}
        """"" → the version of all collections, and chunk id → chunk."""
        self._sentences: dict[str, tuple[int, dict[str, tuple[frozenset[str], ChunkSentences]]]] = {}
        """Embedder → the version of all collections, and chunk id → (permission groups, sentences)."""
        self._weights: dict[str, tuple[int, dict[str, float]]] = {}
        """Collection → its version, and the weights of terms in it."""
        self._counts: dict[str, tuple[int, int]] = {}
        """Collection → its version, and the number of its chunks."""
        self._known: dict[tuple[str, int, frozenset[str] | None], dict[str, bool]] = {}
        """Collection, its version and a caller's groups → whether such a caller may read a chunk with the term."""

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        _, count = self._counts.get(search.collection, (0, SMALL + 1))
        read = self._database.glance if count <= SMALL and not search.needs_all_levels else self._database.run
        return await read(self._candidates, caller, search)

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        version = await self._database.glance(_total_version)
        known = {} if caller == SYSTEM else _kept(self._chunks, "", version, MAX_CHUNKS)  # checks want to know what is stored now
        if missing := [chunk_id for chunk_id in chunk_ids if chunk_id not in known]:
            known |= await self._database.glance(_read, missing)
        found = (known[chunk_id] for chunk_id in chunk_ids if chunk_id in known)
        return [chunk for chunk in found if caller.may_read(chunk.permission_groups)]

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        known = _kept(self._sentences, embedder, await self._database.glance(_total_version), MAX_SENTENCES)
        if missing := [chunk_id for chunk_id in chunk_ids if chunk_id not in known]:
            known |= await self._database.run(_sentences, missing, embedder)
        found = {chunk_id: known[chunk_id] for chunk_id in chunk_ids if chunk_id in known}
        return {chunk_id: made for chunk_id, (groups, made) in found.items() if caller.may_read(groups)}

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        row = await self._database.glance(_find_collection, collection)
        if row is None:
            return {}
        known = _kept(self._weights, collection, row["version"], MAX_WEIGHTS)
        if missing := [term for term in terms if term not in known]:
            is_counted = self._counts.get(collection, (0, 0))[0] == row["version"]
            read = self._database.glance if is_counted else self._database.run  # counting takes half a second at a million chunks
            known |= await read(self._term_weights, collection, missing)
        return {term: known[term] for term in terms if term in known}

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        row = await self._database.glance(_find_collection, collection)
        if row is None:
            return frozenset()
        key = collection, row["version"], None if caller.sees_all else caller.groups
        known = self._known.get(key, {})
        if missing := [term for term in terms if term not in known]:
            read = self._database.glance if caller.sees_all else self._database.run  # others may see none of many chunks with a term
            found = await read(_known_terms, caller, row["collection_id"], missing)
            if sum(map(len, self._known.values())) > MAX_KNOWN:
                self._known.clear()
            known = self._known[key] = known | {term: term in found for term in missing}
        return frozenset(term for term in terms if known[term])

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        row = await self._database.glance(_find_collection, collection)
        return {} if row is None else await self._database.glance(_titled, caller, row["collection_id"], titles)

    async def questions(self, caller: Caller, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return await self._database.run(_questions, caller, chunk_ids)

    async def view(self, caller: Caller, collection: str) -> View:
        row = await self._database.glance(_find_collection, collection)
        if row is None:
            return View()
        key = collection, row["version"], None if caller.sees_all else caller.groups
        if (known := self._views.get(key)) is None:
            if len(self._views) >= MAX_VIEWS:
                self._views.clear()
            known = self._views[key] = await self._database.run(_read_view, caller, row["collection_id"], row["version"])
        return known

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        return await self._database.run(_sample, caller, collection, limit)

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

    async def unbuilt(self, scope: LayerScope, limit: int) -> list[Chunk]:
        return await self.read(SYSTEM, await self._database.run(layers.unbuilt_rows, scope, limit))

    async def put_built(self, scope: LayerScope, built: Sequence[Built]) -> None:
        await self._database.run(layers.put_built, scope, built)

    async def drop_built(self, collection: str, layer: Layer) -> None:
        await self._database.run(layers.drop_built, collection, layer)

    async def layer_progress(self, scope: LayerScope) -> tuple[int, int]:
        return await self._database.run(layers.layer_progress, scope)

    async def built(self, caller: Caller, scope: LayerScope, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        return await self._database.run(_built, caller, scope, chunk_ids)

    async def built_in(self, caller: Caller, scope: LayerScope) -> dict[str, bytes]:
        return await self._database.run(_built, caller, scope, None)

    async def keyed(self, caller: Caller, scope: LayerScope, keys: Sequence[str], limit: int) -> dict[str, tuple[str, ...]]:
        return await self._database.run(_keyed, caller, scope, keys, limit)

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
            collection = _find_collection(connection, search.collection)
            found = _find(connection, self._vectors, collection, caller, search) if collection else Candidates()
        finally:
            connection.execute("COMMIT")
        self._copies.mend(connection)
        if search.needs_all_levels:
            want_all_levels(connection, search.collection)
        return found

    def _term_weights(self, connection: sqlite3.Connection, collection: str, terms: Sequence[str]) -> dict[str, float]:
        row = _find_collection(connection, collection)
        if row is None:
            return {}
        version, count = self._counts.get(collection, (0, 0))
        if version != row["version"]:
            count = _count_chunks(connection, row["collection_id"])
            self._counts[collection] = row["version"], count
        return _term_weights(connection, row["collection_id"], count, terms)


class _Matching(NamedTuple):
    """What meets a search's filters and conditions: generations, whose chunks have no metadata of their own, and such chunks."""

    generations: frozenset[int]
    rows: frozenset[int]


def _find_collection(connection: sqlite3.Connection, name: str) -> sqlite3.Row | None:
    """The id and version of a collection, and its last row in a segment; None if there is none."""
    row: sqlite3.Row | None = connection.execute(
        "SELECT collection_id, version, segmented FROM collections WHERE name = ?", (name,)
    ).fetchone()
    return row


def _count_chunks(connection: sqlite3.Connection, collection_id: int) -> int:
    """Number of chunks in the active generations."""
    (count,) = connection.execute(
        "SELECT count(*) FROM chunks c JOIN generations g USING (generation_id) WHERE c.collection_id = ? AND g.active", (collection_id,)
    ).fetchone()
    return int(count)


def _find(connection: sqlite3.Connection, vectors: VectorStore, collection: sqlite3.Row, caller: Caller, search: Search) -> Candidates:
    """The lexical and the dense list of chunks that this caller may read. Within one transaction both see the same generations."""
    at = collection_id, _ = collection["collection_id"], collection["version"]
    acls = _visible_acls(connection, caller)
    matching = _matching(connection, collection_id, search)
    lexical = _lexical(connection, collection, search, acls, matching) if search.text else ()
    if search.vector is None:
        return Candidates(_with_language(connection, lexical, search))
    coverage = vectors.coverage(connection, at, search.embedder, search.languages, _visible(acls, None, search.levels))
    scan = vectors.scan(connection, *at, search.embedder)
    dense, held = (_dense(scan, search.vector, search, acls, matching), scan.held) if scan else ((), frozenset[str]())
    lexical, dense = _with_language(connection, lexical, search), _with_language(connection, dense, search)
    return Candidates(lexical, dense, coverage, frozenset(entry.chunk_id for entry in lexical if entry.chunk_id not in held))


def _with_language(connection: sqlite3.Connection, entries: tuple[Candidate, ...], search: Search) -> tuple[Candidate, ...]:
    """The entries, with `foreign`. Looked up only where the passages are in several languages."""
    if not entries or not search.spoken - {search.lang}:
        return entries
    query = f"SELECT chunk_id FROM chunks WHERE chunk_id IN ({_marks(entries)}) AND lang != ?"
    foreign = {chunk_id for (chunk_id,) in connection.execute(query, (*(entry.chunk_id for entry in entries), search.lang))}
    return tuple(entry._replace(foreign=entry.chunk_id in foreign) for entry in entries)


def _term_weights(connection: sqlite3.Connection, collection_id: int, chunks: int, terms: Sequence[str]) -> dict[str, float]:
    """Inverse document frequency of each term in the collection, which has so many chunks."""
    wanted = sorted(set(terms))
    counts = dict(
        connection.execute(f"SELECT term, doc FROM vocabulary_{collection_id} WHERE term IN ({_marks(wanted)})", wanted).fetchall()
    )
    total = chunks + SMALL_COLLECTION
    return {term: math.log(1 + (max(0, total - (n := counts.get(term, 0))) + 0.5) / (n + 0.5)) for term in wanted}


def _known_terms(connection: sqlite3.Connection, caller: Caller, collection_id: int, terms: Iterable[str]) -> frozenset[str]:
    """The terms that chunks contain which this caller may read. Reading stops at the first of them."""
    where, values = _visible(_visible_acls(connection, caller), None, (0, 1, 2))
    query = f"""SELECT 1 FROM words_{collection_id} w JOIN chunks c ON c.rowid = w.rowid JOIN generations g USING (generation_id)
        WHERE words_{collection_id} MATCH ? AND {where} LIMIT 1"""
    return frozenset(term for term in terms if connection.execute(query, (f'"{term}"', *values)).fetchone())


def _titled(connection: sqlite3.Connection, caller: Caller, collection_id: int, titles: Iterable[str]) -> dict[str, frozenset[str]]:
    """`ports.Index.titled`."""
    acls = _visible_acls(connection, caller)
    visible = "" if acls is None else f"AND acl_id IN ({_marks(acls)})"
    query = f"SELECT doc_id FROM generations WHERE collection_id = ? AND title = ? AND active {visible} ORDER BY doc_id LIMIT {SAME_TITLE}"
    rows = {title: connection.execute(query, (collection_id, title, *(acls or ()))) for title in titles}
    return {title: doc_ids for title, found in rows.items() if (doc_ids := frozenset(row["doc_id"] for row in found))}


def _read_view(connection: sqlite3.Connection, caller: Caller, collection_id: int, version: int) -> View:
    """The part of the collection that this caller sees."""
    where, values = _visible(_visible_acls(connection, caller), None, (0, 1, 2))
    languages = dict(
        connection.execute(
            f"""SELECT c.lang, count(*) FROM chunks c JOIN generations g USING (generation_id)
                WHERE c.collection_id = ? AND {where} GROUP BY c.lang ORDER BY c.lang""",
            (collection_id, *values),
        ).fetchall()
    )
    lists = connection.execute(
        "SELECT DISTINCT groups FROM acls JOIN generations g USING (acl_id) WHERE g.collection_id = ? AND g.active", (collection_id,)
    )
    named = frozenset(group for row in lists for group in _stored(row["groups"]))
    return View(version, languages, caller.groups & named)


def _lexical(
    connection: sqlite3.Connection, collection: sqlite3.Row, search: Search, acls: frozenset[int] | None, matching: _Matching | None
) -> tuple[Candidate, ...]:
    tokens = query_tokens(search.text, search.lang, sorted(search.spoken))
    if not tokens:
        return ()
    return find_by_words(
        connection, collection["collection_id"], collection["segmented"], tokens, _visible(acls, matching, search.levels), search.limit
    )


def _dense(
    scan: Scan, vector: npt.NDArray[np.float32], search: Search, acls: frozenset[int] | None, matching: _Matching | None
) -> tuple[Candidate, ...]:
    import numpy as np

    allowed = scan.mask(acls, search.levels)
    if matching is not None:
        of_chunks, of_documents = np.isin(scan.rows, list(matching.rows)), np.isin(scan.generations, list(matching.generations))
        allowed = allowed & np.where(scan.has_own, of_chunks, of_documents)
    nearest = scan.nearest(vector, allowed, search.limit)
    nearest.sort(key=lambda entry: (-entry[1], entry[0]))
    return tuple(Candidate(chunk_id, score) for chunk_id, score in nearest[: search.limit])


def _visible_acls(connection: sqlite3.Connection, caller: Caller) -> frozenset[int] | None:
    """Ids of the access lists that this caller may read; None = all."""
    rows = connection.execute("SELECT acl_id, groups FROM acls").fetchall()
    visible = frozenset(row["acl_id"] for row in rows if caller.may_read(frozenset(_stored(row["groups"]))))
    return visible if len(visible) < len(rows) else None


def _matching(connection: sqlite3.Connection, collection_id: int, search: Search) -> _Matching | None:
    """What has one of the wanted values in every filtered field and meets the conditions; None = the search has neither."""
    if not search.filters and not search.conditions.each:
        return None
    rows = connection.execute("SELECT generation_id, metadata FROM generations WHERE collection_id = ? AND active", (collection_id,))
    documents = {row["generation_id"]: json.loads(row["metadata"]) for row in rows}
    chunks = connection.execute(
        "SELECT rowid, generation_id, metadata FROM chunks WHERE collection_id = ? AND metadata IS NOT NULL", (collection_id,)
    )
    chunks.row_factory = None
    matching = frozenset(
        rowid
        for rowid, generation, own in chunks
        if generation in documents and _matches({**documents[generation], **json.loads(own)}, search)
    )
    return _Matching(frozenset(each for each, metadata in documents.items() if _matches(metadata, search)), matching)


def _matches(metadata: Mapping[str, Any], search: Search) -> bool:
    has_values = all(set(values_of(metadata, name)) & set(wanted) for name, wanted in search.filters.items())
    return has_values and search.conditions.match(metadata)


def _visible(acls: frozenset[int] | None, matching: _Matching | None, levels: Iterable[int]) -> tuple[str, list[Any]]:
    """The permission and level clause of every read, with its values."""
    wanted = sorted(levels)
    clauses, values = [f"g.active AND c.level IN ({_marks(wanted)})"], list[Any](wanted)
    if acls is not None:
        clauses.append(f"g.acl_id IN ({_marks(acls)})")
        values += sorted(acls)
    if matching is not None:
        listed = "IN (SELECT value FROM json_each(?))"
        clauses.append(f"CASE WHEN c.metadata IS NULL THEN g.generation_id {listed} ELSE c.rowid {listed} END")
        values += [json.dumps(sorted(matching.generations)), json.dumps(sorted(matching.rows))]
    return " AND ".join(clauses), values


def _kept(kept: dict[str, tuple[int, dict[str, T]]], key: str, version: int, most: int) -> dict[str, T]:
    """What is kept under the key, as of this version; nothing if that has changed, or if it has become more than `most`."""
    known = kept.get(key)
    if known is None or known[0] != version or len(known[1]) > most:
        known = kept[key] = version, {}
    return known[1]


def _read(connection: sqlite3.Connection, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
    """The active chunks. Their groups have not been compared with a caller's yet."""
    return {row["chunk_id"]: _chunk(row) for row in _rows(connection, chunk_ids)}


def _total_version(connection: sqlite3.Connection) -> int:
    """Grows with every change of a collection that is visible to answers."""
    (total,) = connection.execute("SELECT total(version) FROM collections").fetchone()
    return int(total)


def _sentences(connection: sqlite3.Connection, chunk_ids: Sequence[str], embedder: str) -> dict[str, tuple[frozenset[str], ChunkSentences]]:
    """(permission groups, sentences) of the active chunks. The groups have not been compared with a caller's yet."""
    import numpy as np

    rows = connection.execute(
        f"""SELECT c.chunk_id, a.groups, c.bounds, c.terms, v.vector, v.sentences
            FROM chunks c JOIN generations g USING (generation_id) JOIN acls a USING (acl_id)
            LEFT JOIN vectors v ON v.rowid = c.rowid AND v.embedder = ?
            WHERE g.active AND c.chunk_id IN ({_marks(chunk_ids)})""",
        (embedder, *chunk_ids),
    )
    rows.row_factory = None  # plain tuples are unpacked faster
    found: dict[str, tuple[frozenset[str], ChunkSentences]] = {}
    for chunk_id, groups, packed, terms, vector, vectors in rows:
        bounds, words = unpack_bounds(packed), read_terms(terms)
        made = ChunkSentences(bounds, None, None, *words)
        if vectors and bounds:
            of_each = np.frombuffer(vectors, np.int8).reshape(len(bounds), -1)
            made = ChunkSentences(bounds, of_each, np.frombuffer(vector, np.float32), *words)
        found[chunk_id] = frozenset(_stored(groups)), made
    return found


def _questions(connection: sqlite3.Connection, caller: Caller, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """`ports.Index.questions`."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'questions'").fetchone() is None:
        return {}
    visible = (row for row in _rows(connection, chunk_ids) if caller.may_read(frozenset(_stored(row["groups"]))))
    ids = {row["rowid"]: row["chunk_id"] for row in visible}
    rows = connection.execute(f"SELECT rowid, texts FROM questions WHERE rowid IN ({_marks(ids)})", tuple(ids))
    return {ids[rowid]: tuple(json.loads(texts)) for rowid, texts in rows}


def _rows(connection: sqlite3.Connection, chunk_ids: Sequence[str]) -> list[sqlite3.Row]:
    """Of the active chunks, in the order of CHUNK."""
    return connection.execute(
        f"SELECT {CHUNK} FROM {FROM_CHUNKS} WHERE g.active AND c.chunk_id IN ({_marks(chunk_ids)})", tuple(chunk_ids)
    ).fetchall()


def _built(connection: sqlite3.Connection, caller: Caller, scope: LayerScope, chunk_ids: Sequence[str] | None) -> dict[str, bytes]:
    return layers.built(connection, _visible(_visible_acls(connection, caller), None, (2,)), scope, chunk_ids)


def _keyed(
    connection: sqlite3.Connection, caller: Caller, scope: LayerScope, keys: Sequence[str], limit: int
) -> dict[str, tuple[str, ...]]:
    return layers.keyed(connection, _visible(_visible_acls(connection, caller), None, (2,)), scope, keys, limit)


def _sample(connection: sqlite3.Connection, caller: Caller, collection: str, limit: int) -> list[Chunk]:
    """Chunks in rounds over the documents: the first passage of each, then the second of each."""
    acls = _visible_acls(connection, caller)
    where, values = _visible(acls, None, (2,))
    rows = connection.execute(
        f"SELECT {CHUNK} FROM {FROM_CHUNKS} WHERE k.name = ? AND {where} ORDER BY c.ordinal, g.generation_id DESC LIMIT ?",
        (collection, *values, limit),
    )
    return [_chunk(row) for row in rows]


def _chunk(row: sqlite3.Row) -> Chunk:
    """Unpacks a row by position, in the order of CHUNK: access by name would dominate the cost."""
    _, chunk_id, ordinal, level, lang, kind, content_type, page, parts, headings, text, own, *of_document = row
    doc_id, generation, title, metadata, created_at, groups, collection = of_document
    return Chunk(
        chunk_id=chunk_id,
        doc_id=doc_id,
        generation=generation,
        ordinal=ordinal,
        level=level,
        title=title,
        text=text,
        lang=lang,
        collection=collection,
        headings=tuple(_stored(headings)),
        page=page,
        parts=tuple(Part(*part) for part in json.loads(parts)),
        kind=kind,
        content_type=content_type,
        permission_groups=frozenset(_stored(groups)),
        metadata=_stored(metadata) if own is None else {**_stored(metadata), **json.loads(own)},
        created_at=created_at,
    )


@lru_cache(maxsize=1024)
def _stored(text: str) -> Any:
    """Parses stored JSON. Chunks share the result, since the same few values are read repeatedly; it must not be modified."""
    return json.loads(text)


def _marks(values: Iterable[Any]) -> str:
    return ", ".join("?" for _ in values)
