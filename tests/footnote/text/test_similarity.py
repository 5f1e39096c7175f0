"""Similarity by character bigrams."""

from __future__ import annotations

import pytest

from footnote.text.similarity import bigram_cosine, bigrams


def test_latin_words_have_boundary_markers_and_korean_ones_do_not() -> None:
    assert bigrams("Is 임원진 1") == {"_i", "is", "s_", "임원", "원진", "_1", "1_"}
    assert bigrams("원") == {"원"}
    assert bigrams("?!") == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "cosine"),
    [
        ("is", "is", 1.0),  # 3 / √(3 · 3)
        ("is", "in", 1 / 3),  # _i
        ("임원", "임원진", 2**-0.5),  # 1 / √(1 · 2)
        ("임원", "회원", 0.0),
        ("", "is", 0.0),
    ],
)
def test_the_cosine_is_the_share_of_common_pairs(one: str, other: str, cosine: float) -> None:
    assert bigram_cosine(bigrams(one), bigrams(other)) == pytest.approx(cosine)
