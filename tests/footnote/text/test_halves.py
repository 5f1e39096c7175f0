"""Halves of characters: what JSON can say and UTF-8 cannot."""

from __future__ import annotations

import pytest

from footnote.text.halves import whole


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plain", "plain"),
        ("왜 🙂?", "왜 🙂?"),
        ("\ud83d\ude42!", "🙂!"),
        ("\ud83d", "\ufffd"),
        ("a\ude42\ud83db", "a\ufffd\ufffdb"),
        ("", ""),
    ],
)
def test_halves_of_one_character_are_joined_and_lone_ones_replaced(text: str, told: str) -> None:
    assert whole(text) == told
