"""What every reranker does."""

from __future__ import annotations

from typing import Any

QUERY = "when was the bridge built"


async def test_texts_get_scores_by_their_position(reranker: Any) -> None:
    scores = await reranker.rerank(QUERY, ["cats sleep", "the bridge was built in 1894", "the bridge"])
    assert {at: round(score, 3) for at, score in scores.items()} == {0: 0.0, 1: 0.8, 2: 0.4}


async def test_no_texts_get_no_scores(reranker: Any) -> None:
    assert await reranker.rerank(QUERY, []) == {}


async def test_seventy_texts_are_scored_each_at_its_own_position(reranker: Any) -> None:
    texts = [f"house {number}" for number in range(70)]
    texts[69] = texts[33] = "the bridge was built"
    scores = await reranker.rerank(QUERY, texts)
    assert sorted(scores) == list(range(70))
    assert [at for at, score in scores.items() if score > 0.5] in ([33, 69], [69, 33])


async def test_empty_and_very_long_texts_are_scored(reranker: Any) -> None:
    scores = await reranker.rerank(QUERY, ["", "the bridge was built " + "x" * 40_000, " "])
    assert max(scores, key=scores.__getitem__) == 1
    assert len(scores) == 3
