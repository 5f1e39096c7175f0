"""What every index does with the questions that a model wrote for a chunk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.types import Caller
from tests.contracts.test_index import words
from tests.fakes import make_chunk, make_document, put_document

pytestmark = pytest.mark.engine


async def test_questions_find_their_chunk_and_are_returned_to_copies_only(index: Any, me: Caller, stranger: Caller) -> None:
    document = make_document()
    chunks = [make_chunk(document, "The bridge.", 0), replace(make_chunk(document, "A road.", 1), questions=("Holidays?", "한글?"))]
    await index.stage(document, chunks, [(), ()])
    chunk_ids = [chunk.chunk_id for chunk in chunks]
    assert await index.questions(me, chunk_ids) == {}  # not active yet
    await index.activate("plan", 1)
    assert await words(index, me, "holidays") == ["plan|1|1"]
    assert [chunk.questions for chunk in await index.read(me, chunk_ids)] == [(), ()]
    assert await index.questions(me, chunk_ids) == {"plan|1|1": ("Holidays?", "한글?")}
    assert await index.questions(stranger, chunk_ids) == {}
    await index.remove("plan", 1)
    assert await index.questions(me, chunk_ids) == {}
    await put_document(index, make_document("other"), ["A road."])  # which may have the place of a removed one
    assert await index.questions(me, ["other|1|0"]) == {}
