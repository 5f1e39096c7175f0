"""Vectors of passages and their sentences."""

from __future__ import annotations

import numpy as np

from footnote.ingest.vectors import embed_chunks, quantise
from footnote.ports import PendingVector
from tests.fakes import FakeEmbedder

TEXT = "It rained. It snowed."


async def test_a_passage_gets_one_vector_with_its_title_and_one_for_each_sentence() -> None:
    embedder = FakeEmbedder()
    waiting = [PendingVector("a|1|0", "Weather", TEXT, "en", ((0, 10), (11, 21))), PendingVector("b|1|0", "", "Sun.", "en", ())]
    first, second = await embed_chunks(embedder, waiting)
    assert embedder.embedded == [f"Weather {TEXT}", "It rained.", "It snowed.", "Sun."]
    assert (first.chunk_id, second.chunk_id) == ("a|1|0", "b|1|0")
    np.testing.assert_array_equal(first.vector, embedder.vector(f"Weather {TEXT}"))
    assert first.sentences is not None
    np.testing.assert_allclose(first.sentences[1] / 127, embedder.vector("It snowed."), atol=0.5 / 127 + 1e-6)
    assert second.sentences is not None
    assert (first.sentences.shape, second.sentences.shape) == ((2, 16), (0, 16))


def test_a_value_is_rounded_to_the_nearest_127th() -> None:
    quantised = quantise(np.array([[1.0, -1.0, 0.0, 0.5, 1 / 127]], np.float32))
    assert (quantised.dtype.name, quantised.tolist()) == ("int8", [[127, -127, 0, 64, 1]])
