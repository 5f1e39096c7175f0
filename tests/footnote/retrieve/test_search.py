"""Searches in the index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footnote.errors import SearchUnavailable
from footnote.retrieve.fuse import fuse_lists
from footnote.retrieve.search import embed_query, search, wants_vector
from footnote.settings import Rag
from footnote.types import Caller, Candidate, Candidates, Retriever, Search
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeEmbedder
from tests.turns import ME, make_turn, with_


class Asked:
    def __init__(self) -> None:
        self.searches: list[tuple[Caller, Search]] = []

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        self.searches.append((caller, search))
        return Candidates(coverage=0.5)


@pytest.mark.parametrize(
    ("retriever", "lang", "fusion", "embeds"),
    [
        ("cc", "en", "minmax", 1),
        ("rrf", "ko", "minmax", 0),
        ("knn", "ko", "minmax", 1),
        ("cc", "und", "minmax", 1),
        ("cc", "mis", "minmax", 0),
        ("cc", "ko", "convex", 1),
    ],
)
async def test_a_question_is_embedded_if_its_vector_would_have_weight(retriever: Retriever, lang: str, fusion: Any, embeds: int) -> None:
    embedder = FakeEmbedder()
    turn = await call_step(
        embed_query, make_turn("Why?", retriever=retriever, lang=lang), FakeDeps(embedder=embedder, rag=Rag(fusion=fusion))
    )
    assert embedder.embedded == ["Why?"] * embeds
    assert bool(turn.vectors) == bool(embeds)
    assert not wants_vector(make_turn(retriever="bm25"))
    assert (await call_step(embed_query, make_turn(), FakeDeps())).vectors == ()


async def test_the_index_is_searched_for_the_caller_with_all_filters_of_the_request() -> None:
    index = Asked()
    turn = make_turn("Why?", lang="de", collection="laws", filters={"year": ("1949",)}, levels=(1, 2))
    turn = await call_step(
        search, with_(turn, embedder="fake-embedder"), FakeDeps(index=index, embedder=FakeEmbedder(), rag=Rag(candidates=30))
    )
    assert index.searches == [
        (ME, Search("laws", "Why?", "de", None, "fake-embedder", frozenset({"en", "und"}), 30, levels=(1, 2), filters={"year": ("1949",)})),
    ]
    assert [found.coverage for found in turn.evidence.lists] == [1.0, 0.5]
    vector = np.ones(2, np.float32)
    await call_step(search, with_(turn, retriever="knn", vectors=(vector,), found=()), FakeDeps(index=index, embedder=FakeEmbedder()))
    assert index.searches[1][1].text == ""
    assert index.searches[1][1].vector is vector


class Half:
    """An index that fails for searches with vectors, with words, or both."""

    def __init__(self, *down: str) -> None:
        self.down = down

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        if (search.text and "words" in self.down) or (search.vector is not None and "vectors" in self.down):
            raise SearchUnavailable("It is down.")
        lexical, dense = (Candidate("a", 1.0),), (Candidate("b", 1.0),)
        return Candidates(lexical if search.text else (), dense if search.vector is not None else ())


@pytest.mark.parametrize(("down", "found"), [("vectors", ["a"]), ("words", ["b"])])
async def test_a_list_that_fails_is_left_out_and_the_turn_is_degraded(down: str, found: list[str]) -> None:
    turn = make_turn("Why?", vectors=(np.ones(16, np.float32),))
    turn = await call_step(search, turn, FakeDeps(index=Half(down), embedder=FakeEmbedder()))
    assert [entry.chunk_id for each in turn.evidence.lists for entry in each.items] == found
    assert turn.record.degraded
    ranked = (await call_step(fuse_lists, turn, FakeDeps(embedder=FakeEmbedder()))).evidence.ranked
    assert [(entry.chunk_id, entry.score) for entry in ranked] == [(found[0], 1.0)]


async def test_the_search_fails_if_both_lists_do() -> None:
    turn = make_turn("Why?", vectors=(np.ones(16, np.float32),))
    with pytest.raises(SearchUnavailable):
        await call_step(search, turn, FakeDeps(index=Half("words", "vectors"), embedder=FakeEmbedder()))


async def test_knn_without_a_vector_is_an_error_and_not_an_empty_result() -> None:
    with pytest.raises(SearchUnavailable, match="needs an embedder"):
        await call_step(search, make_turn(retriever="knn"), FakeDeps(index=Asked(), embedder=FakeEmbedder()))
