"""Parsing in a child process: a file that hangs, crashes or exhausts the memory affects no other file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from footnote.errors import Unavailable, UnreadableFile
from footnote.ingest.child import ParserProcess, cpu_limit_s
from footnote.types import Block, Parsed, Place

STRANGE_PARSER = """
import os, sys, time
from footnote.errors import UnreadableFile
from footnote.types import Block, Parsed, Place

def parse(data, file_name):
    order = data.decode()
    if order == "hang":
        while True:
            pass
    if order == "wait":
        open(file_name + ".begun", "w").close()
        while not os.path.exists(file_name):
            time.sleep(0.01)
    if order == "die":
        os._exit(3)
    if order == "die once" and not os.path.exists(file_name):
        open(file_name, "w").close()
        os._exit(3)
    if order == "grow":
        bytes(1 << 40)
    if order == "fail":
        raise ValueError("secret of the file")
    if order == "refuse":
        raise UnreadableFile("Too dull.", "Write a better one.")
    if order == "modules":
        return Parsed((Block("paragraph", " ".join(sys.modules)),))
    places = (Place(0, 7, 72.04, 80.0, 300.26, 92.0),)
    blocks = Block("heading", order + " \\ud83d", 2, 7, places), Block("paragraph", str(os.getpid()))
    return Parsed(blocks, "T", 9, "strange", "One page is blank.", "Write on it.")
"""


@pytest.fixture
async def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ParserProcess]:
    (tmp_path / "strange_parser.py").write_text(STRANGE_PARSER)
    monkeypatch.syspath_prepend(str(tmp_path))
    process = ParserProcess(timeout_s=5, memory_mb=1024, max_bytes=1000, parser="strange_parser")
    await process.parse(b"warm up", "a.txt")
    yield process
    await process.close()


async def reason_of(reader: ParserProcess, order: bytes, file_name: str = "a.txt") -> str:
    with pytest.raises(UnreadableFile) as caught:
        await reader.parse(order, file_name)
    return caught.value.reason


async def pid(reader: ParserProcess) -> str:
    return (await reader.parse(b"pid", "a.txt")).blocks[1].text


async def test_a_file_is_parsed_by_the_real_parsers() -> None:
    reader = ParserProcess()
    try:
        parsed = await reader.parse(b"# Hi\n\nYou", "a.md")
        assert (parsed.blocks, parsed.title) == ((Block("heading", "Hi", 1), Block("paragraph", "You")), "Hi")
    finally:
        await reader.close()


async def test_the_whole_parse_result_is_returned(reader: ParserProcess) -> None:
    parsed = await reader.parse(b"hello", "a.txt")
    places = (Place(0, 7, 72.0, 80.0, 300.3, 92.0),)  # to a tenth of a point
    assert parsed.blocks[0] == Block("heading", "hello \ud83d", 2, 7, places)
    assert parsed == Parsed(parsed.blocks, "T", 9, "strange", "One page is blank.", "Write on it.")


async def test_one_child_serves_file_after_file(reader: ParserProcess) -> None:
    assert len({await pid(reader) for _ in range(5)}) == 1


async def test_a_file_that_takes_long_does_not_hold_the_next_one_up(reader: ParserProcess, tmp_path: Path) -> None:
    slow = asyncio.create_task(reader.parse(b"wait", str(tmp_path / "go")))
    assert await pid(reader)
    assert not slow.done()
    (tmp_path / "go").touch()
    assert (await slow).title == "T"


async def test_large_files_wait_for_one_another_and_hold_no_small_one_up(
    reader: ParserProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footnote.ingest.child.LARGE", 3)
    large = [asyncio.create_task(reader.parse(b"wait", str(tmp_path / name))) for name in ("one", "two")]
    assert [await pid(reader) for _ in range(3)]
    assert not (tmp_path / "two.begun").exists()
    (tmp_path / "one").touch()
    (tmp_path / "two").touch()
    assert {parsed.title for parsed in await asyncio.gather(*large)} == {"T"}


@pytest.mark.parametrize(
    ("size", "seconds"), [(0, 8), (1_000_000, 8), (2_000_000, 16), (7_500_000, 60), (50_000_000, 60)], ids=lambda value: f"{value}"
)
def test_the_time_limit_grows_with_the_file_up_to_the_setting(size: int, seconds: float) -> None:
    assert cpu_limit_s(60, 8 / 60, size) == pytest.approx(seconds)


async def test_a_file_that_hangs_is_given_up_and_the_next_one_is_read(reader: ParserProcess) -> None:
    before = await pid(reader)
    assert await reason_of(reader, b"hang") == "Reading this file took longer than 0.5 s."
    assert await pid(reader) != before


async def test_a_file_that_waits_for_ever_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "strange_parser.py").write_text(STRANGE_PARSER)
    monkeypatch.syspath_prepend(str(tmp_path))
    reader = ParserProcess(timeout_s=0.5, parser="strange_parser")
    assert await reason_of(reader, b"wait", str(tmp_path / "nowhere")) == "Reading this file took longer than 0.5 s."
    await reader.close()


async def test_a_file_that_crashes_the_child_is_refused_and_the_next_one_is_read(reader: ParserProcess) -> None:
    assert await reason_of(reader, b"die") == "The parser crashed on this file; it may be damaged."
    assert await pid(reader)


async def test_a_child_that_died_while_idle_is_replaced(reader: ParserProcess, tmp_path: Path) -> None:
    assert (await reader.parse(b"die once", str(tmp_path / "died"))).title == "T"


async def test_a_file_that_takes_too_much_memory_is_refused(reader: ParserProcess) -> None:
    assert await reason_of(reader, b"grow") == "Reading this file takes more memory than allowed."


async def test_a_defect_of_a_parser_is_reported_without_its_message(reader: ParserProcess) -> None:
    assert await reason_of(reader, b"fail") == "This file could not be read; it may be damaged."


async def test_a_refusal_keeps_its_reason_and_remedy(reader: ParserProcess) -> None:
    with pytest.raises(UnreadableFile, match=r"^Too dull\. Write a better one\.$"):
        await reader.parse(b"refuse", "a.txt")


async def test_a_file_above_the_limit_is_not_sent(reader: ParserProcess) -> None:
    with pytest.raises(UnreadableFile, match=r"^This file is larger than"):
        await reader.parse(bytes(1001), "a.txt")


async def test_cancelling_ends_the_child_and_the_next_file_is_read(reader: ParserProcess) -> None:
    before = await pid(reader)
    task = asyncio.create_task(reader.parse(b"hang", "a.txt"))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await pid(reader) != before


@pytest.mark.timeout(30)
async def test_closing_does_not_wait_for_a_file_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "strange_parser.py").write_text(STRANGE_PARSER)
    monkeypatch.syspath_prepend(str(tmp_path))
    reader = ParserProcess(timeout_s=3600, parser="strange_parser")
    task = asyncio.create_task(reader.parse(b"hang", "a.txt"))
    await asyncio.sleep(0.05)
    await reader.close()
    with pytest.raises(Unavailable):
        await task
    with pytest.raises(Unavailable):
        await reader.parse(b"late", "a.txt")


async def test_the_child_imports_no_server_no_model_and_no_numpy(reader: ParserProcess) -> None:
    loaded = set((await reader.parse(b"modules", "a.txt")).blocks[0].text.split())
    assert loaded.isdisjoint({"fastapi", "openai", "numpy", "uvicorn", "pytest", "pydantic"})


def test_it_works_in_successive_event_loops() -> None:
    reader = ParserProcess()
    try:
        titles = [asyncio.run(reader.parse(b"<title>Fees</title>x", "a.html")).title for _ in range(2)]
    finally:
        asyncio.run(reader.close())
    assert titles == ["Fees", "Fees"]
