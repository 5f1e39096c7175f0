"""What is built of passages, in the embedded index (`ports.Knowledge`), all in a worker thread.

A row belongs to a chunk and goes with it; reads join the chunk's generation, so that the chunk's permissions hold."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from footnote.adapters.sqlite.database import writing
from footnote.ports import Built, Layer, LayerScope

PASSAGES = "chunks c JOIN generations g USING (generation_id) JOIN collections k ON k.collection_id = c.collection_id"
IS_PASSAGE = "k.name = ? AND g.active AND c.level = 2"
Where = tuple[str, Sequence[Any]]
"""What the caller may read, as a condition on `chunks c` and `generations g`, with its values."""


def unbuilt_rows(connection: sqlite3.Connection, scope: LayerScope, limit: int) -> list[str]:
    """The chunk ids of `Knowledge.unbuilt`."""
    rows = connection.execute(
        f"""SELECT c.chunk_id FROM {PASSAGES} LEFT JOIN layers l ON l.chunk = c.rowid AND l.layer = ? AND l.recipe = ?
            WHERE {IS_PASSAGE} AND l.chunk IS NULL ORDER BY c.rowid LIMIT ?""",
        (scope.layer, scope.recipe, scope.collection, limit),
    )
    return [chunk_id for (chunk_id,) in rows]


def put_built(connection: sqlite3.Connection, scope: LayerScope, built: Sequence[Built]) -> None:
    """`Knowledge.put_built`."""
    with writing(connection):
        collections = set()
        for item in built:
            row = connection.execute(
                f"SELECT c.rowid, c.collection_id FROM {PASSAGES} WHERE c.chunk_id = ? AND {IS_PASSAGE}", (item.chunk_id, scope.collection)
            ).fetchone()
            if row is None:
                continue
            rowid, collection_id = row
            collections.add(collection_id)
            connection.execute("DELETE FROM layer_keys WHERE chunk = ? AND layer = ?", (rowid, scope.layer))
            connection.execute("INSERT OR REPLACE INTO layers VALUES (?, ?, ?, ?)", (rowid, scope.layer, scope.recipe, item.data))
            connection.executemany(
                "INSERT OR IGNORE INTO layer_keys VALUES (?, ?, ?, ?, ?)",
                ((collection_id, scope.layer, scope.recipe, key, rowid) for key in item.keys),
            )
        _count_change(connection, collections)


def drop_built(connection: sqlite3.Connection, collection: str, layer: Layer) -> None:
    """`Knowledge.drop_built`."""
    with writing(connection):
        row = connection.execute("SELECT collection_id FROM collections WHERE name = ?", (collection,)).fetchone()
        if row is not None:
            of_collection = "layer = ? AND chunk IN (SELECT rowid FROM chunks WHERE collection_id = ?)"
            dropped = connection.execute(f"DELETE FROM layers WHERE {of_collection}", (layer, row[0])).rowcount
            connection.execute("DELETE FROM layer_keys WHERE collection_id = ? AND layer = ?", (row[0], layer))
            _count_change(connection, {row[0]} if dropped else set())


def layer_progress(connection: sqlite3.Connection, scope: LayerScope) -> tuple[int, int]:
    """`Knowledge.layer_progress`."""
    made, total = connection.execute(
        f"""SELECT count(l.chunk), count(*) FROM {PASSAGES} LEFT JOIN layers l ON l.chunk = c.rowid AND l.layer = ? AND l.recipe = ?
            WHERE {IS_PASSAGE}""",
        (scope.layer, scope.recipe, scope.collection),
    ).fetchone()
    return int(made), int(total)


def built(connection: sqlite3.Connection, visible: Where, scope: LayerScope, chunk_ids: Sequence[str] | None) -> dict[str, bytes]:
    """`KnowledgeReads.built`; None = `built_in`."""
    chosen, ids = (
        ("length(l.data)", []) if chunk_ids is None else ("c.chunk_id IN (SELECT value FROM json_each(?))", [json.dumps(chunk_ids)])
    )
    rows = connection.execute(
        f"""SELECT c.chunk_id, l.data FROM {PASSAGES} JOIN layers l ON l.chunk = c.rowid
            WHERE l.layer = ? AND l.recipe = ? AND k.name = ? AND {visible[0]} AND {chosen} ORDER BY c.rowid""",
        (scope.layer, scope.recipe, scope.collection, *visible[1], *ids),
    )
    return dict(map(tuple, rows))


def keyed(connection: sqlite3.Connection, visible: Where, scope: LayerScope, keys: Sequence[str], limit: int) -> dict[str, tuple[str, ...]]:
    """`KnowledgeReads.keyed`."""
    row = connection.execute("SELECT collection_id FROM collections WHERE name = ?", (scope.collection,)).fetchone()
    if row is None:
        return {}
    query = f"""SELECT c.chunk_id FROM layer_keys y JOIN chunks c ON c.rowid = y.chunk JOIN generations g USING (generation_id)
        WHERE y.collection_id = ? AND y.layer = ? AND y.recipe = ? AND y.key = ? AND {visible[0]} ORDER BY y.chunk LIMIT ?"""
    found = {}
    for key in dict.fromkeys(keys):
        rows = connection.execute(query, (row[0], scope.layer, scope.recipe, key, *visible[1], limit))
        if ids := tuple(chunk_id for (chunk_id,) in rows):
            found[key] = ids
    return found


def _count_change(connection: sqlite3.Connection, collections: set[int]) -> None:
    for collection_id in collections:
        connection.execute("UPDATE collections SET version = version + 1 WHERE collection_id = ?", (collection_id,))
