"""The language of a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from footnote.ports import View
from footnote.types import Caller
from footnote.understand.language import set_language
from tests.deps import FakeDeps, call_step
from tests.turns import ME, make_turn


class Languages:
    def __init__(self, found: Mapping[str, int]) -> None:
        self._found = found

    async def view(self, caller: Caller, collection: str) -> View:
        assert (caller, collection) == (ME, "default")
        return View(1, self._found)


@pytest.mark.parametrize(
    ("found", "question", "lang"),
    [
        ({"de": 4, "en": 1}, "SAP", "de"),
        ({"de": 4, "en": 1}, "Why is it so?", "en"),
        ({}, "SAP", "en"),
        ({}, "왜 그런가요?", "ko"),
        ({"en": 4}, "Что это?", "ru"),
        ({"en": 4}, "Où est la gare ?", "fr"),
    ],
)
async def test_a_question_that_does_not_tell_is_in_the_language_of_the_documents(
    found: Mapping[str, int], question: str, lang: str
) -> None:
    index: Any = Languages(found)
    turn = await call_step(set_language, make_turn(question, caller=ME), FakeDeps(index=index))
    assert turn.lang == lang


@pytest.mark.parametrize(
    ("question", "lang"), [("opening hours", "en"), ("Parkplatz", "de"), ("office hours", "en"), ("refund policy?", "en")]
)
async def test_two_words_are_told_in_a_collection_of_two_languages(question: str, lang: str) -> None:
    for found in ({"de": 4, "en": 1}, {"de": 1, "en": 4}):
        turn = await call_step(set_language, make_turn(question, caller=ME), FakeDeps(index=cast(Any, Languages(found))))
        assert (turn.lang, turn.languages) == (lang, found)
