"""Fusion of ranked lists, with scores computed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote.retrieve.fuse import (
    COMMON,
    INFORMATIVE,
    add_derived,
    convex_combination,
    fuse_lists,
    lists_counted,
    reciprocal_ranks,
    vectors_count,
)
from footnote.retrieve.fuse import fuse as fuse_one
from footnote.settings import Fusion, Rag
from footnote.types import Candidate, Candidates, Query, Ranked, RankedList, Retriever, lists_of
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeEmbedder
from tests.turns import SETTINGS, make_turn


def fuse(found: Candidates, retriever: Retriever, *, weight: float, rrf_k: int = 30) -> list[Ranked]:
    """Fuses what an index found for one query."""
    return fuse_one(lists_of("Why?", found), retriever, weight=weight, rrf_k=rrf_k)


def entries(**scores: float) -> tuple[Candidate, ...]:
    return tuple(Candidate(chunk_id, score) for chunk_id, score in scores.items())


BOTH = Candidates(entries(a=10.0, b=6.0, c=2.0), entries(b=0.9, d=0.5, a=0.4), coverage=1.0)


def scores(ranked: Sequence[Ranked]) -> list[tuple[str, float]]:
    return [(entry.chunk_id, round(entry.score, 6)) for entry in ranked]


def test_min_max_scores_are_weighted_and_a_missing_entry_scores_0() -> None:
    # bm25: a 1, b .5, c 0; cosine: b 1, d .2, a 0
    assert scores(fuse(BOTH, "cc", weight=0.5)) == [("b", 0.75), ("a", 0.5), ("d", 0.1), ("c", 0.0)]
    assert scores(fuse(BOTH, "cc", weight=0.2)) == [("a", 0.8), ("b", 0.6), ("d", 0.04), ("c", 0.0)]


async def test_passages_in_another_language_are_ranked_by_meaning_more_than_by_words() -> None:
    # bm25: a 1, b .5, c 0; cosine: b 1, d .2, a 0; b and d are foreign
    marked = (tuple(entry._replace(foreign=entry.chunk_id in "bd") for entry in found) for found in (BOTH.lexical, BOTH.dense))
    turn, deps = make_turn(retriever="cc", found=(Candidates(*marked),)), FakeDeps(embedder=FakeEmbedder())
    assert scores((await call_step(fuse_lists, turn, deps)).evidence.ranked) == [("b", 0.9), ("a", 0.5), ("d", 0.16), ("c", 0.0)]
    asked = replace(turn, request=replace(turn.request, alpha=0.5))
    assert scores((await call_step(fuse_lists, asked, deps)).evidence.ranked) == [("b", 0.75), ("a", 0.5), ("d", 0.1), ("c", 0.0)]


def test_a_fused_entry_knows_its_query() -> None:
    assert fuse(BOTH, "cc", weight=0.5) == [
        Ranked("b", 0.75, "Why?"),
        Ranked("a", 0.5, "Why?"),
        Ranked("d", pytest.approx(0.1), "Why?"),
        Ranked("c", 0.0, "Why?"),
    ]


def test_a_chunk_is_scored_by_those_of_three_lists_that_could_have_contained_it() -> None:
    words, vectors = lists_of("Why?", BOTH)
    graph = RankedList("graph", "Why?", entries(c=1.0, e=0.5), absent=frozenset({"a"}))
    # weights .5, .5, .5 of 1.5; bm25: a 1, b .5, c 0; cosine: b 1, d .2, a 0; graph: c 1, e 0; a by the first two alone
    expected = [("a", 0.5), ("b", 0.5), ("c", 0.333333), ("d", 0.066667), ("e", 0.0)]
    assert scores(fuse_one((words, vectors, graph), "cc", weight=0.5)) == expected


@pytest.mark.parametrize(
    ("passages", "highest", "first"),
    [
        (COMMON, INFORMATIVE, "word"),  # one of the terms is rare
        (COMMON - 1, INFORMATIVE / 4, "word"),  # few passages hold any of the terms
        (COMMON, INFORMATIVE / 4, "meaning"),
    ],
)
def test_words_that_many_passages_hold_count_less_than_the_meaning(passages: int, highest: float, first: str) -> None:
    common = {f"c{i:02}": highest / 2 for i in range(passages - 2)}
    found = Candidates(entries(word=highest, **common, meaning=highest / 2), entries(meaning=0.5, other=0.4, word=0.4), coverage=1.0)
    assert fuse(found, "cc", weight=0.4)[0].chunk_id == first
    assert fuse(found, "bm25", weight=0.4)[0].chunk_id == "word"
    assert fuse(found, "cc", weight=0.0)[0].chunk_id == "word"


def test_reciprocal_ranks_are_summed_and_scaled_to_one() -> None:
    # k = 30: rank 1 → 31/31, rank 2 → 31/32, rank 3 → 31/33, each half
    assert scores(fuse(BOTH, "rrf", weight=0.5)) == [("b", 0.984375), ("a", 0.969697), ("d", 0.484375), ("c", 0.469697)]
    # k = 1: 1, 2/3, 1/2
    assert scores(fuse(BOTH, "rrf", weight=0.5, rrf_k=1)) == [("b", 0.833333), ("a", 0.75), ("d", 0.333333), ("c", 0.25)]


def test_reciprocal_ranks_take_any_number_of_lists() -> None:
    found = reciprocal_ranks([(entries(a=3, b=2), 1.0), (entries(b=9), 1.0), (entries(c=1), 2.0)], k=1)
    assert {name: round(score, 6) for name, score in found.items()} == {"a": 0.25, "b": 0.416667, "c": 0.5}


def test_each_list_can_be_used_alone() -> None:
    assert scores(fuse(BOTH, "bm25", weight=0.5)) == [("a", 1.0), ("b", 0.5), ("c", 0.0)]
    assert scores(fuse(BOTH, "knn", weight=0.0)) == [("b", 0.9), ("d", 0.5), ("a", 0.4)]
    assert scores(fuse(Candidates((), entries(a=-0.2), 1.0), "knn", weight=1.0)) == [("a", 0.0)]


def test_equal_scores_are_ordered_by_chunk_id() -> None:
    tied = Candidates(entries(z=1.0, a=1.0, m=1.0), (), 0.0)
    for retriever in ("cc", "bm25"):
        assert scores(fuse(tied, retriever, weight=0.5)) == [("a", 1.0), ("m", 1.0), ("z", 1.0)]
    crossed = Candidates(entries(b=2.0, a=1.0), entries(a=0.9, b=0.1), 1.0)
    for retriever in ("cc", "rrf"):
        assert [name for name, _ in scores(fuse(crossed, retriever, weight=0.5))] == ["a", "b"]


def test_the_only_entry_of_a_list_has_the_best_score() -> None:
    assert scores(fuse(Candidates(entries(a=0.001), entries(b=0.2), 1.0), "cc", weight=0.4)) == [("a", 0.6), ("b", 0.4)]


@pytest.mark.parametrize("retriever", ["cc", "rrf", "bm25", "knn"])
def test_empty_lists_are_fused_to_an_empty_list(retriever: Retriever) -> None:
    assert fuse(Candidates(), retriever, weight=0.5) == []


def test_the_weight_of_an_empty_list_goes_to_the_other() -> None:
    for weight in (0.5, 0.9):
        assert scores(fuse(Candidates(entries(a=4.0, b=2.0), (), 1.0), "cc", weight=weight)) == [("a", 1.0), ("b", 0.0)]
        assert scores(fuse(Candidates((), entries(a=0.4, b=0.2), 1.0), "rrf", weight=weight, rrf_k=1)) == [("a", 1.0), ("b", 0.666667)]
    assert convex_combination([(entries(a=1.0), 0.0)]) == {}


def test_the_dense_share_grows_with_the_share_of_chunks_that_have_a_vector() -> None:
    half = Candidates(BOTH.lexical, BOTH.dense, coverage=0.5)  # weight .5 → .25
    assert scores(fuse(half, "cc", weight=0.5)) == [("a", 0.75), ("b", 0.625), ("d", 0.05), ("c", 0.0)]
    none = Candidates(BOTH.lexical, BOTH.dense, coverage=0.0)
    assert scores(fuse(none, "cc", weight=1.0)) == [("a", 1.0), ("b", 0.5), ("c", 0.0)]
    more = Candidates(BOTH.lexical, BOTH.dense, coverage=1.7)
    assert scores(fuse(more, "cc", weight=0.5)) == scores(fuse(BOTH, "cc", weight=0.5))


def test_a_passage_without_a_vector_is_scored_by_the_lexical_list_alone() -> None:
    # c, which would be last in either list, has no vector: its lexical score counts in full.
    waiting = Candidates(entries(a=10.0, c=9.0, b=6.0, d=2.0), entries(b=0.9, a=0.5, d=0.1), coverage=0.5, bare=frozenset({"c"}))
    # share .25; words: a 1, c .875, b .5, d 0; vectors: b 1, a .5, d 0
    assert scores(fuse(waiting, "cc", weight=0.5)) == [("a", 0.875), ("c", 0.875), ("b", 0.625), ("d", 0.0)]
    # k = 1: words a 1, c 2/3, b 1/2, d 2/5; vectors b 1, a 2/3, d 1/2
    assert scores(fuse(waiting, "rrf", weight=0.5, rrf_k=1)) == [("a", 0.916667), ("c", 0.666667), ("b", 0.625), ("d", 0.425)]
    assert scores(fuse(waiting, "knn", weight=0.5)) == [("b", 0.9), ("a", 0.5), ("d", 0.1)]
    assert scores(fuse(waiting, "bm25", weight=0.5))[1] == ("c", 0.875)
    alone = Candidates(waiting.lexical, (), coverage=0.0, bare=frozenset("acbd"))
    assert scores(fuse(alone, "rrf", weight=0.5, rrf_k=1)) == [("a", 1.0), ("c", 0.666667), ("b", 0.5), ("d", 0.4)]


@pytest.mark.parametrize("retriever", ["cc", "rrf"])
async def test_a_passage_without_a_vector_is_found_where_vectors_alone_count(retriever: Retriever) -> None:
    """What is asked for is the meaning alone, and the passage has none yet: its words count instead."""
    new = Candidates(entries(a=10.0, b=6.0, c=2.0), entries(b=0.9, c=0.5), coverage=1.0, bare=frozenset({"a"}))
    turn = make_turn(retriever=retriever, alpha=1.0, found=(new,))
    fused = await call_step(fuse_lists, turn, FakeDeps(embedder=FakeEmbedder(), rag=Rag(rrf_k=1)))
    least = {"cc": 0.0, "rrf": 0.666667}[retriever]
    assert scores(fused.evidence.ranked) == [("a", 1.0), ("b", 1.0), ("c", least)]


@pytest.mark.parametrize(("fusion", "retriever"), [("minmax", "cc"), ("convex", "cc"), ("minmax", "rrf")])
async def test_the_best_lexical_hit_stays_first_while_only_half_of_the_vectors_exist(fusion: Fusion, retriever: Retriever) -> None:
    """The lexical list has 40 passages. The odd ones have vectors and are in the same order in the dense list; the best one
    has no vector yet."""
    lexical = tuple(Candidate(f"p{n:02}", 40.0 - n) for n in range(40))
    dense = tuple(Candidate(f"p{n:02}", 0.9 - n / 100) for n in range(1, 40, 2))
    found = Candidates(lexical, dense, coverage=0.5, bare=frozenset(f"p{n:02}" for n in range(0, 40, 2)))
    fused = await call_step(
        fuse_lists, make_turn(retriever=retriever, found=(found,)), FakeDeps(embedder=FakeEmbedder(), rag=Rag(fusion=fusion))
    )
    assert fused.evidence.ranked[0].chunk_id == "p00"
    assert [entry.chunk_id for entry in fused.evidence.ranked[:6]] == ["p00", "p01", "p02", "p03", "p04", "p05"]


def test_the_dense_list_has_weight_if_the_embedder_supports_the_language() -> None:
    english, all_of_them = FakeEmbedder(), FakeEmbedder(languages=None)
    assert [vectors_count(embedder, "en", Rag()) for embedder in (english, all_of_them, None)] == [True, True, False]
    assert [vectors_count(embedder, "ko", Rag()) for embedder in (english, all_of_them, None)] == [False, True, False]
    assert [vectors_count(embedder, "und", Rag()) for embedder in (english, all_of_them, None)] == [True, True, False]
    assert [vectors_count(embedder, "ko", Rag(fusion="convex")) for embedder in (english, None)] == [True, False]


@pytest.mark.parametrize(
    ("fusion", "retriever", "lang", "best"),
    [
        ("minmax", "cc", "en", [("b", 0.75), ("a", 0.5)]),
        ("minmax", "cc", "ko", [("a", 1.0), ("b", 0.5)]),
        ("convex", "cc", "ko", [("b", 0.75), ("a", 0.5)]),  # a fixed weight applies to every language
        ("minmax", "rrf", "en", [("b", 0.984375), ("a", 0.969697)]),
        ("rrf", "bm25", "en", [("a", 1.0), ("b", 0.5)]),
        ("minmax", "rrf", "ko", [("a", 1.0), ("b", 0.96875)]),
    ],
)
async def test_settings_and_language_choose_the_fusion(
    fusion: Fusion, retriever: Retriever, lang: str, best: list[tuple[str, float]]
) -> None:
    turn = make_turn(retriever=retriever, lang=lang, found=(BOTH,))
    fused = await call_step(fuse_lists, turn, FakeDeps(embedder=FakeEmbedder(), rag=Rag(fusion=fusion)))
    assert scores(fused.evidence.ranked)[:2] == best


async def test_without_an_embedder_the_lexical_list_decides_alone() -> None:
    fused = await call_step(fuse_lists, make_turn(retriever="cc", found=(BOTH,)), FakeDeps(rag=Rag(fusion="convex")))
    assert scores(fused.evidence.ranked) == [("a", 1.0), ("b", 0.5), ("c", 0.0)]


async def test_a_chunk_found_by_several_queries_keeps_its_best_score() -> None:
    one = Candidates(entries(a=10.0, b=6.0, c=2.0), (), 1.0)  # a 1, b .5, c 0
    other = Candidates(entries(c=9.0, a=5.0, d=1.0), (), 1.0)  # c 1, a .5, d 0
    for found in ((one, None, other), (other, one)):
        turn = make_turn(retriever="bm25", queries=("first", "second", "third"), found=found)
        fused = await call_step(fuse_lists, turn, FakeDeps())
        by_one, by_other = ("first", "third") if found[0] is one else ("second", "first")
        assert fused.evidence.ranked == (
            Ranked("a", 1.0, by_one), Ranked("c", 1.0, by_other), Ranked("b", 0.5, by_one), Ranked("d", 0.0, by_other),
        )  # fmt: skip


async def test_the_results_of_a_query_with_less_weight_rank_lower() -> None:
    turn = make_turn(retriever="bm25", queries=("first", "second"), found=(BOTH, Candidates(entries(z=1.0), ())))
    light = replace(turn, queries=(turn.queries[0], replace(turn.queries[1], weight=0.4)))
    assert scores((await call_step(fuse_lists, light, FakeDeps())).evidence.ranked) == [("a", 1.0), ("b", 0.5), ("z", 0.4), ("c", 0.0)]


def listed(source: str, query: str, *ids: str) -> RankedList:
    return RankedList(source, query, tuple(Candidate(chunk_id, float(-place)) for place, chunk_id in enumerate(ids)))


async def fused(queries: tuple[Query, ...], *lists: RankedList) -> list[tuple[str, float]]:
    """Of the lists of these queries, by words."""
    turn = make_turn("first", retriever="bm25", lists=lists)
    return scores((await call_step(fuse_lists, replace(turn, queries=queries), FakeDeps())).evidence.ranked)


async def test_derived_queries_weigh_half_as_much_as_the_question_however_many_there_are() -> None:
    own, one = Query("first"), Query("second", "step_back", 0.5)
    lists = listed("bm25", "first", "a", "b"), listed("bm25", "second", "x"), listed("bm25", "third", "x"), listed("bm25", "fourth", "x")
    assert await fused((own, one), *lists[:2]) == [("a", 1.0), ("x", 0.5), ("b", 0.0)]
    several = (own, one, Query("third", "feedback", 0.5), Query("fourth", "paraphrase", 1.0))
    assert await fused(several, *lists) == [("a", 1.0), ("x", 0.5), ("b", 0.0)]
    assert await fused((own, Query("second", "step_back", 0.2)), *lists[:2]) == [("a", 1.0), ("x", 0.2), ("b", 0.0)]


async def test_lists_beside_words_and_vectors_share_one_weight() -> None:
    own, words = Query("first"), listed("bm25", "first", "a", "b")
    tree, documents = (listed(source, "first", "x") for source in ("summary_tree", "documents_first"))
    assert await fused((own,), words, tree) == [("a", 1.0), ("x", 0.3), ("b", 0.0)]
    assert await fused((own,), words, documents) == [("a", 1.0), ("x", 0.15), ("b", 0.0)]
    assert await fused((own,), words, tree, documents) == [("a", 1.0), ("x", 0.3), ("b", 0.0)]  # of .4, half and a quarter
    both = own, Query("second")
    other = listed("bm25", "second", "a", "b")
    assert await fused(both, words, tree, other, listed("summary_tree", "second", "y")) == [
        ("a", 1.0),
        ("x", 0.15),
        ("y", 0.15),
        ("b", 0.0),
    ]


async def test_scores_of_graph_and_tokens_count_by_themselves_and_for_each_question() -> None:
    def scored(source: str, query: str, **scores: float) -> RankedList:
        return RankedList(source, query, entries(**scores))

    own, words = Query("first"), listed("bm25", "first", "a", "b")
    assert await fused((own,), words, scored("graph", "first", x=0.5, b=0.25)) == [("a", 1.0), ("x", 0.4), ("b", 0.2)]
    assert await fused((own,), words, scored("late_interaction", "first", x=0.8)) == [("a", 1.0), ("x", 0.6), ("b", 0.0)]
    both = own, Query("second")
    lists = words, listed("bm25", "second", "a", "b"), scored("graph", "first", x=0.5), scored("graph", "second", x=0.5)
    assert await fused(both, *lists) == [("a", 1.0), ("x", 0.4), ("b", 0.0)]


async def test_a_passage_counts_for_the_part_of_a_question_that_found_it() -> None:
    """By its part it is scored again later."""
    queries = Query("first"), Query("second"), Query("third", "step_back", 0.5)
    lists = listed("bm25", "first", "a", "b"), listed("bm25", "second", "y", "z"), listed("bm25", "third", "y", "x")
    turn = make_turn("first", retriever="bm25", lists=lists)
    ranked = (await call_step(fuse_lists, replace(turn, queries=queries), FakeDeps())).evidence.ranked
    assert {entry.chunk_id: entry.query for entry in ranked} == {"a": "first", "b": "first", "y": "second", "z": "second", "x": "first"}


def test_derived_queries_change_the_order_but_not_how_well_the_best_scores() -> None:
    own = [Ranked("a", 0.8, "Why?"), Ranked("b", 0.6, "Why?")]
    derived = [[Ranked("b", 0.4, "How so?"), Ranked("c", 0.2, "How so?")]]
    assert [(entry.chunk_id, round(entry.score, 3), entry.query) for entry in add_derived(own, derived, "Why?")] == [
        ("b", 0.8, "Why?"),
        ("a", 0.64, "Why?"),
        ("c", 0.16, "Why?"),
    ]


@pytest.mark.parametrize(("retriever", "lists"), [("bm25", ("words",)), ("knn", ("vectors",))])
def test_a_search_by_one_list_counts_that_one_alone(retriever: Retriever, lists: tuple[str, ...]) -> None:
    assert lists_counted(make_turn(retriever=retriever), None, SETTINGS.rag) == lists


async def test_token_vectors_order_what_was_found_before_the_graph_adds_to_it() -> None:
    own, words = Query("first"), listed("bm25", "first", "a", "b")
    late = RankedList("late_interaction", "first", (Candidate("a", 1.0), Candidate("b", 0.5)))
    graph = RankedList("graph", "first", (Candidate("x", 1.0),))
    assert await fused((own,), words, graph) == [("a", 1.0), ("x", 0.8), ("b", 0.0)]
    assert await fused((own,), words, graph, late) == [("a", 1.0), ("x", 0.8), ("b", 0.214286)]  # .375 / 1.75
