"""Vectors of the embedded index: the rows in SQLite, which are the truth, and what is searched of them.

A search scans a copy of the rows (`vector_copies`), or the rows themselves while the copy is lost or wrong.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.index_schema import unpack_bounds
from footnote.adapters.sqlite.vector_copies import VectorCopies, matrix_of
from footnote.adapters.sqlite.vector_signs import FROM_DIMENSION, FROM_ROWS, Signs, likest
from footnote.ports import ChunkVectors, PendingVector, VectorScope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

AT_ONCE = 2000
"""Chunks without vectors that are looked for at once."""
MAX_COVERAGES = 1000
"""Coverages that are cached."""

WANTED = "chunks c JOIN generations g USING (generation_id) JOIN collections k ON k.collection_id = c.collection_id"
IS_WANTED = "g.active AND (c.level = 2 OR k.all_levels)"
"""Chunks that should have vectors."""

Where = tuple[str, Sequence[int]]
"""A SQL condition with its values."""


@dataclass(slots=True)
class Scan:
    """One version of a collection's vectors, ready for search. Row i of every array is one live chunk."""

    version: int
    matrix: npt.NDArray[np.float32]
    """(slots, dimension), dead slots included."""
    chunk_ids: Sequence[str]
    held: frozenset[str]
    """`chunk_ids` as a set."""
    slots: npt.NDArray[np.int64]
    levels: npt.NDArray[np.int64]
    acls: npt.NDArray[np.int64]
    generations: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    """The rows of the chunks in SQLite."""
    has_own: npt.NDArray[np.int64]
    """1 for a chunk with metadata of its own, else 0."""
    signs: Signs | None = None
    """Of the rows of `matrix`; None = all are compared exactly."""
    masks: dict[tuple[frozenset[int] | None, tuple[int, ...]], npt.NDArray[np.bool_]] = field(default_factory=dict)

    def mask(self, acls: frozenset[int] | None, levels: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        """Which rows a caller with these access lists (None = all) may see; cached for this version."""
        import numpy as np

        key = (acls, levels)
        if key not in self.masks:
            seen = np.isin(self.levels, levels)
            if acls is not None:
                seen &= np.isin(self.acls, list(acls))
            self.masks[key] = seen
        return self.masks[key]

    def nearest(self, vector: npt.NDArray[np.float32], allowed: npt.NDArray[np.bool_], limit: int) -> list[tuple[str, float]]:
        """(chunk id, cosine) of the `limit` nearest allowed rows, with all ties of the last one; unsorted. Of a large collection the
        cosines are exact, and 99 % of the rows are the nearest."""
        import numpy as np

        rows = np.flatnonzero(allowed)
        if self.signs is not None:
            rows = rows[likest(self.signs.likeness(vector)[self.slots[rows]], limit)]
            cosines = np.einsum("ij,j->i", self.matrix[self.slots[rows]], vector)  # BLAS would wake its threads for it
        else:
            cosines = (self.matrix @ vector)[self.slots[rows]]
        # Rounded: BLAS may sum equal rows in different orders, and equal texts must have equal scores.
        scores = np.round(cosines, 6)
        if len(rows) > limit:
            near = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
            rows, scores = rows[near], scores[near]
        return [(self.chunk_ids[row], score) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]


class VectorStore:
    """The vectors in `ports.IndexStore`. All methods run in a worker thread, with its connection."""

    def __init__(self, copies: VectorCopies) -> None:
        self._copies = copies
        self._scans: dict[tuple[int, str], Scan] = {}
        self._signs: dict[tuple[int, str], tuple[int, Signs]] = {}
        """Of each copy, and its generation."""
        self._coverages: dict[tuple[Any, ...], float] = {}
        self._nothing_pending: tuple[Any, ...] | None = None
        """What was asked, and the state of all collections, when no chunk was pending: an idle worker asks five times a second."""
        self._next: tuple[tuple[Any, ...], list[int]] = (), []
        """What was asked, and the rows of chunks that were pending: finding them reads all chunks, so they are found many at a time."""

    def scan(self, connection: sqlite3.Connection, collection_id: int, version: int, embedder: str) -> Scan | None:
        """The vectors of one collection at `version`; None if it has none of this embedder. Must be called within a
        read transaction, so that the slots match the mapped file."""
        known = self._scans.get((collection_id, embedder))
        if known is None or known.version != version or self._copies.is_cut(collection_id, embedder):
            known = self._load(connection, collection_id, embedder, version)
            if known is None:
                return None
            self._scans[collection_id, embedder] = known
        return known

    def coverage(
        self, connection: sqlite3.Connection, collection: tuple[int, int], embedder: str, languages: frozenset[str] | None, visible: Where
    ) -> float:
        """`Candidates.coverage` of the chunks that meet `visible`. `collection`: its id and version."""
        key = collection, embedder, languages, visible[0], *visible[1]
        if key not in self._coverages:
            if len(self._coverages) >= MAX_COVERAGES:
                self._coverages.clear()
            spoken, values = _spoken(languages)
            made, total = connection.execute(
                f"""SELECT count(v.rowid), count(*) FROM chunks c JOIN generations g USING (generation_id)
                    LEFT JOIN vectors v ON v.rowid = c.rowid AND v.embedder = ?
                    WHERE c.collection_id = ? AND {visible[0]} AND {spoken}""",
                (embedder, collection[0], *visible[1], *values),
            ).fetchone()
            self._coverages[key] = made / total if total else 1.0
        return self._coverages[key]

    def put(self, connection: sqlite3.Connection, embedder: str, vectors: Sequence[ChunkVectors]) -> None:
        import numpy as np

        with writing(connection):
            rows = {}
            for item in vectors:
                row = connection.execute(
                    "SELECT c.rowid, c.collection_id FROM chunks c JOIN generations g USING (generation_id)"
                    " WHERE c.chunk_id = ? AND g.active",
                    (item.chunk_id,),
                ).fetchone()
                if row is not None:
                    rows[item.chunk_id] = row
            for collection_id in {row["collection_id"] for row in rows.values()}:
                mine = [item for item in vectors if item.chunk_id in rows and rows[item.chunk_id]["collection_id"] == collection_id]
                matrix = np.stack([np.asarray(item.vector, np.float32) for item in mine])
                for slot, item in enumerate(mine, start=self._copies.append(connection, collection_id, embedder, matrix)):
                    sentences = None if item.sentences is None else np.ascontiguousarray(item.sentences, np.int8).tobytes()
                    vector = np.asarray(item.vector, np.float32).tobytes()
                    connection.execute(
                        "INSERT OR REPLACE INTO vectors (rowid, embedder, recipe, slot, vector, sentences) VALUES (?, ?, ?, ?, ?, ?)",
                        (rows[item.chunk_id]["rowid"], embedder, item.recipe, slot, vector, sentences),
                    )
                connection.execute("UPDATE collections SET version = version + 1 WHERE collection_id = ?", (collection_id,))

    def pending(self, connection: sqlite3.Connection, scope: VectorScope, limit: int, doc_id: str | None) -> list[PendingVector]:
        state = connection.execute("SELECT collection_id, version, all_levels FROM collections").fetchall()
        asked = scope, doc_id, tuple(map(tuple, state))
        if asked == self._nothing_pending:
            return []
        where, values = _wanted(scope)
        if doc_id is not None:
            where, values = f"{where} AND g.doc_id = ?", [*values, doc_id]

        def find(columns: str, more: str, given: Sequence[Any], most: int) -> list[sqlite3.Row]:
            rows: list[sqlite3.Row] = []
            for waits, made in (("v.rowid IS NULL", []), ("v.recipe < ?", [scope.recipe])):
                rows += connection.execute(
                    f"""SELECT {columns} FROM {WANTED} LEFT JOIN vectors v ON v.rowid = c.rowid AND v.embedder = ?
                        WHERE {IS_WANTED} AND {waits} AND {where}{more} ORDER BY c.rowid LIMIT ?""",
                    (scope.embedder, *made, *values, *given, most - len(rows)),
                ).fetchall()
            return rows

        def read(rowids: Sequence[int]) -> list[sqlite3.Row]:
            chosen = " AND c.rowid IN (SELECT value FROM json_each(?))"
            return find("c.rowid, c.chunk_id, g.title, c.text, c.lang, c.bounds, c.headings", chosen, [json.dumps(rowids)], limit)

        question, known = asked[:-1], self._next
        rows = read(known[1]) if known[0] == question else []
        if len(rows) < limit:
            self._next = question, [row["rowid"] for row in find("c.rowid", "", (), max(limit, AT_ONCE))]
            rows = read(self._next[1])
        if rows:  # what lies before is done
            self._next = question, [rowid for rowid in self._next[1] if rowid >= rows[0]["rowid"]]
        elif limit:
            self._nothing_pending = asked
        return [
            PendingVector(chunk_id, title, text, lang, unpack_bounds(bounds), tuple(json.loads(headings)))
            for _, chunk_id, title, text, lang, bounds, headings in rows
        ]

    def progress(self, connection: sqlite3.Connection, scope: VectorScope) -> tuple[int, int]:
        where, values = _wanted(scope)
        row = connection.execute(
            f"""SELECT count(v.rowid), count(*) FROM {WANTED}
                LEFT JOIN vectors v ON v.rowid = c.rowid AND v.embedder = ? AND v.recipe >= ? WHERE {IS_WANTED} AND {where}""",
            (scope.embedder, scope.recipe, *values),
        ).fetchone()
        return int(row[0]), int(row[1])

    def _load(self, connection: sqlite3.Connection, collection_id: int, embedder: str, version: int) -> Scan | None:
        import numpy as np

        live = """FROM vectors v JOIN chunks c USING (rowid) JOIN generations g USING (generation_id)
                  WHERE c.collection_id = ? AND v.embedder = ? AND g.active ORDER BY c.rowid"""
        rows = connection.execute(
            f"SELECT c.chunk_id, v.slot, c.level, g.acl_id, g.generation_id, c.rowid, c.metadata IS NOT NULL {live}",
            (collection_id, embedder),
        ).fetchall()
        if not rows:
            return None
        generation, matrix = self._copies.read(connection, collection_id, embedder)
        columns = np.array([row[1:] for row in rows], np.int64).T
        signs = None
        if matrix is None:
            stored = connection.execute(f"SELECT v.vector {live}", (collection_id, embedder)).fetchall()
            matrix, columns[0] = matrix_of(stored), np.arange(len(rows))
        elif len(matrix) >= FROM_ROWS and matrix.shape[1] >= FROM_DIMENSION:
            of_generation, signs = self._signs.get((collection_id, embedder), (0, None))
            if signs is None or of_generation != generation:
                signs = Signs(matrix.mean(axis=0))
            signs = signs.extended(matrix)
            self._signs[collection_id, embedder] = generation, signs
        chunk_ids = [row["chunk_id"] for row in rows]
        scan = Scan(version, matrix, chunk_ids, frozenset(chunk_ids), *columns)
        scan.signs = signs
        return scan


def _wanted(scope: VectorScope) -> tuple[str, list[str]]:
    where, values = _spoken(scope.languages)
    for condition, names in (("NOT IN", scope.without), ("IN", scope.only)):
        if names is not None:
            where, values = f"{where} AND k.name {condition} ({', '.join('?' for _ in names)})", [*values, *sorted(names)]
    return where, values


def _spoken(languages: frozenset[str] | None) -> tuple[str, list[str]]:
    if languages is None:
        return "1", []
    return f"c.lang IN ({', '.join('?' for _ in languages)})", sorted(languages)
