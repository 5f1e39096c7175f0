"""The files of vectors, of which SQLite holds the truth: lost, cut, overwritten, exchanged, from a time before checksums."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.adapters.sqlite import vector_copies
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.vector_copies import BLOCK
from footnote.errors import SearchUnavailable
from footnote.ports import ChunkVectors
from footnote.types import Chunk, Search
from tests.fakes import make_document, put_document
from tests.full_disk import files_of_at_most
from tests.turns import ME

SIZE = 2 * BLOCK + 100
"""Vectors of the collection, in three blocks."""
VECTORS = np.random.default_rng(3).normal(size=(SIZE, 8)).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
BYTES = BLOCK * 8 * 4
"""Of a block."""


async def fill(index: SqliteIndex, vectors: Any = VECTORS) -> list[Chunk]:
    """Chunk `a|1|n` has the vector n; written in several parts."""
    chunks = await put_document(index, make_document("a"), [f"text {number}" for number in range(len(vectors))])
    for start in range(0, len(vectors), 300):
        some = zip(chunks[start : start + 300], vectors[start : start + 300], strict=True)
        await index.put_vectors("e", [ChunkVectors(chunk.chunk_id, vector) for chunk, vector in some])
    return chunks


async def nearest(index: SqliteIndex, number: int) -> tuple[str, float]:
    found = await index.candidates(ME, Search("default", vector=VECTORS[number], embedder="e", limit=1))
    return found.dense[0].chunk_id, round(found.dense[0].score, 3)


def file_in(folder: Path) -> Path:
    (path,) = folder.glob("vectors-*.f32")
    return path


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "zeros": lambda data: bytes(len(data)),
    "not a number": lambda data: np.full(len(data) // 4, np.nan, np.float32).tobytes(),
    "noise": lambda data: random.Random(1).randbytes(len(data)),
    "cut": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "blocks exchanged": lambda data: data[BYTES : 2 * BYTES] + data[:BYTES] + data[2 * BYTES :],
    "the last block of the first": lambda data: data[: 2 * BYTES] + data[: len(data) - 2 * BYTES],
    "one bit": lambda data: data[:50_000] + bytes([data[50_000] ^ 1]) + data[50_001:],
    "the last bit": lambda data: data[:-1] + bytes([data[-1] ^ 128]),
    "vectors exchanged": lambda data: data[32:64] + data[:32] + data[64:],
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("damage", DAMAGES)
async def test_wrong_bytes_are_seen_at_the_first_search_and_made_good(damage: str, open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    await fill(index)
    await index.close()
    data = file_in(tmp_path).read_bytes()
    file_in(tmp_path).write_bytes(DAMAGES[damage](data))
    index, other = open_index(), open_index()
    for number in (0, 1, BLOCK, SIZE - 1):
        assert await nearest(index, number) == (f"a|1|{number}", 1.0)
    assert file_in(tmp_path).read_bytes() == data
    assert await nearest(other, 1) == ("a|1|1", 1.0)
    assert await other.check_copies(repair=False) == []


async def test_a_lost_file_is_made_again_by_a_search_and_by_a_write(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    await fill(index)
    await index.close()
    data = file_in(tmp_path).read_bytes()
    file_in(tmp_path).unlink()
    assert await nearest(open_index(), 7) == ("a|1|7", 1.0)
    assert file_in(tmp_path).read_bytes() == data
    file_in(tmp_path).unlink()
    index = open_index()
    chunks = await put_document(index, make_document("b"), ["more"])
    await index.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, VECTORS[0])])
    assert file_in(tmp_path).read_bytes() == data + VECTORS[0].tobytes()
    assert await index.check_copies(repair=False) == []


async def test_the_file_of_another_folder_is_wrong(open_index: Any, tmp_path: Path) -> None:
    index, other = open_index(), open_index(tmp_path / "other")
    await fill(index)
    await fill(other, VECTORS[::-1].copy())
    await index.close()
    file_in(tmp_path).write_bytes(file_in(tmp_path / "other").read_bytes())
    assert await nearest(open_index(), 5) == ("a|1|5", 1.0)


async def test_bits_that_flip_while_the_index_is_open_are_found_by_the_check_and_mended(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    await fill(index)
    assert await nearest(index, 5) == ("a|1|5", 1.0)
    path = file_in(tmp_path)
    with path.open("r+b") as file:
        file.seek(5 * 32)
        file.write(bytes(32))
    assert (await nearest(index, 5))[1] < 1.0
    checking = open_index()
    assert await checking.check_copies(repair=False) == [path.name]
    assert await checking.check_copies(repair=False) == [path.name]
    assert await checking.check_copies(repair=True) == [path.name]
    assert await checking.check_copies(repair=True) == []
    assert await nearest(index, 5) == ("a|1|5", 1.0)


@pytest.mark.parametrize("size", [0, 100, SIZE * 16])
async def test_a_file_that_is_cut_while_searches_read_it_ends_no_process(size: int, open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    await fill(index)
    assert await nearest(index, SIZE - 1) == (f"a|1|{SIZE - 1}", 1.0)
    os.truncate(file_in(tmp_path), size)
    for _ in range(2):
        assert await nearest(index, SIZE - 1) == (f"a|1|{SIZE - 1}", 1.0)
    assert await index.check_copies(repair=False) == []


async def test_appending_does_not_hide_corrupt_bytes(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    chunks = await fill(index, VECTORS[: BLOCK + 10])
    await index.close()
    path = file_in(tmp_path)
    path.write_bytes(path.read_bytes()[:-32] + bytes(32))
    index = open_index()
    more = await put_document(index, make_document("b"), ["more"])
    await index.put_vectors("e", [ChunkVectors(more[0].chunk_id, VECTORS[-1])])
    assert await index.check_copies(repair=False) == [path.name]
    assert await nearest(index, BLOCK + 9) == (chunks[-1].chunk_id, 1.0)


async def test_a_block_that_was_found_right_is_not_read_again(open_index: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[list[int]] = []

    def differs(matrix: Any, checksums: Any, right: Any) -> bool:
        read.append(sorted(block for block in checksums if right.get(block) != checksums[block]))
        return False

    monkeypatch.setattr(vector_copies, "_differs", differs)
    index = open_index()
    await fill(index)
    for number in range(3):
        await nearest(index, number)
    more = await put_document(index, make_document("b"), ["more"])
    await index.put_vectors("e", [ChunkVectors(more[0].chunk_id, VECTORS[-1])])
    await nearest(index, 0)
    assert read == [[0, 1, 2], [2]]


async def test_while_the_file_cannot_be_written_searches_read_the_database(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    await fill(index)
    await index.close()
    file_in(tmp_path).write_bytes(bytes(SIZE * 32))
    with files_of_at_most(40_000):
        index = open_index()
        assert await nearest(index, 9) == ("a|1|9", 1.0)
        with pytest.raises(SearchUnavailable, match=r"The disk is full\."):
            await index.check_copies(repair=True)
    assert len(await index.check_copies(repair=True)) == 1
    assert await nearest(index, 9) == ("a|1|9", 1.0)
    assert await index.check_copies(repair=False) == []


async def test_a_folder_from_before_checksums_gets_them(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    await fill(index)
    await index.close()
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection:
        connection.executescript(
            "DROP TABLE vector_blocks; DROP INDEX active_titles; DROP TABLE word_segments; DROP TABLE postings;"
            "DROP TABLE layers; DROP TABLE layer_keys;"
            "ALTER TABLE collections DROP COLUMN segmented; PRAGMA user_version = 8;"
        )
    index = open_index()
    assert await nearest(index, 9) == ("a|1|9", 1.0)
    assert await index.check_copies(repair=False) == []


async def test_a_vector_file_that_cannot_be_written_is_told_as_unavailable_search(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    chunks = await fill(index, VECTORS[:1])
    file = file_in(tmp_path)
    file.unlink()
    file.mkdir()
    for _ in range(2):
        with pytest.raises(SearchUnavailable, match=r"Is a directory.*Check the disk and the data folder\."):
            await index.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, VECTORS[0])])
    file.rmdir()
    await index.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, VECTORS[0])])
    assert await nearest(index, 0) == ("a|1|0", 1.0)
