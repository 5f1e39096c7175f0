"""The first look by signs keeps what is nearest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footnote.adapters.sqlite import vector_store
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.vector_signs import KEPT, Signs, likest
from footnote.ports import ChunkVectors
from footnote.types import Search
from tests.fakes import make_document, put_document
from tests.turns import ME

TOPICS, DIMENSION = 50, 384
CHANCE = np.random.default_rng(7)
CENTRES = CHANCE.normal(size=(TOPICS, DIMENSION)) + 2  # as embedders do: all vectors lie on one side


def vectors(number: int) -> np.ndarray:
    """Unit vectors around the topics."""
    made = CENTRES[CHANCE.integers(TOPICS, size=number)] + CHANCE.normal(size=(number, DIMENSION))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def matrix() -> np.ndarray:
    return vectors(5 * KEPT)


def test_the_hundred_nearest_are_nearly_all_kept(matrix: np.ndarray) -> None:
    signs = Signs(matrix.mean(axis=0)).extended(matrix)
    found = 0
    for question in vectors(20):
        kept = likest(signs.likeness(question), 100)
        assert KEPT <= len(kept) < 1.2 * KEPT
        found += len(np.intersect1d(kept, np.argsort(-(matrix @ question))[:100]))
    assert found >= 0.99 * 20 * 100


def test_signs_that_grew_are_those_made_at_once(matrix: np.ndarray) -> None:
    grown = Signs(matrix.mean(axis=0))
    for rows in (1, 9000, 9000, len(matrix)):
        grown = grown.extended(matrix[:rows])
        assert len(grown.likeness(matrix[0])) == rows
    at_once = Signs(matrix.mean(axis=0)).extended(matrix)
    np.testing.assert_array_equal(grown.likeness(matrix[9]), at_once.likeness(matrix[9]))


def test_of_few_rows_all_are_kept() -> None:
    np.testing.assert_array_equal(likest(np.array([3, 1, 2], np.int16), 100), [0, 1, 2])


async def test_a_search_by_signs_finds_exact_scores_in_every_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_store, "FROM_ROWS", 8)
    index, made = SqliteIndex(tmp_path), vectors(40)
    for number in range(4):
        chunks = await put_document(index, make_document(f"d{number}"), ["text"] * 10)
        of_chunks = made[10 * number : 10 * number + 10]
        await index.put_vectors("e", [ChunkVectors(chunk.chunk_id, vector) for chunk, vector in zip(chunks, of_chunks, strict=True)])
        found = (await index.candidates(ME, Search("default", vector=made[0], embedder="e", limit=5))).dense
        nearest = np.sort(made[: 10 * number + 10] @ made[0])[::-1][:5]
        assert found[0].chunk_id == "d0|1|0"
        np.testing.assert_allclose([entry.score for entry in found], nearest, atol=1e-6)
    await index.close()
