"""The search cache on the embedded index and store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.store import open_store
from footnote.errors import StoreUnavailable
from footnote.memory.search_cache import keep_searches, may_use_search_cache, recall_searches
from footnote.pipeline import SEARCH
from footnote.settings import Caching, Settings
from footnote.types import Caller, Turn
from tests.conftest import HandClock
from tests.deps import FakeDeps, finish, run_step
from tests.fakes import FakeEmbedder, make_document, put_document
from tests.turns import HELD, ME, make_turn, with_

SEARCHING = replace(HELD, search_cache_s=900, options={"search_cache": True})
ASKED = make_turn("When was the bridge built?", SEARCHING)


class Counting(SqliteIndex):
    """Counts the searches."""

    searches = 0

    async def candidates(self, *asked: Any) -> Any:
        self.searches += 1
        return await super().candidates(*asked)


@pytest.fixture
async def bound(tmp_path: Path, clock: HandClock) -> AsyncIterator[FakeDeps]:
    index, store = Counting(tmp_path), open_store(tmp_path)
    await put_document(index, make_document("bridge"), ["The bridge was built in 1894.", "Ferries cross the river."])
    yield FakeDeps(index=index, optional_cache=SqliteCache(store, clock), clock=clock)
    await index.close()
    store.close()


async def search(bound: FakeDeps, turn: Turn = ASKED) -> Turn:
    return await finish(SEARCH, turn, bound)


async def test_a_question_is_searched_once(bound: FakeDeps, clock: HandClock) -> None:
    first = await search(bound)
    clock.advance(90)
    again = await search(bound, with_(ASKED, question="when was the bridge built"))
    assert bound.index.searches == 1
    assert [found.items for found in again.evidence.lists] == [found.items for found in first.evidence.lists]
    assert again.evidence.hits == first.evidence.hits
    assert first.trace.notes["search_cache"] == {"hits": 0}
    assert again.trace.notes["search_cache"] == {"hits": 1, "age_s": 90.0, "similarity": 1.0}
    clock.advance(811)
    await search(bound)
    assert bound.index.searches == 2


async def test_only_the_new_queries_of_a_turn_are_searched(bound: FakeDeps) -> None:
    await search(bound)
    turn = await search(bound, with_(ASKED, queries=("What crosses the river?", "When was the bridge built?")))
    assert bound.index.searches == 2
    assert [hit.chunk.ordinal for hit in turn.evidence.hits] == [0, 1]
    await search(bound, with_(ASKED, question="What crosses the river?"))
    assert bound.index.searches == 2


async def test_other_callers_other_filters_and_other_words_are_searched_again(bound: FakeDeps) -> None:
    await search(bound)
    others = (
        with_(ASKED, caller=Caller("me", frozenset({"guests"}))),
        with_(ASKED, filters={"class": ("a",)}),
        with_(ASKED, question="Where was the bridge built?"),
    )
    for other in others:
        await search(bound, other)
    assert bound.index.searches == 4


async def test_a_change_in_the_collection_invalidates_the_results(bound: FakeDeps) -> None:
    await search(bound)
    await put_document(bound.index, make_document("second"), ["A second bridge was built in 1910."])
    turn = await search(bound)
    assert bound.index.searches == 2
    assert {hit.chunk.doc_id for hit in turn.evidence.hits} == {"bridge", "second"}
    await bound.index.remove("bridge", 1)
    assert {hit.chunk.doc_id for hit in (await search(bound)).evidence.hits} == {"second"}


async def test_a_change_during_the_search_invalidates_its_results(bound: FakeDeps) -> None:
    begun = await run_step(recall_searches, ASKED, bound)
    found = (await search(bound)).evidence.lists
    await put_document(bound.index, make_document("second"), ["A second bridge was built in 1910."])
    await run_step(keep_searches, with_(begun, lists=found), bound)
    assert {hit.chunk.doc_id for hit in (await search(bound)).evidence.hits} == {"bridge", "second"}


@pytest.mark.parametrize(
    ("turn", "caching"),
    [
        (with_(ASKED, profile=HELD), Caching()),
        (with_(ASKED, is_test=True), Caching()),
        (ASKED, Caching(enabled=False)),
        (with_(ASKED, degraded=True), Caching()),
    ],
)
async def test_nothing_is_cached_when_caching_is_off_or_the_turn_excludes_it(bound: FakeDeps, turn: Turn, caching: Caching) -> None:
    bound.settings = Settings(cache=caching)
    turn = with_(turn, settings=bound.settings)
    await search(bound, turn)
    await search(bound, turn)
    assert bound.index.searches == 2


async def test_other_signs_hit_by_their_vectors(bound: FakeDeps) -> None:
    embedder = bound.embedder = FakeEmbedder()
    for question in ("When was the bridge built?", "“When” was the (bridge) built?"):
        await search(bound, with_(ASKED, question=question, vectors=(embedder.vector("bridge built"),), embedder=embedder.name))
    assert bound.index.searches == 1


async def test_an_incomplete_search_is_not_cached_and_leaves_only_a_count_in_the_trace(bound: FakeDeps) -> None:
    assert (await search(bound, with_(ASKED, degraded=True))).trace.notes == {"search_cache": {"hits": 0}}


async def test_the_search_works_while_the_store_is_down(bound: FakeDeps) -> None:
    class Down:
        async def get(self, key: str) -> None:
            raise StoreUnavailable("down")

    turn = await search(bound.but(optional_cache=Down()))
    assert [hit.chunk.doc_id for hit in turn.evidence.hits] == ["bridge", "bridge"]
    assert {span.name: span.status for span in turn.trace.spans}["recall"] == "skipped"


def test_the_search_cache_is_not_used_if_an_external_system_found_something() -> None:
    assert may_use_search_cache(ASKED)
    assert not may_use_search_cache(with_(ASKED, caller=ME, hits=(object(),)))
