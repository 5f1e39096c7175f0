"""Search by words in the embedded index: the rows after the last segment by SQLite's FTS5, the others by their postings."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from footnote.adapters.sqlite.word_segments import BODY_WEIGHT, TITLE_WEIGHT, best_rows
from footnote.types import Candidate

TRIED = 6
"""How many times more chunks than wanted are scored at first: documents have outlines, too, and other readers."""
ALL = -1
LOOKED_UP = 2
"""How many times more chunks than wanted are looked up at first; each time twice as many, up to MOST_LOOKED_UP."""
MOST_LOOKED_UP = 4096


def find_by_words(
    connection: sqlite3.Connection,
    collection_id: int,
    segmented: int,
    tokens: Sequence[str],
    visible: tuple[str, Sequence[Any]],
    limit: int,
) -> tuple[Candidate, ...]:
    """The `limit` best chunks c that meet the condition `visible` on them and their generations g, given with its values. `segmented`: the
    last row of the collection that is in a segment."""
    # A frequent word is in most chunks, and whether a chunk is visible is in another table: first only the best ones are looked up.
    found: list[tuple[float, str]] = []
    for tried in (TRIED * limit, TRIED**3 * limit, ALL):
        best = _best(connection, collection_id, segmented, tokens, tried)
        found = _look_up(connection, best, visible, limit)
        if tried == ALL or len(best) < tried or (len(found) == limit and found[-1][0] < best[-1][0]):
            break
    return tuple(Candidate(chunk_id, -cost) for cost, chunk_id in found)


def _best(connection: sqlite3.Connection, collection_id: int, segmented: int, tokens: Sequence[str], limit: int) -> list[tuple[float, int]]:
    """(cost, row) of the best rows of the collection, best first; a cost is a score times -1."""
    table = f"words_{collection_id}"
    rows = connection.execute(
        f"""SELECT bm25({table}, {TITLE_WEIGHT}, {BODY_WEIGHT}) AS cost, rowid FROM {table} WHERE {table} MATCH ? AND rowid > ?
            ORDER BY cost LIMIT ?""",
        (" OR ".join(f'"{token}"' for token in tokens), segmented, limit),
    )
    rows.row_factory = None
    best: list[tuple[float, int]] = rows.fetchall()
    if segmented:
        best = sorted(best + best_rows(connection, collection_id, tokens, limit))
    return best[:limit] if limit != ALL else best


def _look_up(
    connection: sqlite3.Connection, best: Sequence[tuple[float, int]], visible: tuple[str, Sequence[Any]], limit: int
) -> list[tuple[float, str]]:
    """(cost, chunk id) of the first `limit` of these rows that are visible; those of equal cost in the order of their ids."""
    where, values = visible
    found: list[tuple[float, str]] = []
    start, number = 0, LOOKED_UP * limit
    while start < len(best) and (len(found) < limit or best[start][0] == found[limit - 1][0]):
        costs = {row: cost for cost, row in best[start : start + number]}
        rows = connection.execute(
            f"""SELECT c.rowid, c.chunk_id FROM chunks c JOIN generations g USING (generation_id)
                WHERE c.rowid IN ({", ".join("?" for _ in costs)}) AND {where}""",
            (*costs, *values),
        )
        found = sorted([*found, *((costs[row], chunk_id) for row, chunk_id in rows)])
        start, number = start + number, min(2 * number, MOST_LOOKED_UP)
    return found[:limit]
