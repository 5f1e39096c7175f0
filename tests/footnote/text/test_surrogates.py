"""Surrogates that JSON can escape and UTF-8 cannot encode are joined or replaced."""

from __future__ import annotations

import pytest

from footnote.text.surrogates import repair


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("plain", "plain"),
        ("왜 🙂?", "왜 🙂?"),
        ("\ud83d\ude42!", "🙂!"),
        ("\ud83d", "\ufffd"),
        ("a\ude42\ud83db", "a\ufffd\ufffdb"),
        ("", ""),
    ],
)
def test_surrogate_pairs_are_joined_and_lone_surrogates_replaced(text: str, repaired: str) -> None:
    assert repair(text) == repaired
