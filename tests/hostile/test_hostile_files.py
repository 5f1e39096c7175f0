"""A hostile file is refused with a reason and a remedy, or read within limits; it does not affect the next file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.child import ParserProcess
from footnote.ingest.parse import MAX_TEXT, finish
from footnote.ingest.prepare import cut
from footnote.text.tokens import WIDEST, count_tokens
from footnote.types import Block, Parsed
from tests.fakes import make_document
from tests.hostile import packages, pdfs, texts
from tests.hostile.case import Case
from tests.nightly import sampled

CASES = [*packages.CASES, *texts.CASES, *pdfs.CASES]
TOKENS = 320
BY_NIGHT = {
    "a line of 13 MB", "JSON of 100,000 keys", "CSV of 10,000 columns", "CSV of 20,000 rows", "forms that draw forms",
    "Markdown of 20,000 times '!['", "Markdown of 100,000 open brackets",
    "an RTF table of 20,000 cells", "a string that is used 1,000 times", "a repeated cell in an ods", "a Markdown table that is filled up",
    "50,000 times abbreviations", "50,000 times numbers", "50,000 times digits and dots", "50,000 times dots and spaces",
    "20,000 rows", "JSON of 20,000 records", "many parts of zeros", "a mail 1,000 parts deep", "100,000 lines on one page",
    "reStructuredText 1,000 quotes deep", "Markdown of 20,000 times '\\n1. '", "Markdown of 20,000 times '\\n#'",
    "2,000 rows of lying spans", "20,000 attributes", "20,000 scripts and styles", "JSON of one number with a million digits",
    "reStructuredText of open marks", "a page of 300 MB of zeros", "50,000 times initials", "a notebook of 20,000 cells",
}  # fmt: skip
"""Large cases of which the gate reads a smaller one of the same kind, or the same in another format."""


@pytest.fixture(scope="module")
def reader() -> Iterator[ParserProcess]:
    """A parser with the default memory limit and a shorter timeout."""
    made = ParserProcess(timeout_s=30)
    yield made
    asyncio.run(made.close())


async def read(reader: ParserProcess, case: Case) -> Parsed | UnreadableFile:
    try:
        return await reader.parse(case.make(), case.file_name)
    except UnreadableFile as exc:
        return exc


@pytest.mark.parametrize("case", [sampled(case, case.name not in BY_NIGHT, case.name) for case in CASES])
async def test_a_hostile_file_is_refused_or_contained(case: Case, reader: ParserProcess) -> None:
    found = await read(reader, case)
    if isinstance(found, UnreadableFile):
        assert case.reason is not None, found.reason
        assert found.reason.startswith(case.reason)
        assert found.remedy
    else:
        assert case.reason is None
        assert case.holds in "\n".join(block.text for block in found.blocks)
        assert sum(len(block.text) for block in found.blocks) <= MAX_TEXT
        chunks = cut(make_document(), found, "en", TOKENS)
        assert max(count_tokens(chunk.text) for chunk in chunks) <= TOKENS
        assert max(len(chunk.text) for chunk in chunks) <= TOKENS * WIDEST
    good = await reader.parse(b"# Fees\n\nTwo euros.", "good.md")
    assert good.blocks == (Block("heading", "Fees", 1), Block("paragraph", "Two euros."))


def test_there_are_enough_cases_and_their_names_are_unique() -> None:
    names = [case.name for case in CASES]
    assert len(names) >= 150
    assert len(set(names)) == len(names)
    assert set(names) > BY_NIGHT


def test_text_above_the_limit_is_cut_at_a_line_end_with_a_note() -> None:
    blocks = Block("list", "x" * 9_000_000), Block("list", "y" * 600_000 + "\n" + "z" * 600_000), Block("paragraph", "End.")
    parsed = finish(Parsed(blocks), "text", "long.txt")
    assert [block.text[-1] + str(len(block.text)) for block in parsed.blocks] == ["x9000000", "y600000"]
    assert parsed.reason == "Only the first 10,000,000 characters were read."
    assert parsed.remedy == "Split it into smaller files and add those."
