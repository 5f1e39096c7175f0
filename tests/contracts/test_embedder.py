"""What every embedder does."""

from __future__ import annotations

from typing import Any

import numpy as np

SENTENCES = ["The bridge was built in 1894.", "Cats sleep all day.", "", "x", "The bridge was built in the year 1894.", "word " * 60]


async def test_every_text_gets_a_vector_of_length_one(embedder: Any) -> None:
    vectors = await embedder.embed(SENTENCES)
    assert (vectors.shape, vectors.dtype) == ((len(SENTENCES), embedder.dimension), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_no_texts_are_no_vectors(embedder: Any) -> None:
    assert (await embedder.embed([])).shape == (0, embedder.dimension)


async def test_a_text_has_the_same_vector_alone_as_among_others(embedder: Any) -> None:
    together = await embedder.embed(SENTENCES)
    backwards = await embedder.embed(SENTENCES[::-1])
    for text, vector, again in zip(SENTENCES, together, backwards[::-1], strict=True):
        assert np.allclose(vector, again, atol=1e-5)
        assert np.allclose(vector, (await embedder.embed([text]))[0], atol=1e-5)


async def test_texts_of_similar_meaning_have_more_similar_vectors(embedder: Any) -> None:
    bridge, cats, _, _, same, _ = await embedder.embed(SENTENCES)
    assert float(bridge @ same) > 0.8 > float(bridge @ cats) + 0.2


async def test_a_question_is_similar_to_its_answer(embedder: Any) -> None:
    (question,) = await embedder.embed(["When was the bridge built?"], query=True)
    bridge, cats = (await embedder.embed(SENTENCES))[:2]
    assert float(question @ bridge) > float(question @ cats) + 0.2


async def test_an_embedder_has_a_name_and_languages(embedder: Any) -> None:
    assert embedder.name
    assert embedder.languages is None or "en" in embedder.languages
