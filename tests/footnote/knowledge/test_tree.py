"""`footnote.knowledge.tree`: groups of passages by their vectors, their summaries, and the search through them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from footnote.knowledge import tree
from footnote.knowledge.tree import Leaf, Summary, group_passages, group_summaries, pack, search_tree, unpack
from footnote.types import Matrix, Vector

TEAM, BOARD = frozenset({"team"}), frozenset({"board"})
SIZE = 64


def unit(vector: npt.NDArray[Any]) -> Vector:
    scaled: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    return scaled


def topic(number: int) -> Vector:
    """The vector of a topic; those of two topics are orthogonal."""
    return unit(np.eye(SIZE)[number])


def leaf(about: int, number: int, groups: frozenset[str] = TEAM, *, spread: float = 0.5) -> Leaf:
    """A passage about a topic, with two sentences; the first is nearer to the topic."""
    random = np.random.default_rng([about, number])
    vectors = [unit(topic(about) + share * unit(random.normal(size=SIZE))) for share in (spread, spread / 2, 2 * spread)]
    sentences = (f"Sentence {number} says what topic {about} is.", f"Sentence {number}\n  adds something\tto topic {about}.")
    quantized = np.round(np.stack(vectors[1:]) * 127).astype(np.int8)
    return Leaf(f"topic{about}|1|{number}", f"topic{about}", groups, vectors[0], sentences, quantized)


def leaves_about(topics: int, each: int, groups: frozenset[str] = TEAM) -> list[Leaf]:
    return [leaf(about, number, groups) for about in range(topics) for number in range(each)]


def summary(name: str, vector: Vector, *chunk_ids: str) -> Summary:
    return Summary(f"About {name}.", unit(vector), chunk_ids or (f"{name}|1|0", f"{name}|1|1"), (chunk_ids or (f"{name}|1|0",))[0])


def as_tuples(summaries: list[Summary]) -> list[tuple[str, tuple[str, ...], str, list[float]]]:
    return [(each.text, each.chunk_ids, each.home, each.vector.tolist()) for each in summaries]


def test_similar_passages_end_together_and_different_ones_apart() -> None:
    leaves = leaves_about(5, 6)
    mixed = [leaves[number] for number in np.random.default_rng(3).permutation(len(leaves))]
    made = group_passages(mixed)
    assert sorted(sorted(each.chunk_ids) for each in made) == [[f"topic{about}|1|{number}" for number in range(6)] for about in range(5)]


def test_the_two_nearest_groups_are_merged_first() -> None:
    """The same as comparing all members of all groups each time."""
    random = np.random.default_rng(5)
    vectors = np.stack([unit(topic(number % 5) + topic(number % 3 + 8) + 0.9 * unit(random.normal(size=SIZE))) for number in range(60)])
    groups = [[number] for number in range(len(vectors))]
    while True:
        pairs = [
            (float((vectors[one] @ vectors[other].T).mean()), one, other)
            for place, one in enumerate(groups)
            for other in groups[place + 1 :]
            if len(one) + len(other) <= tree.MOST
        ]
        cosine, one, other = max(pairs)
        if cosine < tree.LEAST:
            break
        groups = [group for group in groups if group not in (one, other)] + [sorted(one + other)]
    expected = sorted(tuple(f"d|1|{number}" for number in group) for group in groups if len(group) >= tree.FEWEST)
    leaves = [replace(leaf(0, number), chunk_id=f"d|1|{number}", vector=vector) for number, vector in enumerate(vectors)]
    assert sorted(each.chunk_ids for each in group_passages(leaves)) == expected
    assert len(expected) > 4


def test_a_group_never_mixes_permission_groups() -> None:
    leaves = [leaf(0, number, TEAM if number % 2 else BOARD) for number in range(12)]
    made = group_passages(leaves)
    readers = {each.chunk_id: each.groups for each in leaves}
    assert [len(each.chunk_ids) for each in made] == [6, 6]
    assert [{readers[chunk_id] for chunk_id in each.chunk_ids} for each in made] == [{BOARD}, {TEAM}]


def test_groups_are_the_same_each_time() -> None:
    leaves = leaves_about(8, 7)
    assert as_tuples(group_passages(leaves)) == as_tuples(group_passages(leaves))


def test_each_passage_is_in_one_group_of_bounded_size_in_order() -> None:
    leaves = leaves_about(2, 40)
    order = {each.chunk_id: number for number, each in enumerate(leaves)}
    made = group_passages(leaves)
    counts = Counter(chunk_id for each in made for chunk_id in each.chunk_ids)
    assert set(counts.values()) == {1}
    assert len(counts) > 60
    for each in made:
        places = [order[chunk_id] for chunk_id in each.chunk_ids]
        assert places == sorted(places)
        assert tree.FEWEST <= len(places) <= tree.MOST
        assert each.home in each.chunk_ids


def test_a_passage_near_to_nothing_is_in_no_group() -> None:
    made = group_passages([*leaves_about(1, 5), leaf(30, 0), leaf(31, 0), leaf(32, 0)])
    assert [each.chunk_ids for each in made] == [tuple(f"topic0|1|{number}" for number in range(5))]
    assert group_passages([]) == []
    assert group_passages([leaf(0, 0)]) == []


def test_equal_passages_are_grouped_by_their_order() -> None:
    same = [replace(leaf(0, 0), chunk_id=f"same|1|{number}") for number in range(30)]
    made = group_passages(same)
    assert sum(len(each.chunk_ids) for each in made) == 30
    assert made[0].chunk_ids[0] == "same|1|0"
    assert all(each.text == "Sentence 0 says what topic 0 is.\nSentence 0 adds something to topic 0." for each in made)


def test_a_summary_is_sentences_of_its_passages_word_for_word() -> None:
    leaves = leaves_about(3, 8)
    said = {each.chunk_id: [sentence.split() for sentence in each.sentences] for each in leaves}
    for each in group_passages(leaves):
        below = [words for chunk_id in each.chunk_ids for words in said[chunk_id]]
        places = [below.index(line.split()) for line in each.text.splitlines()]
        assert places == sorted(set(places))
        assert 1 < len(places) < len(below)
        assert len(each.text) <= tree.LONGEST


def test_the_sentences_nearest_to_the_centre_make_the_summary() -> None:
    near, far = "This sentence is near.", "This sentence is far away."
    vectors = [unit(topic(0) + 0.6 * topic(number + 1)) for number in range(4)]
    quantized = [np.round(np.stack([topic(20 + number), vector]) * 127).astype(np.int8) for number, vector in enumerate(vectors)]
    leaves = [
        Leaf(f"d|1|{number}", "d", TEAM, vector, (far, f"{near} {number}" + " and more" * 19), its)
        for number, (vector, its) in enumerate(zip(vectors, quantized, strict=True))
    ]
    (made,) = group_passages(leaves)
    assert made.home == "d|1|0"
    assert [line[:24].strip() for line in made.text.splitlines()] == [f"{near} {number}" for number in (0, 1)]


def test_sentences_that_say_the_same_are_taken_once() -> None:
    leaves = [replace(leaf(0, number), sentences=("The same.", f"Other words {number}.")) for number in range(4)]
    made = [replace(each, sentence_vectors=np.round(np.stack([topic(0), topic(0)]) * 127).astype(np.int8)) for each in leaves]
    assert [each.text for each in group_passages(made)] == ["The same."]


def test_a_passage_without_sentence_vectors_gives_its_first_sentence() -> None:
    empty = np.empty((0, SIZE), np.int8)
    (made,) = group_passages([replace(leaf(0, number), sentence_vectors=empty) for number in range(4)])
    assert set(made.text.splitlines()) <= {f"Sentence {number} says what topic 0 is." for number in range(4)}
    assert made.text


def test_passages_without_words_make_no_summary() -> None:
    assert group_passages([replace(leaf(0, number), sentences=("| --- | --- |", "* * *")) for number in range(4)]) == []


def test_many_passages_are_grouped_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "BLOCK", 40)
    sizes: list[int] = []
    merged = tree._merged

    def counted(vectors: Matrix) -> list[list[int]]:
        sizes.append(len(vectors))
        return merged(vectors)

    monkeypatch.setattr(tree, "_merged", counted)
    made = group_passages(leaves_about(20, 10))
    assert sum(sizes) == 200
    assert max(sizes) <= 40
    counts = Counter(chunk_id for each in made for chunk_id in each.chunk_ids)
    assert set(counts.values()) == {1}
    assert len(counts) > 150
    assert all(len({chunk_id.split("|")[0] for chunk_id in each.chunk_ids}) == 1 for each in made)


def test_summaries_are_grouped_under_the_same_rule() -> None:
    near = [summary(f"a{number}", topic(0) + 0.3 * topic(10 + number)) for number in range(4)]
    far = [summary(f"b{number}", topic(20 + number)) for number in range(3)]
    readers = {chunk_id: TEAM for each in (*near, *far) for chunk_id in each.chunk_ids}
    (made,) = group_summaries([*near, *far], readers)
    assert made.chunk_ids == tuple(f"a{number}|1|{part}" for number in range(4) for part in range(2))
    assert made.text == "\n".join(f"About a{number}." for number in range(4))
    assert made.home in {each.home for each in near}


def test_summaries_with_other_readers_are_not_grouped() -> None:
    near = [summary(f"a{number}", topic(0) + 0.3 * topic(10 + number)) for number in range(20)]
    readers = {chunk_id: TEAM for each in near for chunk_id in each.chunk_ids}
    for number in range(5):
        readers |= {f"a{number}|1|0": BOARD, f"a{number}|1|1": BOARD}
        readers[f"a{5 + number}|1|1"] = BOARD  # not the same for both passages
        del readers[f"a{10 + number}|1|1"]  # unknown
    made = group_summaries(near, readers)
    below = [{chunk_id.split("|")[0] for chunk_id in each.chunk_ids} for each in made]
    assert below == [{f"a{number}" for number in range(5)}, {f"a{number}" for number in range(15, 20)}]


def test_search_returns_the_passages_below_the_nearest_summaries() -> None:
    summaries = [summary("a", topic(0)), summary("b", topic(0) + topic(1)), summary("c", topic(2))]
    found = search_tree(topic(0), summaries)
    assert found == pytest.approx({"a|1|0": 1.0, "a|1|1": 1.0, "b|1|0": 0.7071, "b|1|1": 0.7071}, abs=1e-3)
    assert list(found) == ["a|1|0", "a|1|1", "b|1|0", "b|1|1"]
    assert list(search_tree(topic(0), summaries, best=1)) == ["a|1|0", "a|1|1"]
    assert search_tree(topic(5), summaries) == {}
    assert search_tree(topic(0), []) == {}


def test_a_passage_below_two_found_summaries_comes_first() -> None:
    low, high = summary("low", topic(0) + topic(1), "x", "y"), summary("high", topic(0) + topic(2), "v", "w", "x")
    found = search_tree(topic(0), [low, high])
    assert next(iter(found)) == "x"
    assert found["y"] < found["x"] <= 1


def test_summaries_are_packed_and_unpacked() -> None:
    made = group_passages(leaves_about(4, 6))
    packed = pack(made)
    again = unpack(packed)
    assert [(each.text, each.chunk_ids, each.home) for each in again] == [(each.text, each.chunk_ids, each.home) for each in made]
    assert all(float(each.vector @ other.vector) > 0.9999 for each, other in zip(made, again, strict=True))
    assert all(each.vector.dtype == np.float32 and abs(float(np.linalg.norm(each.vector)) - 1) < 1e-5 for each in again)
    assert pack([]) == b""
    assert unpack(b"") == []


def test_what_another_version_packed_is_none() -> None:
    packed = pack([summary("a", topic(0))])
    assert unpack(bytes([tree.FORMAT + 1]) + packed[1:]) == []
    assert unpack(packed[:-3]) == []
    assert unpack(packed[:3]) == []
