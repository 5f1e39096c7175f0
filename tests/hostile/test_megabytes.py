"""One megabyte in a hostile shape is read, or refused with a reason, within the limits; most shapes are read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.apart import InChildren
from footnote.ingest.child import ParserProcess
from footnote.ingest.prepare import prepare
from tests.fakes import make_document
from tests.hostile.megabytes import shapes

READ = ("html of nested <div>", "html of nested <header>")
BY_NIGHT = (
    "html of nested lists", "html of a wide row above narrow ones",
    "html of nested <div> that are closed", "html of nested <a>", "html of nested <footer> in a <section>", "html of nested <button>",
    "html of nested quotes",
)  # fmt: skip
"""Shapes that took minutes when they were first tried."""
BY_NAME = {shape.name: shape for shape in shapes()}
LIMIT_S = 240.0
"""Four times the usual one, since the machine may be slow."""


@pytest.fixture(scope="module")
def reader() -> Iterator[ParserProcess]:
    made = ParserProcess(LIMIT_S)
    yield made
    asyncio.run(made.close())


@pytest.fixture(scope="module")
def apart() -> Iterator[InChildren]:
    made = InChildren(LIMIT_S)
    yield made
    asyncio.run(made.close())


@pytest.mark.parametrize("name", [*READ, *(pytest.param(name, marks=pytest.mark.nightly) for name in BY_NIGHT)])
async def test_a_megabyte_in_a_hostile_shape_is_read(name: str, reader: ParserProcess, apart: InChildren) -> None:
    data = BY_NAME[name].make()
    if name == "html of nested <header>":
        with pytest.raises(UnreadableFile, match=r"^This file contains no text, only white space\."):
            await reader.parse(data, BY_NAME[name].file_name)
        return
    parsed = await reader.parse(data, BY_NAME[name].file_name)
    assert (await apart(len(data), prepare, make_document(), parsed, 320)).chunks


def test_there_are_shapes_for_every_format_and_their_names_are_unique() -> None:
    assert len(BY_NAME) == len(list(shapes())) >= 400
    kinds = {name.split()[0] for name in BY_NAME}
    assert {"html", "md", "txt", "rst", "csv", "json", "yaml", "xml", "docx", "pptx", "xlsx", "ods", "pdf", "rtf", "eml", "hwp"} <= kinds
