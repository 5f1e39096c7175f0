"""Postings of most of a large collection, in segments: SQLite's BM25 (k1 = 1.2, b = 0.75), computed over arrays.

SQLite takes a microsecond for the score of one row, most of it to find the row's length. So every SEGMENT rows of a full-text table are
copied into a segment, which does not change: for each word the rows that have it and how often, and the length of each row. Rows after
the last segment are searched by SQLite. Scores are the same, as both use the statistics of the whole full-text table.
"""

from __future__ import annotations

import math
import sqlite3
import sys
from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SEGMENT = 2**14
"""Rows. The most that SQLite scores itself, in 5 ms; small enough that the scores of one stay in the processor's cache."""
TITLE_WEIGHT, BODY_WEIGHT = 3, 1
K1, B = 1.2, 0.75
LEAST_IDF = 1e-6
"""SQLite's idf of a word that half of the rows have."""
MOST_OFTEN = 2**16 - 1

SEGMENTED = "segmented INTEGER NOT NULL DEFAULT 0"
"""A column of `collections`: the last row that is in a segment; 0 = none is."""

# last: the last row of the segment. lengths: tokens in each row as uint32, 0 = deleted. ids: the rows as int64. entries: the positions
# in the segment of rows that have the term, each with its weighted frequency there, as uint16.
SEGMENTS = """CREATE TABLE word_segments (
    collection_id INTEGER NOT NULL, segment INTEGER NOT NULL, last INTEGER NOT NULL, lengths BLOB NOT NULL, ids BLOB NOT NULL,
    PRIMARY KEY (collection_id, segment)
)"""
POSTINGS = """CREATE TABLE postings (
    collection_id INTEGER NOT NULL, segment INTEGER NOT NULL, term TEXT NOT NULL, entries BLOB NOT NULL,
    PRIMARY KEY (collection_id, segment, term)
) WITHOUT ROWID"""


def _last_row(connection: sqlite3.Connection, collection_id: int) -> int:
    (last,) = connection.execute("SELECT segmented FROM collections WHERE collection_id = ?", (collection_id,)).fetchone()
    return int(last)


def next_row(connection: sqlite3.Connection) -> int:
    """The row of a new chunk, after all chunks and all segments: a row of a segment is never used again."""
    (last,) = connection.execute(
        "SELECT max((SELECT coalesce(max(rowid), 0) FROM chunks), (SELECT coalesce(max(segmented), 0) FROM collections))"
    ).fetchone()
    return int(last) + 1


def add_segment(connection: sqlite3.Connection, collection_id: int) -> bool:
    """Makes a segment of the rows after the last one, if they are enough. Must be called within a write transaction; takes half a
    second."""
    rows = connection.execute(
        f"SELECT id, c0, c1 FROM words_{collection_id}_content WHERE id > ? ORDER BY id LIMIT {SEGMENT}",
        (_last_row(connection, collection_id),),
    ).fetchall()
    if len(rows) < SEGMENT:
        return False
    import numpy as np

    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    tokens, lengths, weights = array("I"), array("I"), array("I")
    for _, title, body in rows:
        in_title, in_body = title.split(), body.split()
        tokens.extend(map(numbers.__getitem__, in_title * TITLE_WEIGHT + in_body))
        lengths.append(len(in_title) + len(in_body))
        weights.append(len(in_title) * TITLE_WEIGHT + len(in_body))
    pairs, often = np.unique(np.array(tokens, np.int64) * SEGMENT + np.repeat(np.arange(SEGMENT), weights), return_counts=True)
    entries = np.stack((pairs % SEGMENT, np.minimum(often, MOST_OFTEN)), axis=1).astype(np.uint16)
    starts = np.searchsorted(pairs, np.arange(len(numbers) + 1) * SEGMENT).tolist()
    ids = array("q", (row[0] for row in rows))
    (segment,) = connection.execute(
        """INSERT INTO word_segments VALUES (?1, (SELECT count(*) FROM word_segments WHERE collection_id = ?1), ?2, ?3, ?4)
           RETURNING segment""",
        (collection_id, ids[-1], lengths.tobytes(), ids.tobytes()),
    ).fetchone()
    connection.execute("UPDATE collections SET segmented = ? WHERE collection_id = ?", (ids[-1], collection_id))
    connection.executemany(
        "INSERT INTO postings VALUES (?, ?, ?, ?)",
        ((collection_id, segment, token, entries[starts[at] : starts[at + 1]].tobytes()) for token, at in sorted(numbers.items())),
    )
    return True


def forget(connection: sqlite3.Connection, collection_id: int, deleted: Sequence[int]) -> None:
    """Takes deleted rows out of their segments. Must be called within a write transaction."""
    first, last = min(deleted), max(deleted)
    if first > _last_row(connection, collection_id):
        return
    import numpy as np

    segments = connection.execute(
        "SELECT segment, lengths, ids FROM word_segments WHERE collection_id = ? AND last >= ?", (collection_id, first)
    ).fetchall()
    for segment, lengths, packed in segments:
        ids = np.frombuffer(packed, np.int64)
        if ids[0] > last:
            continue
        left = np.where(np.isin(ids, deleted), 0, np.frombuffer(lengths, np.uint32)).astype(np.uint32)
        of_segment = "collection_id = ? AND segment = ?"
        connection.execute(f"UPDATE word_segments SET lengths = ? WHERE {of_segment}", (left.tobytes(), collection_id, segment))
        if not left.any():
            connection.execute(f"DELETE FROM postings WHERE {of_segment}", (collection_id, segment))


def best_rows(connection: sqlite3.Connection, collection_id: int, tokens: Sequence[str], limit: int) -> list[tuple[float, int]]:
    """(cost, row) of the `limit` best rows in segments, with all ties of the last one, in no order; of all rows if `limit` is -1. A cost
    is a score times -1."""
    import numpy as np

    average, idf = _statistics(connection, collection_id, tokens)
    read = f"SELECT term, entries FROM postings WHERE collection_id = ? AND segment = ? AND term IN ({', '.join('?' for _ in tokens)})"
    segments = connection.execute("SELECT segment, lengths FROM word_segments WHERE collection_id = ?", (collection_id,)).fetchall()
    least, places, best = sys.float_info.min, np.empty(0, np.int64), np.empty(0)
    for segment, packed in segments:
        postings = dict(connection.execute(read, (collection_id, segment, *tokens)).fetchall())
        lengths = np.frombuffer(packed, np.uint32)
        scores = np.zeros(len(lengths))
        for token in tokens:  # added in SQLite's order, so that the sums are the same
            if token in postings:
                positions, often = np.frombuffer(postings[token], np.uint16).reshape(-1, 2).T
                norms = K1 * (1 - B + B * lengths[positions] / average)
                scores[positions] += idf[token] * (often * (K1 + 1) / (often + norms))
        near = np.flatnonzero(scores >= least)
        near = near[lengths[near] > 0]
        places, best = np.concatenate((places, near + segment * SEGMENT)), np.concatenate((best, scores[near]))
        if len(best) > limit > 0:
            least = np.partition(best, -limit)[-limit]
            places, best = places[best >= least], best[best >= least]
    return list(zip((-best).tolist(), _rows(connection, collection_id, places).tolist(), strict=True))


def _rows(connection: sqlite3.Connection, collection_id: int, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The rows at these places, of which each segment has SEGMENT."""
    import numpy as np

    rows = np.empty_like(places)
    of_place = places // SEGMENT
    for segment in np.unique(of_place).tolist():
        (ids,) = connection.execute(
            "SELECT ids FROM word_segments WHERE collection_id = ? AND segment = ?", (collection_id, segment)
        ).fetchone()
        here = of_place == segment
        rows[here] = np.frombuffer(ids, np.int64)[places[here] % SEGMENT]
    return rows


def _statistics(connection: sqlite3.Connection, collection_id: int, tokens: Sequence[str]) -> tuple[float, Mapping[str, float]]:
    """(tokens in a row on average, the idf of each token), as SQLite has them."""
    table = f"words_{collection_id}"
    (block,) = connection.execute(f"SELECT block FROM {table}_data WHERE id = 1").fetchone()
    rows, *sizes = _read_varints(block)
    query = f"SELECT term, doc FROM vocabulary_{collection_id} WHERE term IN ({', '.join('?' for _ in tokens)})"
    counts = dict(connection.execute(query, tokens).fetchall())
    idf = {token: math.log((rows - counts.get(token, 0) + 0.5) / (counts.get(token, 0) + 0.5)) for token in tokens}
    return sum(sizes) / rows if rows else 1.0, {token: value if value > 0 else LEAST_IDF for token, value in idf.items()}


def _read_varints(block: bytes) -> list[int]:
    """Numbers of seven bits a byte, the highest first; all bytes of one but the last have the eighth bit. (Of nine bytes the last has
    eight bits, which would be 2 ** 56 rows.)"""
    numbers, number = list[int](), 0
    for byte in block:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers
