"""MaxSim over token vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footnote.knowledge.late_interaction import DIMENSIONS, max_similarity, pack_tokens, unpack_tokens


def tokens(*axes: int) -> Any:
    """A vector for each token, of length 127 along an axis."""
    return (127 * np.eye(DIMENSIONS)[list(axes)]).astype(np.int8).reshape(-1, DIMENSIONS)


def random_tokens(seed: int, count: int) -> Any:
    made = np.random.default_rng(seed).normal(size=(count, DIMENSIONS))
    return np.rint(127 * made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.int8)


@pytest.mark.parametrize("count", [0, 1, 300])
def test_packed_tokens_come_back_as_they_were(count: int) -> None:
    matrix = random_tokens(1, count)
    data = pack_tokens(matrix)
    assert len(data) == 64 * count
    np.testing.assert_array_equal(unpack_tokens(data), matrix)
    assert unpack_tokens(data).dtype == np.int8


def test_columns_of_a_matrix_are_packed_in_its_order() -> None:
    matrix = random_tokens(2, 6)
    np.testing.assert_array_equal(unpack_tokens(pack_tokens(matrix[::2])), matrix[::2])
    np.testing.assert_array_equal(unpack_tokens(pack_tokens(np.asfortranarray(matrix))), matrix)


def test_data_that_ends_within_a_vector_is_refused() -> None:
    with pytest.raises(ValueError, match="reshape"):
        unpack_tokens(bytes(65))


def test_alone_a_passage_has_the_mean_of_the_nearest_cosines() -> None:
    assert max_similarity(tokens(0, 1), [tokens(5, 0, 0, 7)]) == pytest.approx([0.5])
    assert max_similarity(tokens(0, 1), [tokens(1, 0)]) == pytest.approx([1])
    assert max_similarity(tokens(0), [-tokens(0)]) == pytest.approx([-1])


def test_what_every_passage_has_does_not_count() -> None:
    """Token 0 is in all passages, token 1 in the first: only it decides."""
    assert max_similarity(tokens(0, 1), [tokens(0, 1), tokens(0, 2), tokens(3, 0)]) == pytest.approx([1, 0, 0], abs=1e-4)


def test_what_fewer_passages_have_counts_more() -> None:
    """Token 0 is in two of four passages, weight 1/2; token 1 in one, weight 3/4; token 2 in none, weight 0."""
    passages = [tokens(0), tokens(1), tokens(9, 0), tokens(8)]
    assert max_similarity(tokens(0, 1, 2), passages) == pytest.approx([0.4, 0.6, 0.4, 0], abs=1e-4)


def test_equal_passages_are_as_similar_as_one_of_them() -> None:
    query, passage = random_tokens(4, 9), random_tokens(5, 40)
    assert max_similarity(query, [passage] * 3) == pytest.approx(max_similarity(query, [passage]) * 3, abs=0.02)


def test_it_is_what_the_definition_gives_token_by_token() -> None:
    query, passages = random_tokens(3, 7), [random_tokens(seed, 1 + 5 * seed) for seed in range(9)]
    nearest = [[max(float(p.astype(int) @ q.astype(int)) / 127**2 for p in passage) for q in query] for passage in passages]
    weights = [max(column) - sum(column) / len(column) for column in zip(*nearest, strict=True)]
    expected = [sum(w * n for w, n in zip(weights, row, strict=True)) / sum(weights) for row in nearest]
    assert max_similarity(query, passages) == pytest.approx(expected, abs=1e-4)


def test_a_passage_without_tokens_has_none_of_the_next_ones() -> None:
    nothing = tokens()
    assert max_similarity(tokens(0), [nothing, tokens(0), nothing, tokens(1), nothing]) == pytest.approx([0, 1, 0, 0, 0])


def test_without_tokens_nothing_is_similar() -> None:
    assert max_similarity(tokens(), [tokens(0), tokens(1)]) == [0, 0]
    assert max_similarity(tokens(0), [tokens(), tokens()]) == [0, 0]
    assert max_similarity(tokens(0), []) == []
