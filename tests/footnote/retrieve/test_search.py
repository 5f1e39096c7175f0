"""Searches in the index."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from footnote.errors import SearchTimeout, SearchUnavailable
from footnote.retrieve.fuse import fuse_lists
from footnote.retrieve.search import embed_query, lacks_lists, search, wants_vector, warn_of_missing_lists
from footnote.settings import Rag
from footnote.types import Answer, Caller, Candidate, Candidates, Query, Retriever, Search, Turn
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


class Bilingual(FakeEmbedder):
    """Leaves the language out by the sign."""

    def across_languages(self, vectors: Any) -> Any:
        return -vectors


@pytest.mark.parametrize(
    ("languages", "sign"), [({"en": 9}, 1), ({"en": 90, "de": 9}, 1), ({"en": 8, "de": 2}, -1), ({"de": 5}, -1), ({}, 1)]
)
async def test_beside_other_languages_the_vector_does_not_tell_its_own(languages: dict[str, int], sign: int) -> None:
    turn = replace(make_turn("Why?"), languages=languages)
    embedder = Bilingual(languages=None)
    (vector,) = (await call_step(embed_query, turn, FakeDeps(embedder=embedder))).vectors
    np.testing.assert_array_equal(vector, sign * (await embedder.embed(["Why?"], query=True))[0])


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
    assert turn.trace.degraded
    assert turn.trace.notes["lists_missing"] == (["cosine"] if down == "vectors" else ["bm25"])
    ranked = (await call_step(fuse_lists, turn, FakeDeps(embedder=FakeEmbedder()))).evidence.ranked
    assert [(entry.chunk_id, entry.score) for entry in ranked] == [(found[0], 1.0)]


async def test_the_search_fails_if_both_lists_do() -> None:
    turn = make_turn("Why?", vectors=(np.ones(16, np.float32),))
    with pytest.raises(SearchUnavailable):
        await call_step(search, turn, FakeDeps(index=Half("words", "vectors"), embedder=FakeEmbedder()))


class Slow:
    """An index that has one list only, or answers only when it is told to, by the words of the search."""

    def __init__(
        self, *late: str, missing: frozenset[str] = frozenset(), error: Exception | None = None, after_s: float | None = None
    ) -> None:
        self.late, self.missing, self.error, self.after_s = late, missing, error, after_s
        self.cancelled: list[str] = []

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        if search.text in self.late and self.after_s is not None:
            await asyncio.sleep(self.after_s)
        elif search.text in self.late:
            try:
                await (asyncio.sleep(0) if self.error else asyncio.Event().wait())
            except asyncio.CancelledError:
                self.cancelled.append(search.text)
                raise
            raise self.error or AssertionError
        return Candidates((Candidate("a", 1.0),), missing=self.missing, ms={"bm25": 1.25, "cosine": 1000.0})


def derived(*texts: str) -> Turn:
    turn = make_turn("Why?")
    return replace(turn, queries=(*turn.queries, *(Query(text, "paraphrase", 0.5) for text in texts)))


async def test_a_list_that_was_late_degrades_the_turn_and_is_named_in_it_and_in_its_answer() -> None:
    turn = await call_step(search, make_turn("Why?"), FakeDeps(index=Slow(missing=frozenset({"cosine"}))))
    assert turn.trace.degraded
    assert turn.trace.notes == {"latency_map": {"bm25": 1.25, "cosine": 1000.0}, "lists_missing": ["cosine"]}
    assert not lacks_lists(turn)
    answered = replace(turn, answer=Answer("So.", warnings=("uncited",)))
    assert lacks_lists(answered)
    assert (await call_step(warn_of_missing_lists, answered, FakeDeps())).answer.warnings == ("uncited", "missing_cosine")


@pytest.mark.parametrize("error", [None, SearchUnavailable("It is down."), SearchTimeout("Late.")], ids=["late", "down", "timed out"])
async def test_a_derived_query_that_is_late_or_fails_is_left_out(error: Exception | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.retrieve.search.LATE_S", 0.05)
    index = Slow("slowly", error=error)
    turn = await call_step(search, derived("slowly", "soon"), FakeDeps(index=index))
    assert [found.query for found in turn.evidence.lists] == ["Why?", "Why?", "soon", "soon"]
    assert (turn.trace.degraded, turn.trace.notes["lists_missing"]) == (True, ["paraphrase"])
    assert index.cancelled == ([] if error else ["slowly"])
    warned = await call_step(warn_of_missing_lists, replace(turn, answer=Answer("So.")), FakeDeps())
    assert warned.answer.warnings == ("missing_derived",)


async def test_derived_queries_are_waited_for_where_nothing_else_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.retrieve.search.LATE_S", 0.0)
    first = await call_step(search, make_turn("Why?"), FakeDeps(index=Slow()))
    turn = replace(first, queries=(*first.queries, Query("later", "feedback", 0.5)))
    found = await call_step(search, turn, FakeDeps(index=Slow("later", error=None, after_s=0.02)))
    assert ([each.query for each in found.evidence.lists][-1], found.trace.degraded) == ("later", False)


async def test_without_the_question_s_own_lists_the_search_fails() -> None:
    index = Slow("Why?", error=SearchTimeout("Late."))
    with pytest.raises(SearchTimeout):
        await call_step(search, derived("soon"), FakeDeps(index=index))


async def test_a_defect_in_the_search_of_a_derived_query_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        await call_step(search, derived("slowly"), FakeDeps(index=Slow("slowly", error=ZeroDivisionError())))


async def test_knn_without_a_vector_is_an_error_and_not_an_empty_result() -> None:
    with pytest.raises(SearchUnavailable, match="needs an embedder"):
        await call_step(search, make_turn(retriever="knn"), FakeDeps(index=Asked(), embedder=FakeEmbedder()))
