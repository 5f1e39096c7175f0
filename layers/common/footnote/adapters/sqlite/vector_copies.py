"""Memory-mapped files of unit vectors beside the rows of which they are copies: appended to, checked, and made again from the rows.

A file belongs to one collection and one embedder; row `slot` is the vector of one chunk. A writer appends and syncs, then commits the
slots and the checksums of their blocks; a reader maps only committed slots, so it never sees a torn write. A file is never truncated:
compaction writes a new one under the next generation.

A file is right if it is as long as it should be and each block has the checksum that was committed with it. A process reads each
block once: at the first search in a collection, and of later versions only the blocks that changed. `check` reads all of them.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from footnote.adapters.sqlite.database import writing

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

log = logging.getLogger(__name__)

BLOCK = 1024
"""Slots under one checksum."""
WASTE = 1000
"""Dead slots that a file of any size may hold; above this, at most half of the slots may be dead."""

OF_FILE = "collection_id = ? AND embedder = ?"
NO_CHECKSUMS: Mapping[int, int] = {}


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


class Copy(NamedTuple):
    """A row of `vector_files`."""

    collection_id: int
    embedder: str
    dimension: int
    generation: int
    slots: int

    @property
    def key(self) -> tuple[int, str]:
        """Its collection and embedder."""
        return self[:2]


class VectorCopies:
    """The vector files of one folder. All methods run in a worker thread, with its connection."""

    def __init__(self, files: VectorFiles) -> None:
        self._files = files
        self._right: dict[tuple[int, str], tuple[int, Mapping[int, int]]] = {}
        """The generation of a file, and the checksums of its blocks that were found right."""
        self._wrong: set[tuple[int, str]] = set()
        self._mapped: dict[tuple[int, str], tuple[Path, int]] = {}
        """The files that searches read, and how many bytes of them."""

    def read(self, connection: sqlite3.Connection, collection_id: int, embedder: str) -> tuple[int, npt.NDArray[np.float32] | None]:
        """The generation of the file, in which a slot never changes, and (slots, dimension); None if the file is lost or not what was
        written, until `mend`. Must be called within a read transaction."""
        copy = _find(connection, collection_id, embedder)
        generation, right = self._right.get(copy.key, (0, NO_CHECKSUMS))
        checksums = _checksums(connection, copy)
        matrix = self._right_matrix(copy, checksums, right if generation == copy.generation else NO_CHECKSUMS)
        if matrix is None:
            self._wrong.add(copy.key)
            self._mapped.pop(copy.key, None)
        else:
            self._right[copy.key] = copy.generation, checksums
            self._mapped[copy.key] = self._files.path(*copy.key, copy.generation), matrix.nbytes
        return copy.generation, matrix

    def is_cut(self, collection_id: int, embedder: str) -> bool:
        """Whether the file has become shorter since `read`: what is missing must not be read, as the system ends a process that does."""
        path, size = self._mapped.get((collection_id, embedder), (None, 0))
        try:
            return path is not None and path.stat().st_size < size
        except FileNotFoundError:  # replaced by another process; what is mapped stays
            return False

    def mend(self, connection: sqlite3.Connection) -> None:
        """Makes again what `read` found wrong. A search must not fail because that cannot be done now: it has read the rows."""
        for key in tuple(self._wrong):
            self._wrong.discard(key)
            try:
                self._renew(connection, *key, repair=True)
            except (sqlite3.Error, OSError) as exc:
                log.warning("a vector file is wrong and cannot be written", exc_info=exc)

    def check(self, connection: sqlite3.Connection, repair: bool) -> list[str]:
        """`ports.Index.check_copies`."""
        connection.execute("BEGIN")  # one snapshot: files and checksums belong together
        try:
            copies = [Copy(*row) for row in connection.execute(f"SELECT {', '.join(Copy._fields)} FROM vector_files WHERE slots")]
            suspects = [copy for copy in copies if self._right_matrix(copy, _checksums(connection, copy), NO_CHECKSUMS) is None]
        finally:
            connection.execute("COMMIT")
        # A file may have been replaced meanwhile.
        return [name for copy in suspects if (name := self._renew(connection, *copy.key, repair=repair))]

    def append(self, connection: sqlite3.Connection, collection_id: int, embedder: str, matrix: npt.NDArray[np.float32]) -> int:
        """Writes rows at the end of the file → the slot of the first. Must be called within a write transaction, before the rows of the
        table are written: what an interrupted write leaves in the file is never read."""
        connection.execute(
            """INSERT INTO vector_files (collection_id, embedder, dimension) VALUES (?, ?, ?)
               ON CONFLICT (collection_id, embedder) DO UPDATE SET dimension = excluded.dimension""",
            (collection_id, embedder, matrix.shape[1]),
        )
        copy = _find(connection, collection_id, embedder)
        if copy.slots and (self._is_lost(connection, copy) or self._is_wasteful(connection, copy, len(matrix))):
            copy = self._make_again(connection, copy)
        self._write(connection, copy, matrix)
        return copy.slots

    def _right_matrix(self, copy: Copy, checksums: Mapping[int, int], right: Mapping[int, int]) -> npt.NDArray[np.float32] | None:
        matrix = self._files.map(self._files.path(*copy.key, copy.generation), copy.slots, copy.dimension)
        return None if matrix is None or _differs(matrix, checksums, right) else matrix

    def _is_lost(self, connection: sqlite3.Connection, copy: Copy) -> bool:
        """Whether nothing can be appended. Wrong blocks keep their checksums, so they are found later, too."""
        matrix = self._files.map(self._files.path(*copy.key, copy.generation), copy.slots, copy.dimension)
        return matrix is None or copy.key in self._wrong or len(_checksums(connection, copy)) * BLOCK < copy.slots

    def _is_wasteful(self, connection: sqlite3.Connection, copy: Copy, more: int) -> bool:
        """Dead slots are counted before `more` are written: once in every WASTE slots, since counting reads all vectors."""
        if copy.slots // WASTE == (copy.slots + more) // WASTE:
            return False
        counted = "SELECT count(*) FROM vectors v JOIN chunks c USING (rowid) WHERE c.collection_id = ? AND v.embedder = ?"
        (live,) = connection.execute(counted, copy.key).fetchone()
        return bool(copy.slots - live > max(WASTE, live))

    def _renew(self, connection: sqlite3.Connection, collection_id: int, embedder: str, *, repair: bool) -> str | None:
        """The name of the file if it is wrong. A new version lets other processes map the new file."""
        with writing(connection):
            copy = _find(connection, collection_id, embedder)
            if self._right_matrix(copy, _checksums(connection, copy), NO_CHECKSUMS) is not None:
                return None
            name = self._files.path(*copy.key, copy.generation).name
            if repair:
                self._make_again(connection, copy)
                connection.execute("UPDATE collections SET version = version + 1 WHERE collection_id = ?", (collection_id,))
                log.warning("a vector file was wrong and is made again", extra={"count": copy.slots})
        return name

    def _make_again(self, connection: sqlite3.Connection, copy: Copy) -> Copy:
        """Writes the live vectors to a new file from slot 0 on. Readers keep the old file mapped until they see the new version."""
        rows = connection.execute(
            "SELECT v.rowid, v.vector FROM vectors v JOIN chunks c USING (rowid)"
            " WHERE c.collection_id = ? AND v.embedder = ? ORDER BY v.slot",
            copy.key,
        ).fetchall()
        self._files.path(*copy.key, copy.generation).unlink(missing_ok=True)
        connection.execute(f"DELETE FROM vector_blocks WHERE {OF_FILE}", copy.key)
        self._wrong.discard(copy.key)
        made = copy._replace(generation=copy.generation + 1, slots=0)
        connection.execute(f"UPDATE vector_files SET generation = ?, slots = 0 WHERE {OF_FILE}", (made.generation, *copy.key))
        if rows:
            self._write(connection, made, matrix_of(rows))
            connection.executemany("UPDATE vectors SET slot = ? WHERE rowid = ?", [(slot, row["rowid"]) for slot, row in enumerate(rows)])
        return made._replace(slots=len(rows))

    def _write(self, connection: sqlite3.Connection, copy: Copy, matrix: npt.NDArray[np.float32]) -> None:
        self._files.write(self._files.path(*copy.key, copy.generation), copy.slots, matrix)
        checksums = _extend(_checksums(connection, copy), copy.slots, matrix)
        connection.executemany(
            "INSERT OR REPLACE INTO vector_blocks (collection_id, embedder, block, checksum) VALUES (?, ?, ?, ?)",
            [(*copy.key, block, checksum) for block, checksum in checksums.items()],
        )
        connection.execute(f"UPDATE vector_files SET slots = ? WHERE {OF_FILE}", (copy.slots + len(matrix), *copy.key))


def matrix_of(rows: list[sqlite3.Row]) -> npt.NDArray[np.float32]:
    """The column `vector` of the rows."""
    import numpy as np

    return np.stack([np.frombuffer(row["vector"], np.float32) for row in rows])


def _find(connection: sqlite3.Connection, collection_id: int, embedder: str) -> Copy:
    where = f"SELECT {', '.join(Copy._fields)} FROM vector_files WHERE {OF_FILE}"
    return Copy(*connection.execute(where, (collection_id, embedder)).fetchone())


def _checksums(connection: sqlite3.Connection, copy: Copy) -> dict[int, int]:
    """Block → checksum; a file of an earlier version of Footnote has none."""
    return dict(connection.execute(f"SELECT block, checksum FROM vector_blocks WHERE {OF_FILE}", copy.key).fetchall())


def _extend(checksums: Mapping[int, int], first_slot: int, vectors: npt.NDArray[np.float32]) -> dict[int, int]:
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


def _differs(matrix: npt.NDArray[np.float32], checksums: Mapping[int, int], right: Mapping[int, int]) -> bool:
    """Whether a block of the file is not what was written. `right`: the checksums of blocks that need not be read again."""
    blocks = range(-(-len(matrix) // BLOCK))
    unread = (block for block in blocks if block not in checksums or right.get(block) != checksums[block])
    return any(zlib.crc32(matrix[block * BLOCK : (block + 1) * BLOCK].data) != checksums.get(block) for block in unread)
