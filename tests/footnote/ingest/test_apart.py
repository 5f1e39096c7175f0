"""What follows the parser runs in a child process with limits."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator

import pytest

from footnote.errors import Unavailable, UnreadableFile
from footnote.ingest.apart import InChildren, in_thread
from footnote.ingest.prepare import prepare
from footnote.types import Block, Parsed
from tests.fakes import make_document

PARSED = Parsed((Block("heading", "Fees", 1), Block("paragraph", "Two euros for a trip.")), "Fees")


@pytest.fixture
async def apart() -> AsyncIterator[InChildren]:
    made = InChildren(timeout_s=10)
    yield made
    await made.close()


async def test_a_document_is_prepared_in_another_process_with_the_same_result(apart: InChildren) -> None:
    document = make_document(metadata={"class": ["HR"]})
    assert await apart(10, prepare, document, PARSED, 320) == await in_thread(10, prepare, document, PARSED, 320)
    assert await apart(10, os.getpid) != os.getpid()


async def test_a_text_that_takes_too_long_is_refused_and_the_next_one_is_prepared(apart: InChildren) -> None:
    with pytest.raises(UnreadableFile, match=r"^Reading this file took longer than 0\.55 s\."):
        await apart(10, re.search, "(a+)+$", "a" * 40 + "b")
    assert (await apart(10, prepare, make_document(), PARSED, 320)).chunks


async def test_a_text_that_takes_too_much_memory_is_refused(apart: InChildren) -> None:
    with pytest.raises(UnreadableFile, match=r"^Reading this file takes more memory than allowed\."):
        await apart(10, bytes, 1 << 40)


async def test_an_error_is_reported_by_its_name_alone(apart: InChildren) -> None:
    with pytest.raises(RuntimeError, match=r"^int failed: ValueError$"):
        await apart(10, int, "secret of the file")


async def test_nothing_is_run_after_the_end(apart: InChildren) -> None:
    await asyncio.gather(apart.close(), apart.close())
    with pytest.raises(Unavailable):
        await apart(10, os.getpid)
