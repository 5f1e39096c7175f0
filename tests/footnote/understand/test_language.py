"""The language of a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from footnote.ports import View
from footnote.types import Caller
from footnote.understand.language import set_language
from tests.deps import FakeDeps, call_step
from tests.turns import ME, make_turn

NAMES = "John Hancock, John Quincy Adams, Rutherford Hayes, Theodore Roosevelt, Franklin Roosevelt, Al Gore, Sandra Day " * 3


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
        ({"de": 4, "en": 1}, NAMES, "de"),
        ({}, NAMES, "und"),
        ({"en": 4}, "Что это?", "mis"),
    ],
)
async def test_a_question_that_does_not_tell_is_in_the_language_of_the_documents(
    found: Mapping[str, int], question: str, lang: str
) -> None:
    index: Any = Languages(found)
    turn = await call_step(set_language, make_turn(question, caller=ME), FakeDeps(index=index))
    assert turn.lang == lang


@pytest.mark.parametrize(
    ("question", "lang"),
    [("opening hours", "en"), ("Parkplatz", "de"), ("office hours", "en"), ("Passwort reset", "de"), ("refund policy?", "en")],
)
async def test_words_without_a_stop_word_are_in_the_language_that_has_more_of_them(question: str, lang: str) -> None:
    for found in ({"de": 4, "en": 1}, {"de": 1, "en": 4}):
        index: Any = Languages(found)
        assert (await call_step(set_language, make_turn(question, caller=ME), FakeDeps(index=index))).lang == lang
    for only in ("de", "en"):
        index = Languages({only: 4})
        assert (await call_step(set_language, make_turn(question, caller=ME), FakeDeps(index=index))).lang == only
