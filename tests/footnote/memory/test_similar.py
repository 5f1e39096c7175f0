"""Lookup of similar questions: a hit has the same normal form, and the same words or near vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.memory.similar import CacheQuery, answer_query, cache_key, keep, look_up
from footnote.settings import Caching
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder
from tests.turns import make_turn

CACHING = Caching()


def vector(cosine: float) -> npt.NDArray[np.float32]:
    """A unit vector with this cosine to the first axis."""
    made = np.zeros(16, np.float32)
    made[:2] = cosine, np.sqrt(1 - cosine**2)
    return made


async def found(cache: Any, first: CacheQuery, then: CacheQuery, caching: Caching = CACHING, scope: str = "s") -> Any:
    await keep(cache, cache_key("s", first, caching), first, "answer", 60, now=100.0)
    return await look_up(cache, cache_key(scope, then, caching), then, caching, now=107.5)


async def test_the_same_words_are_found_without_vectors(cache: SqliteCache) -> None:
    hit = await found(cache, CacheQuery(("Wie lang ist die Frist?",), "de"), CacheQuery(("  wie lang ist  die frist",), "de"))
    assert (hit.value, hit.similarity, hit.age_s) == ("answer", 1.0, 7.5)


async def test_words_with_other_signs_need_similar_vectors(cache: SqliteCache) -> None:
    first = CacheQuery(("What is the notice period, usually?",), "en", (vector(1.0),))
    other = CacheQuery(("What is the “notice period” usually?",), "en", (vector(0.9),))
    assert (await found(cache, first, other)).similarity == pytest.approx(0.93, abs=0.01)
    assert await found(cache, first, replace(other, vectors=(vector(0.8),))) is None
    assert await found(cache, first, replace(other, vectors=())) is None
    assert await found(cache, replace(first, vectors=()), other) is None


@pytest.mark.parametrize(
    ("mode", "question", "at_90", "at_95"),
    [
        ("adaptive", "what is the usual notice period", True, True),
        ("adaptive", "what is the notice period of Acme", False, True),
        ("adaptive", "what is the fee for 2 people", False, True),
        ("adaptive", "what is not allowed at work", False, True),
        ("adaptive", "notice period now", False, True),
        ("precision", "what is the usual notice period", False, True),
        ("recall", "what is the fee for 2 people", True, True),
    ],
)
async def test_the_threshold_depends_on_the_mode_and_the_question(
    cache: SqliteCache, mode: Any, question: str, at_90: bool, at_95: bool
) -> None:
    caching = Caching(threshold_mode=mode)
    first = CacheQuery((f"“{question}”",), "en", (vector(1.0),))
    assert (await found(cache, first, CacheQuery((question,), "en", (vector(0.95),)), caching) is not None) is at_95
    assert (await found(cache, first, CacheQuery((question,), "en", (vector(0.9),)), caching) is not None) is at_90


async def test_similar_vectors_do_not_make_questions_the_same(cache: SqliteCache) -> None:
    first, other = (CacheQuery((f"Can I travel {word} a visa?",), "en", (vector(1.0),)) for word in ("with", "without"))
    one = Caching(max_entries=1)  # both belong to the same slot
    assert await found(cache, first, other, one) is None
    assert await found(cache, first, first, one) is not None


async def test_the_least_similar_of_several_queries_decides(cache: SqliteCache) -> None:
    first = CacheQuery(("what is the notice period", "what is the usual fee"), "en", (vector(1.0), vector(1.0)))
    other = CacheQuery(("what is the “notice period”", "what is the usual fee"), "en", (vector(0.92), vector(0.99)))
    assert (await found(cache, first, other)).similarity == pytest.approx(0.945, abs=0.01)
    assert await found(cache, first, replace(other, vectors=(vector(0.99), vector(0.8)))) is None


async def test_an_entry_is_invisible_to_other_scopes_and_expires(cache: SqliteCache, clock: HandClock) -> None:
    asked = CacheQuery(("How long?",), "en")
    assert await found(cache, asked, asked, scope="other") is None
    assert await found(cache, asked, asked) is not None
    clock.advance(60)
    assert await look_up(cache, cache_key("s", asked, CACHING), asked, CACHING, clock()) is None


async def test_no_more_entries_are_kept_than_the_settings_say(cache: SqliteCache) -> None:
    caching = Caching(max_entries=4)
    places = {cache_key("s", CacheQuery((f"question number {i}",), "en"), caching) for i in range(100)}
    assert places == {"asked:s:0", "asked:s:1", "asked:s:2", "asked:s:3"}


def test_vectors_are_compared_only_if_the_embedder_supports_the_language() -> None:
    turn = make_turn("Wie lange?", lang="de", vectors=(vector(1.0),))
    assert answer_query(turn, FakeEmbedder()).vectors == ()
    assert answer_query(turn, None).vectors == ()
    assert answer_query(turn, FakeEmbedder(languages=None)).vectors == turn.vectors
