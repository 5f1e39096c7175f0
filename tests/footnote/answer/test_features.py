"""What describes an excerpt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from footnote.answer.choose import candidates
from footnote.answer.features import NAMES, OF_SEARCH, describe
from tests.fakes import make_hit
from tests.footnote.answer.stored_sentences import score

BRIDGE = "The bridge was built in 1894. It is painted blue today. Nobody lives on it."
VECTOR = np.array([1.0, 0.0], np.float32)


async def described(question: str, *texts: str, lang: str = "en", **index: Any) -> list[dict[str, float]]:
    """What describes each excerpt of these passages, by column."""
    hits = tuple(replace(make_hit(text, f"d{at}"), scores={"bm25": 4.0 / (at + 1)}) for at, text in enumerate(texts))
    asked, sentences = await score(question, *hits, lang=lang, **index)
    rows = describe(asked, list(candidates(sentences)), sentences, hits)
    return [dict(zip(NAMES, map(float, row), strict=True)) for row in rows]


@pytest.mark.parametrize(
    ("question", "text", "column", "value"),
    [
        ("When was the bridge built?", BRIDGE, "covered", 1.0),
        ("When was the bridge built?", BRIDGE, "missing", 0.0),
        ("When was the bridge sold?", BRIDGE, "missing", 1.0),
        ("Was the bridge built in 1894?", BRIDGE, "numbers_missing", 0.0),
        ("Was the bridge built in 1895?", BRIDGE, "numbers_missing", 1.0),
        ("Is module AB-12 sold?", "Module AB-13 is sold.", "codes_missing", 1.0),
        ("Is module AB-12 sold?", "Module AB-12 is sold.", "codes_missing", 0.0),
        ("Who is Ada Berg of the bridge?", BRIDGE, "names_missing", 2.0),
        ("What is in the list?", "- The list of soap.\n- The list of tea.", "is_list", 1.0),
        ("What does the hall cost?", "| Hall | Fee |\n| --- | --- |\n| The hall | 20 euros |", "is_table", 1.0),
    ],
)
async def test_columns_say_what_they_are_named_after(question: str, text: str, column: str, value: float) -> None:
    found, *_ = await described(question, text, weights={"": 1.0})
    assert found[column] == pytest.approx(value)


async def test_without_vectors_their_columns_are_zero() -> None:
    found, *_ = await described("When was the bridge built?", BRIDGE)
    assert {found[name] for name in ("cosine", "cosine_centred", "passage_cosine", "highest_cosine", "nearest")} == {0.0}


async def test_cosines_are_centred_on_those_of_all_passages() -> None:
    vectors = np.array([[100, 0], [0, 127], [0, 127]], np.int8)
    found, *_ = await described(
        "When was the bridge built?", BRIDGE, vector=VECTOR, vectors=vectors, passage=np.array([0.5, 0.0], np.float32)
    )
    assert found["cosine"] == pytest.approx(100 / 127, abs=0.001)
    assert found["cosine_centred"] > 1 > found["excerpt_centred"]
    assert (found["passage_cosine"], found["highest_cosine"]) == (0.5, found["cosine"])


async def test_search_features_are_the_same_for_all_excerpts() -> None:
    first, second, *_ = await described("When was the bridge built?", BRIDGE, "The bridge was sold.")
    assert {name: first[name] for name in OF_SEARCH} == {name: second[name] for name in OF_SEARCH}
    assert first["above_others"] > 0 > second["above_others"]
    assert first["place"] < second["place"]
