"""Vectors of passages and their sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.ingest import vectors
from footnote.ingest.vectors import embed_chunks, embedding_progress, pending_chunks
from footnote.ports import PendingVector
from footnote.text.embedded_texts import passage_of, quantise
from footnote.types import Search
from tests.fakes import FakeEmbedder, FakeVectorCache, make_document, put_document
from tests.turns import ME

TEXT = "It rained. It snowed."


async def test_a_passage_gets_one_vector_with_its_title_and_one_for_each_sentence() -> None:
    embedder = FakeEmbedder()
    waiting = [PendingVector("a|1|0", "Weather", TEXT, "en", ((0, 10), (11, 21))), PendingVector("b|1|0", "", "Sun.", "en", ())]
    first, second = await embed_chunks(embedder, waiting, FakeVectorCache())
    assert embedder.embedded == [f"Weather {TEXT}", "Weather: It rained.", "Weather: It snowed.", "Sun."]
    assert (first.chunk_id, second.chunk_id) == ("a|1|0", "b|1|0")
    np.testing.assert_array_equal(first.vector, embedder.vector(f"Weather {TEXT}"))
    np.testing.assert_allclose(first.sentences[1] / 127, embedder.vector("Weather: It snowed."), atol=0.5 / 127 + 1e-6)
    assert (first.sentences.shape, second.sentences.shape) == ((2, 16), (0, 16))


@pytest.mark.parametrize(
    ("headings", "text", "embedded"),
    [
        (("Care", "Feeding"), "Twice a day.", "Cats Care Feeding Twice a day."),
        (("Cats", "Feeding"), "Twice a day.", "Cats Feeding Twice a day."),
        (("Care", "Feeding"), "Feeding\n\nTwice a day.", "Cats Care Feeding\n\nTwice a day."),
        (("Care", "Feeding"), "Care\n\nFeeding\n\nTwice a day.", "Cats Care\n\nFeeding\n\nTwice a day."),
        (("Care", "Feeding"), "Care › Feeding\n\nTwice a day.", "Cats Care › Feeding\n\nTwice a day."),
        ((), "Twice a day.", "Cats Twice a day."),
    ],
)
def test_a_passage_is_embedded_under_its_headings_each_once(headings: tuple[str, ...], text: str, embedded: str) -> None:
    assert passage_of("Cats", headings, text, ()).text == embedded


async def test_a_new_recipe_embeds_everything_again_without_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index, embedder = SqliteIndex(tmp_path), FakeEmbedder()
    await put_document(index, make_document(), ["The bridge.", "The tower.", "The road."])

    async def embed_one() -> None:
        await index.put_vectors(embedder.name, await embed_chunks(embedder, await pending_chunks(index, embedder, 1), FakeVectorCache()))

    async def nearest(text: str) -> tuple[list[str], float]:
        asked = Search("default", vector=embedder.vector(text), embedder=embedder.name)
        found = await index.candidates(ME, asked)
        return [entry.chunk_id for entry in found.dense][:1], found.coverage

    for _ in range(3):
        await embed_one()
    monkeypatch.setattr(vectors, "RECIPE", vectors.RECIPE + 1)
    for done in range(3):
        assert await embedding_progress(index, embedder) == (done, 3)
        assert [await nearest(text) for text in ("bridge", "tower", "road")] == [([f"plan|1|{i}"], 1.0) for i in range(3)]
        await embed_one()
    assert (await embedding_progress(index, embedder), await pending_chunks(index, embedder, 9)) == ((3, 3), [])
    await index.close()


def test_a_value_is_rounded_to_the_nearest_127th() -> None:
    quantised = quantise(np.array([[1.0, -1.0, 0.0, 0.5, 1 / 127]], np.float32))
    assert (quantised.dtype.name, quantised.tolist()) == ("int8", [[127, -127, 0, 64, 1]])
