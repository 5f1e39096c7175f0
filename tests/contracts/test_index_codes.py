"""What every index does with codes: order numbers, versions, standards."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.types import Caller, Search
from tests.fakes import make_document, put_document

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(
    ("lang", "texts", "question", "first"),
    [
        ("en", ["6ES7214-1AG40-0XB0: 24 V", "6ES7214-1AG41-0XB0: 24 V", "41 of 6ES7214 and 1AG 41"], "voltage of 6ES7214-1AG41", 1),
        ("en", ["Since 2026.4.10 of 2 May", "Since 2026.2.4 of 10 May", "Since 2026.4.2 of 10 May"], "new in v2026.4.2?", 2),
        ("de", ["A-131 hat 113 Plätze", "113 Plätze hat auch A-311", "A-113 hat 131 Plätze"], "Plätze in A-113", 2),
        ("ko", ["10.20.14.3은 문입니다", "10.20.3.14는 시계입니다", "10.3.20.14는 벨입니다"], "10.20.3.14는 무엇인가요?", 1),
    ],
)
async def test_a_code_is_found_before_its_look_alikes(
    index: Any, me: Caller, lang: str, texts: list[str], question: str, first: int
) -> None:
    await put_document(index, make_document(), texts, lang=lang)
    found = await index.candidates(me, Search("default", question, lang))
    scores = {entry.chunk_id: entry.score for entry in found.lexical}
    assert max(scores, key=scores.__getitem__) == f"plan|1|{first}"
    assert sorted(scores.values())[-1] > 1.2 * sorted(scores.values())[-2]


async def test_the_parts_of_a_code_find_it_too(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["6ES7214-1AG41-0XB0: 24 V", "something else"])
    for question in ("1AG41", "6es7214", "6ES7214 1AG41", "0XB0"):
        found = await index.candidates(me, Search("default", question, "en"))
        assert [entry.chunk_id for entry in found.lexical] == ["plan|1|0"]


async def test_codes_have_weights_and_are_known(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["A-113 is free.", "A-131 is free."])
    terms = ["a_113", "a_131", "a_311"]
    assert await index.known_terms(me, "default", terms) == {"a_113", "a_131"}
    weights = await index.term_weights(me, "default", terms)
    assert weights["a_311"] > weights["a_113"] == weights["a_131"] > 0
