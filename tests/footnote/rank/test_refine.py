"""The second stage: the best passages are ordered by their sentences, word order and neighbours."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from footnote.rank.refine import NEAR, WITH_VECTORS, WITHOUT_VECTORS, is_fused, refine, second_stage
from footnote.types import Caller, ChunkSentences, Query, Ranked
from tests.deps import FakeDeps, call_step
from tests.turns import ME, make_turn

WEIGHTS = {"": 6.0, "brake": 4.0, "pad": 4.0, "bike": 1.0}
QUESTION = "brake pad bike"
X, Y = np.eye(3, dtype=np.float32)[:2]


def passage(*sentences: str, heading: str = "", vectors: Sequence[Any] | None = None, passage: Any = None) -> ChunkSentences:
    made = None if vectors is None else np.rint(np.stack(vectors) * 127).astype(np.int8)
    return ChunkSentences(tuple((0, 0) for _ in sentences), made, passage, sentences, heading)


class Sentences:
    """An index that gives sentences of some passages only."""

    def __init__(self, passages: Mapping[str, ChunkSentences]) -> None:
        self.passages = passages

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        assert caller == ME
        return {chunk_id: self.passages[chunk_id] for chunk_id in chunk_ids if chunk_id in self.passages}

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        return {term: WEIGHTS[term] for term in terms}


def stage(*passages: ChunkSentences | None, base: Sequence[float] | None = None, vector: Any = None) -> list[float]:
    entries = [Ranked(f"d|1|{i}", score) for i, score in enumerate(base or [0.0] * len(passages))]
    return second_stage(Query(QUESTION, vector=vector), entries, passages, QUESTION.split(), WEIGHTS)


def test_one_sentence_with_all_words_beats_a_passage_that_spreads_them() -> None:
    together, spread = stage(passage("bike brake pad", "shop"), passage("brake shop", "pad shop", "bike shop"))
    assert together == pytest.approx(0.5)
    assert spread == pytest.approx(0.5 * 4 / 9)


def test_headings_count_in_every_sentence() -> None:
    assert stage(passage("bike", "shop", heading="brake pad"))[0] == pytest.approx(0.5)


def test_a_common_word_alone_is_not_fully_covered() -> None:
    (score,) = second_stage(Query("bike"), [Ranked("d|1|0", 0.0)], [passage("bike")], ["bike"], WEIGHTS)
    assert score == pytest.approx(0.5 * 1 / 9)  # 1.5 times the weight of an unknown term is 9


def test_words_in_the_order_of_the_question_count_where_vectors_do() -> None:
    in_order, near, far = stage(
        passage("brake pad", vectors=[Y], passage=Y),
        passage("pad a brake", vectors=[Y], passage=Y),
        passage("pad a b c d e f g h brake", vectors=[Y], passage=Y),
        vector=X,
    )
    pair = 8 / (8 + 5) / 2  # one place of “brake pad”, of the pairs brake pad and pad bike
    assert in_order - near == pytest.approx(0.1 * pair)
    assert near - far == pytest.approx(0.1 * pair)


def test_words_of_two_sentences_are_not_adjacent() -> None:
    apart, adjacent = stage(passage("a brake", "pad", vectors=[Y, Y], passage=Y), passage("a brake pad", vectors=[Y], passage=Y), vector=X)
    assert adjacent > apart


def test_the_closest_sentence_counts_not_the_mean() -> None:
    one, other = stage(passage("a", "b", vectors=[X, Y], passage=Y), passage("a", "b", vectors=[Y, Y], passage=Y), vector=X)
    assert one - other == pytest.approx(0.25, abs=0.01)


def test_a_passage_near_the_first_ones_rises() -> None:
    first, near, far = stage(
        passage("a", vectors=[Y], passage=X), passage("a", vectors=[Y], passage=X), passage("a", vectors=[Y], passage=Y),
        base=[1.0, 0.0, 0.0], vector=X,
    )  # fmt: skip
    assert (near, far) == (pytest.approx(0.1), pytest.approx(0.0))
    assert first == pytest.approx(1.1)


def test_a_passage_without_vectors_is_not_worse_off() -> None:
    with_vectors, without = stage(passage("brake pad bike", vectors=[Y], passage=Y), passage("brake pad bike"), vector=X)
    assert without == pytest.approx(with_vectors)


def test_scores_are_those_of_the_formula() -> None:
    rng, words = random.Random(7), ["brake", "pad", "bike", "brakes", "a", "브레", "레이", "ß"]
    weights = {"": 6.0, **{word: rng.uniform(1, 5) for word in words}}
    for _ in range(60):
        terms = rng.choices(words, k=rng.randint(1, 6))
        passages = [
            passage(
                *(made := [" ".join(rng.choices(words, k=rng.randint(0, 12))) for _ in range(rng.randint(1, 4))]),
                heading=" ".join(rng.choices(words, k=rng.randint(0, 2))), vectors=[X] * len(made), passage=X,
            )
            for _ in range(5)
        ]  # fmt: skip
        found = second_stage(Query("?", vector=Y), [Ranked(f"d|1|{i}", 0.0) for i in range(5)], passages, terms, weights)
        assert found == pytest.approx([0.25 * max(_covered(terms, p, weights)) + 0.1 * _pairs(terms, p, weights) + 0.1 for p in passages])


def _covered(terms: list[str], held: ChunkSentences, weights: Mapping[str, float]) -> list[float]:
    whole = max(sum(weights[term] for term in set(terms)), 1.5 * weights[""])
    texts = [set(f"{sentence} {held.heading_terms}".split()) for sentence in held.terms]
    return [sum(weights[term] for term in set(terms) & text) / whole for text in texts]


def _pairs(terms: list[str], held: ChunkSentences, weights: Mapping[str, float]) -> float:
    words = " . ".join(held.terms).split(" ")
    score = whole = 0.0
    for a, b in pairwise(terms):
        if a == b:
            continue
        whole += (weight := weights[a] + weights[b])
        of_a, of_b = ([i for i, word in enumerate(words) if word == term] for term in (a, b))
        ordered = sum(i + 1 in of_b for i in of_a)
        near = sum(any(abs(i - j) <= NEAR for j in of_b) for i in of_a)
        score += weight * (ordered / (ordered + 1) + near / (near + 1))
    return score / whole if whole else 0.0


async def test_the_ranking_is_ordered_again_with_scores_up_to_one() -> None:
    ranked = tuple(Ranked(f"d|1|{i}", score, QUESTION) for i, score in enumerate((1.0, 0.9, 0.2)))
    index: Any = Sentences({"d|1|0": passage("shop"), "d|1|1": passage("bike brake pad"), "d|1|2": passage("bike")})
    turn = make_turn(QUESTION, ranked=ranked)
    found = (await call_step(refine, turn, FakeDeps(index=index))).evidence.ranked
    assert [(entry.chunk_id, entry.score) for entry in found] == [
        ("d|1|1", pytest.approx(1.4 / WITHOUT_VECTORS)),
        ("d|1|0", pytest.approx(1.0 / WITHOUT_VECTORS)),
        ("d|1|2", pytest.approx((0.2 + 0.5 / 9) / WITHOUT_VECTORS)),
    ]
    assert pytest.approx(1.8) == WITH_VECTORS


async def test_unreadable_passages_get_no_sentence_score() -> None:
    ranked = (Ranked("d|1|0", 0.5, QUESTION), Ranked("d|1|1", 0.4, QUESTION))
    index: Any = Sentences({"d|1|1": passage("bike brake pad")})
    found = (await call_step(refine, make_turn(QUESTION, ranked=ranked), FakeDeps(index=index))).evidence.ranked
    assert [entry.chunk_id for entry in found] == ["d|1|1", "d|1|0"]


async def test_passages_beyond_the_first_thirty_keep_their_order() -> None:
    ranked = tuple(Ranked(f"d|1|{i:02}", 1 - i / 100, QUESTION) for i in range(40))
    index: Any = Sentences({f"d|1|{i:02}": passage("bike brake pad") for i in (29, 30)})
    found = [
        entry.chunk_id[-2:]
        for entry in (await call_step(refine, make_turn(QUESTION, ranked=ranked), FakeDeps(index=index))).evidence.ranked
    ]
    assert found[:2] == ["29", "00"]
    assert found[30:] == [f"{i}" for i in range(30, 40)]


async def test_reciprocal_ranks_are_scaled_before_others_are_added() -> None:
    ranked = tuple(Ranked(f"d|1|{i}", score, QUESTION) for i, score in enumerate((0.9, 0.8, 0.7)))
    index: Any = Sentences({"d|1|0": passage("shop"), "d|1|1": passage("bike brake pad"), "d|1|2": passage("shop")})
    found = (await call_step(refine, make_turn(QUESTION, ranked=ranked, retriever="rrf"), FakeDeps(index=index))).evidence.ranked
    assert {entry.chunk_id: entry.score * WITHOUT_VECTORS for entry in found} == {
        "d|1|0": pytest.approx(1.0),
        "d|1|1": pytest.approx(0.5 + 0.5),
        "d|1|2": pytest.approx(0.0),
    }


def test_the_order_of_a_single_list_stays() -> None:
    ranked = (Ranked("d|1|0", 1.0, "?"), Ranked("d|1|1", 0.5, "?"))
    assert is_fused(make_turn(ranked=ranked))
    assert is_fused(make_turn(ranked=ranked, retriever="rrf"))
    assert not is_fused(make_turn(ranked=ranked, retriever="bm25"))
    assert not is_fused(make_turn(ranked=ranked[:1]))


def test_a_passage_of_the_section_that_is_asked_for_comes_first() -> None:
    passages = [
        passage("see section_4_1 fee"),
        passage("meter read", heading="4 1 meter section_4_1 headed_4_1"),
        passage("headed_4_2 fee"),
    ]
    entries = [Ranked(f"d|1|{i}", score) for i, score in enumerate([1.0, 0.2, 0.9])]
    for vector, highest in ((None, WITHOUT_VECTORS), (X, WITH_VECTORS)):
        given = [ChunkSentences(p.bounds, np.zeros((1, 3), np.int8), Y, p.terms, p.heading_terms) for p in passages]
        scores = second_stage(Query("section 4.1", vector=vector), entries, given, ["section_4_1"], {"": 6.0, "section_4_1": 4.0})
        assert scores.index(max(scores)) == 1
        assert max(scores) < highest


@pytest.mark.parametrize(
    ("question", "first"),
    [("Article 4", 1), ("section 4", 0), ("§ 4", 2), ("chapter 4", 3), ("articles 3 and 4", 1), ("articles 4 and 5", 4)],
)
def test_the_kind_of_the_section_that_is_asked_for_counts(question: str, first: int) -> None:
    headings = ("headed_4", "headed_4 headed_article_4", "headed_4 headed_paragraph_4", "headed_4 headed_chapter_4")
    passages = [passage("fee", heading=heading) for heading in headings]
    passages.append(passage("fee", heading="headed_4 headed_article_4 headed_5 headed_article_5"))
    entries = [Ranked(f"d|1|{i}", 1 - i / 100) for i in range(5)]
    scores = second_stage(Query(question), entries, passages, ["section_4"], {"": 6.0, "section_4": 4.0})
    assert scores.index(max(scores)) == first
