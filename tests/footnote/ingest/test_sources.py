"""Locating cited passages: offsets in blocks, boxes on pages, and permissions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.errors import NotFound
from footnote.ingest.chunk import chunk_document
from footnote.ingest.sources import Box, Mark, locate
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Block, Caller, Chunk, Parsed, Place
from tests.conftest import HandClock
from tests.fakes import make_document, work_all

LINES = "The tower was lit in 1874. It was torn down in 1999."
PLACES = (Place(0, 3, 100, 50, 360, 62), Place(26, 3, 100, 64, 360, 76))
"""Two lines of 260 points; by their characters 11.12 and, including its leading space, 10.96 em wide."""
ME, OTHER = Caller("me", frozenset({"staff"})), Caller("other", frozenset({"guests"}))


def cut(*blocks: Block, max_tokens: int = 320) -> list[Chunk]:
    return chunk_document(make_document(), Parsed(blocks), max_tokens=max_tokens, lang="en")


def test_a_sentence_is_marked_in_its_block_and_boxed_on_its_line() -> None:
    blocks = (Block("heading", "Tower", 1, 3), Block("paragraph", LINES, 0, 3, PLACES))
    (chunk,) = cut(*blocks)
    start = chunk.text.index("It was")
    passage = locate(chunk, blocks, [(start, len(chunk.text))])
    assert passage.quote == "It was torn down in 1999."
    assert passage.marks == (Mark(1, 27, 52),)
    assert passage.boxes == (Box(3, 106.6, 64, 360.0, 76),)  # .28 of 10.96 ems further right


def test_part_of_a_line_is_boxed_by_the_widths_of_its_characters() -> None:
    blocks = (Block("paragraph", LINES, 0, 3, PLACES),)
    (chunk,) = cut(*blocks)
    passage = locate(chunk, blocks, [(4, 9)])
    assert passage.quote == "tower"
    (box,) = passage.boxes
    assert (box.page, box.y0, box.y1) == (3, 50, 62)
    assert (box.x0, box.x1) == (145.4, 200.5)  # "The " 1.94 ems, "tower" 2.36


def test_without_bounds_the_whole_passage_is_marked() -> None:
    blocks = (Block("heading", "Tower", 1, 3), Block("paragraph", LINES, 0, 3, PLACES))
    (chunk,) = cut(*blocks)
    passage = locate(chunk, blocks)
    assert passage.marks == (Mark(0, 0, 5), Mark(1, 0, 52))
    assert len(passage.boxes) == 2  # the place of the heading is unknown


def test_a_row_of_a_table_is_boxed_as_a_whole() -> None:
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |"
    blocks = (Block("table", table, 0, 1, (Place(0, 1, 50, 10, 90, 20), Place(24, 1, 50, 20, 90, 30))),)
    (chunk,) = cut(*blocks)
    passage = locate(chunk, blocks, [(26, 27)])
    assert passage.quote == "1"
    assert passage.boxes == (Box(1, 50, 20, 90, 30),)


def test_the_repeated_header_of_a_cut_table_is_marked_at_its_original_place() -> None:
    table = "\n".join(["| name | text |", "| --- | --- |", *(f"| r{i} | {'word ' * 15} |" for i in range(9))])
    blocks = (Block("table", table),)
    second = next(chunk for chunk in cut(*blocks, max_tokens=80) if chunk.ordinal == 1)
    passage = locate(second, blocks, [(0, 15)])
    assert passage.marks == (Mark(0, 0, 15),)


def test_bounds_beyond_the_passage_mark_nothing() -> None:
    blocks = (Block("paragraph", LINES),)
    (chunk,) = cut(*blocks)
    assert locate(chunk, blocks, [(900, 950), (30, 20)]).marks == ()


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)), clock=clock)
    yield made
    await made.close()


async def add(core: Core, text: bytes, name: str = "tower.md") -> str:
    document = await core.ingestor.accept(ME, text, file_name=name, collection="default", permission_groups=["staff"])
    await work_all(core)
    return document.doc_id


async def test_a_reader_opens_the_file_and_its_text(core: Core) -> None:
    doc_id = await add(core, b"# Tower\n\nIt was lit in 1874.")
    document, data = await core.sources.original(ME, doc_id)
    assert (document.format, data) == ("markdown", b"# Tower\n\nIt was lit in 1874.")
    document, parsed = await core.sources.text(ME, doc_id)
    assert [block.text for block in parsed.blocks] == ["Tower", "It was lit in 1874."]
    passage = await core.sources.passage(ME, document, parsed, f"{doc_id}#000", [(7, 26)])
    assert (passage.quote, passage.marks) == ("It was lit in 1874.", (Mark(1, 0, 19),))


async def test_a_caller_who_may_not_find_a_document_may_not_open_it(core: Core) -> None:
    doc_id = await add(core, b"# Tower\n\nIt was lit in 1874.")
    document, parsed = await core.sources.text(ME, doc_id)
    with pytest.raises(NotFound):
        await core.sources.original(OTHER, doc_id)
    with pytest.raises(NotFound):
        await core.sources.text(OTHER, doc_id)
    with pytest.raises(NotFound):
        await core.sources.passage(OTHER, document, parsed, f"{doc_id}#000", [])


@pytest.mark.parametrize("chunk_id", ["", "#", "#000", "other#000", "tower#", "tower#-1", "tower#٣", "tower#" + "9" * 5000])
async def test_an_unknown_passage_is_not_found(core: Core, chunk_id: str) -> None:
    doc_id = await add(core, b"It was lit in 1874.")
    document, parsed = await core.sources.text(ME, doc_id)
    with pytest.raises(NotFound):
        await core.sources.passage(ME, document, parsed, chunk_id, [])


async def test_the_old_file_opens_until_the_new_one_is_active(core: Core) -> None:
    doc_id = await add(core, b"It was lit in 1874.")
    await core.ingestor.accept(ME, b"It was lit in 1875.", file_name="tower.md", collection="default", permission_groups=["staff"])
    assert (await core.sources.original(ME, doc_id))[1] == b"It was lit in 1874."
    assert (await core.sources.text(ME, doc_id))[1].blocks[0].text == "It was lit in 1874."
    assert await core.ingestor.work_one()
    assert (await core.sources.original(ME, doc_id))[1] == b"It was lit in 1875."
    assert (await core.sources.text(ME, doc_id))[1].blocks[0].text == "It was lit in 1875."
    assert len([path for path in (core.settings.data / "files").rglob("*") if path.is_file()]) == 2


async def test_nothing_remains_of_a_deleted_document(core: Core) -> None:
    doc_id = await add(core, b"It was lit in 1874.")
    await core.ingestor.delete(ME, doc_id)
    with pytest.raises(NotFound):
        await core.sources.original(ME, doc_id)
    assert [path for path in (core.settings.data / "files").rglob("*") if path.is_file()] == []


async def test_an_unreadable_file_can_be_downloaded(core: Core) -> None:
    doc_id = await add(core, b"%PDF-1.7 nothing follows", "broken.pdf")
    document, data = await core.sources.original(ME, doc_id)
    assert (document.state, data) == ("FAILED", b"%PDF-1.7 nothing follows")
    with pytest.raises(NotFound):
        await core.sources.text(ME, doc_id)
