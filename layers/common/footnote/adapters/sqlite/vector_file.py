"""Dense search of the embedded index: an exact scan over a memory-mapped file of unit vectors.

SQLite holds the vectors; the file is a copy that can be rebuilt. A file belongs to one
collection and one embedder; row `slot` is the vector of one chunk. A writer appends and
syncs, then commits the slots and the checksums of their blocks; a reader maps only committed
slots, so it never sees a torn write. A file is never truncated: compaction writes a new one
under the next generation.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BLOCK = 1024
"""Slots under one checksum."""


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
        """(chunk id, cosine) of the `limit` nearest allowed rows, with all ties of the last one; unsorted."""
        import numpy as np

        # Rounded: BLAS may sum equal rows in different orders, and equal texts must have equal scores.
        rows = np.flatnonzero(allowed)
        scores = np.round((self.matrix @ vector)[self.slots[rows]], 6)
        if len(rows) > limit:
            near = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
            rows, scores = rows[near], scores[near]
        return [(self.chunk_ids[row], score) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]


class VectorFiles:
    """Names, maps and writes the files in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, collection_id: int, embedder: str, generation: int) -> Path:
        """The file of one generation of the vectors."""
        digest = hashlib.sha256(embedder.encode()).hexdigest()[:8]
        return self.folder / f"vectors-{collection_id}-{digest}-{generation}.f32"

    def write(self, path: Path, first_slot: int, vectors: npt.NDArray[np.float32]) -> None:
        """Writes the vectors from `first_slot` on and syncs them to the disk before it returns."""
        import numpy as np

        self.folder.mkdir(parents=True, exist_ok=True)
        data = np.ascontiguousarray(vectors, np.float32)
        at, left = first_slot * data.shape[1] * 4, memoryview(data.tobytes())
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            while left:  # where the disk is nearly full, a part is written before the error
                written = os.pwrite(descriptor, left, at)
                at, left = at + written, left[written:]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def map(self, path: Path, slots: int, dimension: int) -> npt.NDArray[np.float32] | None:
        """(slots, dimension), or None when the file is missing or too short."""
        import numpy as np

        try:
            if path.stat().st_size < slots * dimension * 4 or not slots:
                return None
            return np.asarray(np.memmap(path, np.float32, "r", shape=(slots, dimension)))  # a plain view: indexing a memmap is slow
        except FileNotFoundError:
            return None


def extend(checksums: Mapping[int, int], first_slot: int, vectors: npt.NDArray[np.float32]) -> dict[int, int]:
    """Block → checksum, of the blocks that hold `vectors`, written from `first_slot` on. What was there before is not read again: wrong
    bytes stay wrong."""
    found: dict[int, int] = {}
    start, end = first_slot, first_slot + len(vectors)
    while start < end:
        block = start // BLOCK
        stop = min(end, (block + 1) * BLOCK)
        before = checksums[block] if start % BLOCK else 0
        found[block] = zlib.crc32(vectors[start - first_slot : stop - first_slot].data, before)
        start = stop
    return found


def differs(matrix: npt.NDArray[np.float32], checksums: Mapping[int, int], right: Mapping[int, int]) -> bool:
    """Whether a block of the file is not what was written. `right`: the checksums of blocks that need not be read again."""
    blocks = range(-(-len(matrix) // BLOCK))
    unread = (block for block in blocks if block not in checksums or right.get(block) != checksums[block])
    return any(zlib.crc32(matrix[block * BLOCK : (block + 1) * BLOCK].data) != checksums.get(block) for block in unread)
