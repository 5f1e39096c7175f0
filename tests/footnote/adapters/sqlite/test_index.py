"""The embedded index's own files: half dead, read from elsewhere."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.vector_copies import WASTE
from footnote.adapters.sqlite.word_search import TRIED
from footnote.errors import SearchUnavailable
from footnote.ports import ChunkVectors, VectorScope
from footnote.types import Caller, Chunk, Search
from tests.fakes import make_document, put_document
from tests.turns import ME

AXES = np.eye(4, dtype=np.float32)


async def put(index: SqliteIndex, chunks: Sequence[Chunk], axis: int) -> None:
    await index.put_vectors("e", [ChunkVectors(chunk.chunk_id, AXES[axis]) for chunk in chunks])


async def near(index: SqliteIndex, axis: int, limit: int = 2) -> list[tuple[str, float]]:
    found = await index.candidates(ME, Search("default", vector=AXES[axis], embedder="e", limit=limit))
    return [(entry.chunk_id, entry.score) for entry in found.dense]


def damage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)


def vector_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("vectors-*.f32"))


async def test_however_many_better_chunks_a_caller_may_not_read_theirs_is_found(open_index: Any) -> None:
    index = open_index()
    for number in range(2 * TRIED):
        await put_document(index, make_document(f"hidden{number}", groups=("others",)), ["bridge bridge"])
    await put_document(index, make_document("open", groups=("*",)), ["The bridge is long, old and painted in a dull colour."])
    found = await index.candidates(Caller("guest"), Search("default", "bridge", limit=1))
    assert [entry.chunk_id for entry in found.lexical] == ["open|1|0"]


async def test_among_many_equal_chunks_those_with_the_first_ids_are_found(open_index: Any) -> None:
    index = open_index()
    for number in reversed(range(2 * TRIED)):
        await put_document(index, make_document(f"d{number:02}"), ["bridge"])
    found = await index.candidates(ME, Search("default", "bridge", limit=1))
    assert [entry.chunk_id for entry in found.lexical] == ["d00|1|0"]


async def test_a_worker_that_found_nothing_to_embed_sees_what_other_processes_add(open_index: Any) -> None:
    worker, other = open_index(), open_index()
    await put(worker, await put_document(worker, make_document("a"), ["one"]), 0)
    for _ in range(2):
        assert await worker.pending(VectorScope("e"), 9) == []
    assert [item.chunk_id for item in await worker.pending(VectorScope("e", recipe=1), 9)] == ["a|1|0"]
    assert await worker.pending(VectorScope("e"), 9) == []
    chunks = await put_document(other, make_document("b"), ["two"]) + await put_document(other, make_document("c"), ["three"], level=0)
    assert [item.chunk_id for item in await worker.pending(VectorScope("e"), 9)] == ["b|1|0"]
    await put(other, chunks[:1], 1)
    assert await worker.pending(VectorScope("e"), 9) == []
    await other.candidates(ME, Search("default", vector=AXES[0], embedder="e", levels=(0,)))
    assert [item.chunk_id for item in await worker.pending(VectorScope("e"), 9)] == ["c|1|0"]
    await other.remove("c", 1)
    assert await worker.pending(VectorScope("e"), 9) == []


async def test_a_file_that_is_mostly_dead_is_written_anew_while_others_read_it(open_index: Any, tmp_path: Path) -> None:
    writer, reader = open_index(), open_index()
    await put(writer, await put_document(writer, make_document("kept"), ["one"]), 0)
    for generation in (1, 2):
        chunks = await put_document(writer, make_document("big", generation=generation), [f"text {i}" for i in range(WASTE // 2 + 10)])
        await put(writer, chunks, 1)
        assert await near(reader, 0, limit=1) == [("kept|1|0", 1.0)]
    (before,) = vector_files(tmp_path)
    assert before.stat().st_size == (1 + 2 * (WASTE // 2 + 10)) * 16
    await writer.remove("big", 2)
    assert (await near(reader, 1)) == [("kept|1|0", 0.0)]
    await put(writer, await put_document(writer, make_document("more"), [f"more {i}" for i in range(WASTE)]), 3)  # they are counted again
    await writer.remove("more", 1)
    await put(writer, await put_document(writer, make_document("new"), ["three"]), 2)
    (after,) = vector_files(tmp_path)
    assert after != before
    assert after.stat().st_size == (2 + WASTE) * 16
    for index in (writer, reader, open_index()):
        assert await near(index, 2) == [("new|1|0", 1.0), ("kept|1|0", 0.0)]
        assert await near(index, 0, limit=1) == [("kept|1|0", 1.0)]


async def test_equal_vectors_are_equally_near_wherever_they_lie_in_the_file(open_index: Any) -> None:
    index = open_index()
    rng = np.random.default_rng(7)
    vector, question = (row / np.linalg.norm(row) for row in rng.normal(size=(2, 384)).astype(np.float32))
    chunks = await put_document(index, make_document(), ["the same text"] * 1001)
    await index.put_vectors("e", [ChunkVectors(chunk.chunk_id, vector) for chunk in chunks])
    found = await index.candidates(ME, Search("default", vector=question, embedder="e", limit=5))
    assert [entry.chunk_id for entry in found.dense] == ["plan|1|0", "plan|1|1", "plan|1|10", "plan|1|100", "plan|1|1000"]
    assert found.dense[0].score == pytest.approx(float(vector @ question), abs=1e-6)


async def test_collections_and_embedders_have_files_of_their_own(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    for collection in ("one", "two"):
        chunks = await put_document(index, make_document(collection, collection=collection), ["text"])
        await put(index, chunks, 0)
    await index.put_vectors("../f", [ChunkVectors("two|1|0", AXES[0])])
    assert len(vector_files(tmp_path)) == 3
    assert all(re.fullmatch(r"vectors-\d+-[0-9a-f]{8}-1\.f32", path.name) for path in vector_files(tmp_path))


async def test_a_damaged_database_is_told_as_search_that_is_not_available(open_index: Any, tmp_path: Path) -> None:
    damage(tmp_path / "index.db")
    with pytest.raises(SearchUnavailable) as caught:
        await open_index().candidates(ME, Search("default", "bridge"))
    assert isinstance(caught.value.__cause__, sqlite3.DatabaseError)


async def test_the_words_stay_in_few_parts_however_many_documents_come(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    for number in range(15):
        await put_document(index, make_document(f"d{number}"), ["The bridge is old."])
    await index.close()
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection:
        assert connection.execute("SELECT count(DISTINCT segid) FROM words_1_idx").fetchone()[0] <= 4
