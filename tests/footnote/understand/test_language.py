"""What language a question is asked in."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.ports import CollectionInfo
from footnote.understand.language import tell_language
from tests.fakes import make_turn


class Infos:
    def __init__(self, info: CollectionInfo | None) -> None:
        self._info = info

    async def info(self, collection: str) -> CollectionInfo | None:
        assert collection == "default"
        return self._info


@pytest.mark.parametrize(
    ("info", "question", "lang"),
    [
        (CollectionInfo("default", 5, {"de": 4, "en": 1}, 1), "SAP", "de"),
        (CollectionInfo("default", 5, {"de": 4, "en": 1}, 1), "Why is it so?", "en"),
        (CollectionInfo("default", 0, {}, 7), "SAP", "en"),
        (None, "왜 그런가요?", "ko"),
    ],
)
async def test_a_question_that_does_not_tell_is_in_the_language_of_the_documents(
    info: CollectionInfo | None, question: str, lang: str
) -> None:
    index: Any = Infos(info)
    turn = await tell_language(make_turn(question), index=index)
    assert turn.lang == lang
