"""A follow-up completed by the question before it, without a language model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from footnote.errors import ModelUnavailable
from footnote.types import Exchange
from footnote.understand.complete import complete
from tests.fakes import FakeEmbedder
from tests.turns import make_turn

ALIKE = {"kinder": 1, "erwachsene": 1, "laptop": 2, "phone": 2, "hotel": 3, "2023": 4, "2024": 3}
"""Words with the same number have the same vector."""


class Words(FakeEmbedder):
    """Knows which words are alike."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        return np.array([np.eye(6)[ALIKE.get(text, 0)] for text in texts], np.float32)


class Down(Words):
    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        raise ModelUnavailable("down")


async def completed(before: str, question: str, lang: str, embedder: FakeEmbedder | None) -> str:
    turn = make_turn(question, lang=lang, exchanges=(Exchange(before, ""),))
    return await complete(turn, embedder)


@pytest.mark.parametrize(
    ("before", "question", "lang", "expected"),
    [
        ("Wie hoch ist der Beitrag für Kinder?", "Und für Erwachsene?", "de", "Wie hoch ist der Beitrag für Erwachsene?"),
        ("May it stay on my laptop for 2 hours?", "and on the phone?", "en", "May it stay on my phone for 2 hours?"),
        ("What is the hotel limit in 2023?", "And in 2024?", "en", "What is the hotel limit in 2024?"),  # a number, whatever is nearer
        ("What is new in v1.2?", "in v1.10?", "en", "What is new in v1.10?"),
        ("When was the laptop built?", "Who paid for it?", "en", "Who paid for it? laptop built"),  # asks for something of its own
        ("Is the laptop insured?", "and is it my phone too, or not?", "en", "and is it my phone too, or not? laptop insured"),
        ("Is the laptop insured?", "Why?", "en", "Why? laptop insured"),
    ],
)
async def test_a_fragment_replaces_the_nearest_word_and_others_get_words(before: str, question: str, lang: str, expected: str) -> None:
    assert await completed(before, question, lang, Words(languages=None)) == expected


@pytest.mark.parametrize("embedder", [None, Down()])
async def test_without_vectors_the_words_of_the_question_before_are_added(embedder: FakeEmbedder | None) -> None:
    assert await completed("What does a laptop cost?", "And a phone?", "en", embedder) == "And a phone? laptop cost"
