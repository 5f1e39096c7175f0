"""What every index does when the metadata of a document's passages changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.types import Caller, Search
from tests.fakes import make_chunk, make_document

pytestmark = pytest.mark.engine


async def put(index: Any, generation: int = 1) -> list[str]:
    """The ids of three passages, of which the last one has a topic of its own."""
    document = make_document(generation=generation, metadata={"topics": ["towers"], "type": "txt", "class": "a"})
    chunks = [make_chunk(document, text, number) for number, text in enumerate(("The outline.", "The tower.", "The harbour."))]
    chunks[2] = replace(chunks[2], metadata={**document.metadata, "topics": ["ships"]})
    await index.stage(document, chunks, [()] * 3)
    await index.activate(document.doc_id, generation)
    return [chunk.chunk_id for chunk in chunks]


async def found(index: Any, caller: Caller, **filters: tuple[str, ...]) -> list[str]:
    search = Search("default", "tower harbour outline", limit=9, filters=filters)
    return sorted(entry.chunk_id for entry in (await index.candidates(caller, search)).lexical)


async def test_fields_change_where_a_passage_has_none_of_its_own(index: Any, me: Caller) -> None:
    ids = await put(index)
    before = await index.view(me, "default")
    await index.amend("plan", 1, {"topics": ["lighthouses"], "type": "article"})
    after = await index.read(me, ids)
    assert [chunk.metadata for chunk in after] == [
        {"topics": ["lighthouses"], "type": "article", "class": "a"},
        {"topics": ["lighthouses"], "type": "article", "class": "a"},
        {"topics": ["ships"], "type": "article", "class": "a"},
    ]
    assert await found(index, me, topics=("lighthouses",)) == ids[:2]
    assert await found(index, me, topics=("towers",)) == []
    assert await found(index, me, type=("article",)) == ids
    assert (await index.view(me, "default")).version > before.version


async def test_a_generation_that_is_gone_stays_gone(index: Any, me: Caller) -> None:
    await put(index)
    await put(index, 2)
    await index.amend("plan", 1, {"type": "article"})
    assert [chunk.metadata["type"] for chunk in await index.read(me, ["plan|1|1", "plan|2|1"])] == ["txt"]
    await index.remove("plan", 2)
    await index.amend("plan", 2, {"type": "article"})
    assert [item async for item in index.inventory()] == []
    await index.amend("nobody", 1, {"type": "article"})
