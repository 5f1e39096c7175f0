"""Near-duplicates leave the hits, and MMR prefers passages that differ from better ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.bootstrap import Core
from footnote.rank.diversify import diversify, drop_duplicates
from footnote.settings import LLM, Embedding, Settings
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.types import Caller, ChunkSentences, Evidence, OptionName, Profile, Request, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeEmbedder, make_document, make_hit, put_document
from tests.turns import ME, make_turn

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")


class Stored:
    """An index that knows the sentences of passages, some with a vector at this angle (degrees)."""

    def __init__(self, texts: Sequence[str], angles: Sequence[float | None], lang: str = "en") -> None:
        self.found = {}
        for at, (text, angle) in enumerate(zip(texts, angles, strict=True)):
            vector = None if angle is None else np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))], np.float32)
            bounds = tuple(split_sentences(text, lang))
            terms = tuple(" ".join(content_terms(text[start:end], lang)) for start, end in bounds)
            self.found[f"plan|1|{at}"] = ChunkSentences(bounds, None, vector, terms)

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        assert caller == ME
        return {key: self.found[key] for key in chunk_ids}


async def pool_after(
    step: Any, texts: Sequence[str], angles: Sequence[float | None], *, limit: int = 5, scores: Sequence[float] = (), lang: str = "en"
) -> tuple[list[int], Turn]:
    """The ordinals of the pool after the step, best first before."""
    given = scores or [1 - at / 10 for at in range(len(texts))]
    pool = tuple(make_hit(text, ordinal=at, score=score, lang=lang) for at, (text, score) in enumerate(zip(texts, given, strict=True)))
    turn = replace(make_turn(limit=limit), evidence=Evidence(pool=pool, hits=pool[:limit]))
    deps = FakeDeps(index=Stored(texts, angles, lang), embedder=FakeEmbedder())
    turn = await call_step(step, turn, deps)
    return [hit.chunk.ordinal for hit in turn.evidence.pool], turn


BRIDGE = "The old bridge over the river was built by masons in nine years."
HOUSE = "A house of stone stands on the hill behind the village and its church."


@pytest.mark.parametrize(
    ("texts", "angles", "left", "duplicates"),
    [
        pytest.param(["the bridge was built", "masons built it", "a house"], [0, 10, 80], [0, 2], 1, id="above 95 percent one leaves"),
        pytest.param(["the bridge was built", "masons built it", "a house"], [0, 20, 80], [0, 1, 2], None, id="below 95 percent all stay"),
        pytest.param(["one", "two", "two", "two"], [0, 80, 81, 82], [0, 1, 2, 3], None, id="beyond the hits they stay"),
    ],
)
async def test_a_duplicate_leaves_the_hits_and_the_next_takes_its_place(
    texts: list[str], angles: list[float], left: list[int], duplicates: int | None
) -> None:
    order, turn = await pool_after(drop_duplicates, texts, angles, limit=2)
    assert (order, turn.trace.notes.get("duplicates")) == (left, duplicates)


@pytest.mark.parametrize("angles", [(None, None, None), (0, None, 80), (0, 60, 80)])
async def test_the_same_words_are_a_duplicate_without_vectors_and_under_another_title(angles: Any) -> None:
    order, _ = await pool_after(drop_duplicates, [BRIDGE, f"{BRIDGE} ", HOUSE], angles, limit=2)
    assert order == [0, 2]


@pytest.mark.parametrize(
    ("one", "other", "lang"),
    [
        ("The rent is 500 euros a month.", "The rent is 600 euros a month.", "en"),
        ("The rent is due when Smith moves in.", "The rent is due when Miller moves in.", "en"),
        ("Smoking is allowed on the balcony.", "Smoking is not allowed on the balcony.", "en"),
        ("Rauchen ist auf dem Balkon erlaubt.", "Rauchen ist auf dem Balkon nicht erlaubt.", "de"),
        ("발코니에서 담배를 피울 수 있습니다.", "발코니에서 담배를 피울 수 없습니다.", "ko"),
    ],
)
async def test_passages_that_differ_in_a_number_a_name_or_a_negation_stay(one: str, other: str, lang: str) -> None:
    order, _ = await pool_after(drop_duplicates, [one, other, "etwas anderes"], [0, 1, 80], limit=2, lang=lang)
    assert order == [0, 1, 2]


@pytest.mark.parametrize(
    ("texts", "angles", "limit", "scores", "expected"),
    [
        pytest.param(["a", "b", "c"], [0, 10, 80], 2, [0.9, 0.85, 0.7], [0, 2, 1], id="one that differs is preferred"),
        pytest.param(["a b c", "d e f", "g h i"], [None, None, None], 3, (), [0, 1, 2], id="where all differ alike the order stays"),
        pytest.param([BRIDGE, BRIDGE, HOUSE], [None, None, None], 2, [0.9, 0.85, 0.7], [0, 2, 1], id="words are compared without vectors"),
    ],
)
async def test_mmr_orders_passages_by_score_and_difference(
    texts: list[str], angles: list[Any], limit: int, scores: Sequence[float], expected: list[int]
) -> None:
    order, _ = await pool_after(diversify, texts, angles, limit=limit, scores=scores)
    assert order == expected


@pytest.mark.parametrize(("options", "expected"), [({}, ["one", "two"]), ({"drop_duplicates": True}, ["one", "three"])])
async def test_a_copied_file_takes_no_place_among_the_hits_if_that_is_asked_for(
    options: dict[OptionName, bool], expected: list[str], tmp_path: Path
) -> None:
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    for doc_id, text in (("one", BRIDGE), ("two", BRIDGE), ("three", "The bridge is old. " + HOUSE)):
        await put_document(core.generations, make_document(doc_id, title="T"), [text])
    request = Request("When was the old bridge built?", "default", limit=2, options=options)
    turn = await core.retrieve.finish(core.new_turn(request, Caller("local", sees_all=True), PROFILE))
    assert sorted(hit.chunk.doc_id for hit in turn.evidence.hits) == sorted(expected)
    await core.close()
