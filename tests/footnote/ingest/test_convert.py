"""Conversion of old formats: limits and clean-up with a program that stands in for LibreOffice."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from footnote.errors import OldFormat, Unavailable, UnreadableFile
from footnote.ingest import convert
from footnote.ingest.child import ParserProcess
from footnote.ingest.convert import TARGETS, Converted, Converter, ConvertingParser, PackageConverter, find_libreoffice, find_packages
from footnote.ingest.parse.detect import OLD_FORMATS
from footnote.types import Block, Parsed
from tests.footnote.ingest import ole_files
from tests.footnote.ingest.packages import workbook

OLD = OldFormat("This is old.", "Save it anew.", "doc")
STAND_IN = """
import os, subprocess, sys, time
from pathlib import Path
arguments = sys.argv[1:]
target = arguments[arguments.index("--convert-to") + 1]
out, source = Path(arguments[arguments.index("--outdir") + 1]), Path(arguments[-1])
order = source.read_bytes()
def answer(data):
    out.mkdir()
    (out / f"{source.stem}.{target}").write_bytes(data)
if order == b"say":
    profile = Path(arguments[0].removeprefix("-env:UserInstallation=file://")) / "user" / "registrymodifications.xcu"
    answer("\\n".join([target, source.name, *sorted(os.environ), profile.read_text()]).encode())
elif order in (b"hang", b"leave"):
    other = "import fcntl, sys, time; lock = open(sys.argv[1], 'w'); fcntl.flock(lock, fcntl.LOCK_EX); print(flush=True); time.sleep(60)"
    subprocess.Popen([sys.executable, "-I", "-S", "-c", other, LOCK], stdout=subprocess.PIPE).stdout.readline()
    if order == b"leave":
        answer(b"done")
    else:
        Path(LOCK).with_suffix(".held").touch()
        time.sleep(60)
elif order == b"die":
    os.abort()
elif order == b"grow":
    answer(bytes(1 << 40))
elif order == b"write":
    answer(bytes(3 << 20))
elif order == b"empty":
    answer(b"")
elif order.startswith(b"PK"):
    answer(order)
"""
Make = Callable[..., Converter]


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """Held by the process that the stand-in starts, as long as that lives."""
    return tmp_path / "lock"


async def let_go(lock: Path) -> None:
    """Waits until the process that held the lock has ended."""
    async with asyncio.timeout(30):
        with lock.open() as file:
            while True:
                with contextlib.suppress(BlockingIOError):
                    return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                await asyncio.sleep(0.01)


@pytest.fixture
async def make(tmp_path: Path, lock: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    """Makes converters whose program stands in for LibreOffice, and whose temporary folders are in `tmp_path / "temp"`."""
    program = tmp_path / "soffice"
    program.write_text(f"#!{sys.executable}\nLOCK = {str(lock)!r}\n{STAND_IN}")
    program.chmod(0o755)
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr(convert.tempfile, "tempdir", str(tmp_path / "temp"))
    made: list[Converter] = []

    def converter(timeout_s: float = 30, max_file: int = 1 << 20) -> Converter:
        made.append(Converter(str(program), timeout_s, memory_mb=1024, max_file=max_file))
        return made[-1]

    yield converter
    for each in made:
        await each.close()
    assert list((tmp_path / "temp").iterdir()) == []  # in every case


async def refusal(converter: Converter, order: bytes) -> tuple[str, str]:
    with pytest.raises(UnreadableFile) as caught:
        await converter.convert(order, OLD)
    return caught.value.reason, caught.value.remedy


async def test_the_program_gets_the_format_a_fresh_profile_and_no_secrets(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM__API_KEY", "secret")
    target, name, *rest = (await make().convert(b"say", OLD)).data.decode().split("\n")
    assert (target, name) == ("docx", "file.doc")
    assert (
        {"HOME", "PATH", "TMPDIR", "LC_ALL"}
        <= set(rest[:-1])
        <= {"HOME", "PATH", "TMPDIR", "LC_ALL", "LC_CTYPE", "PWD", "__CF_USER_TEXT_ENCODING"}
    )
    values = {prop.get("{http://openoffice.org/2001/registry}name"): prop[0].text for prop in ElementTree.fromstring(rest[-1]).iter("prop")}
    assert values["BlockUntrustedRefererLinks"] == values["DisableMacrosExecution"] == values["DisableActiveContent"] == "true"
    assert (values["ooInetHTTPProxyName"], values["ooInetHTTPSProxyPort"]) == ("127.0.0.1", "9")


async def test_a_conversion_that_hangs_ends_with_all_its_processes(make: Make, lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is over once it hangs."""
    monkeypatch.setattr(convert, "time", SimpleNamespace(monotonic=lambda: 10.0 * lock.with_suffix(".held").exists(), sleep=time.sleep))
    assert await refusal(make(timeout_s=2), b"hang") == ("Converting this file took longer than 2 s.", "Save it anew.")
    await let_go(lock)


async def test_processes_that_a_conversion_leaves_behind_end_too(make: Make, lock: Path) -> None:
    assert await make().convert(b"leave", OLD) == (b"done", True)
    await let_go(lock)


@pytest.mark.parametrize("order", ["die", "grow", "write", "empty", "nothing"])
async def test_a_conversion_that_crashes_or_writes_too_much_or_nothing_is_a_refusal(make: Make, order: str) -> None:
    assert await refusal(make(), order.encode()) == ("LibreOffice could not read this file; it may be damaged.", "Save it anew.")


async def test_a_result_below_the_limit_is_returned(make: Make) -> None:
    assert await make(max_file=4 << 20).convert(b"write", OLD) == (bytes(3 << 20), True)


async def test_cancelling_and_closing_end_a_conversion(make: Make, lock: Path) -> None:
    converter = make()
    for end in (asyncio.Task.cancel, None):
        lock.with_suffix(".held").unlink(missing_ok=True)
        task = asyncio.create_task(converter.convert(b"hang", OLD))
        while not lock.with_suffix(".held").exists():
            await asyncio.sleep(0.02)
        if end:
            end(task)
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            await converter.close()
            with pytest.raises(Unavailable):
                await task
        await let_go(lock)
    with pytest.raises(Unavailable):
        await converter.convert(b"say", OLD)


async def test_a_converted_file_is_parsed_and_keeps_its_format(make: Make) -> None:
    class Old:
        async def parse(self, data: bytes, file_name: str) -> Parsed:
            if data.startswith(b"PK"):
                return await real.parse(data, file_name)
            raise OldFormat("This is old.", "Save it anew.", "excelml")

        async def close(self) -> None:
            await real.close()

    real = ParserProcess()

    class Prepared(Converter):
        async def convert(self, data: bytes, old: OldFormat) -> Converted:
            return await super().convert(workbook(Fees=[["Line", "Fee"], ["8", "2"]]), old)

    parser = ConvertingParser(Old(), Prepared(make()._program, memory_mb=1024))
    parsed = await parser.parse(b"<x/>", "fees_2003.xml")
    await parser.close()
    assert (parsed.format, parsed.title) == ("excelml", "fees 2003")
    assert parsed.blocks[0] == Block("heading", "Fees", 1, 1)


async def test_without_libreoffice_the_parser_says_what_is_needed_and_what_to_do() -> None:
    reader = ParserProcess()
    with pytest.raises(OldFormat) as caught:
        await reader.parse(ole_files.ole({"WordDocument": b"x"}), "a.doc")
    await reader.close()
    assert caught.value.reason == "This is an old Word file (.doc), which is only read where LibreOffice is installed."
    assert (caught.value.remedy, caught.value.format) == ("Save it as .docx or PDF and add it again.", "doc")


PACKAGE = """
from pathlib import Path
class EncryptedDocumentError(Exception): pass
class Report:
    def __init__(self, *codes): self.codes = codes
    def to_dict(self): return {"warnings": [{"code": code} for code in self.codes]}
class Result:
    def __init__(self, *codes): self.report = Report(*codes)
def convert(source, target):
    order = Path(source).read_bytes()
    if order == b"locked": raise EncryptedDocumentError
    if order == b"fail": raise ValueError
    Path(target).write_bytes(order)
    return Result("ANIMATION_OMITTED", *(["CHART_OMITTED"] if order == b"chart" else []))
"""


@pytest.fixture
async def by_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PackageConverter]:
    (tmp_path / "stand_in.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    made = PackageConverter({"doc": "stand_in"})
    yield made
    await made.close()


async def test_a_package_converts_and_says_whether_text_may_be_missing(by_package: PackageConverter) -> None:
    assert await by_package.convert(b"text", OLD) == (b"text", True)
    assert await by_package.convert(b"chart", OLD) == (b"chart", False)


async def test_what_a_package_cannot_read_needs_libreoffice(by_package: PackageConverter) -> None:
    for data, old in ((b"fail", OLD), (b"text", OldFormat("This is old.", "Save it anew.", "wpd"))):
        with pytest.raises(OldFormat) as caught:
            await by_package.convert(data, old)
        assert caught.value is old
    with pytest.raises(UnreadableFile, match="This file needs a password"):
        await by_package.convert(b"locked", OLD)


async def test_a_file_of_which_text_may_be_missing_says_so() -> None:
    class Old:
        async def parse(self, data: bytes, file_name: str) -> Parsed:
            if data == b"old":
                raise OLD
            return Parsed((Block("paragraph", data.decode()),), reason="Hidden slides were left out: 1.", remedy="Show them.")

        async def close(self) -> None:
            pass

    class Partial(Converter):
        async def convert(self, data: bytes, old: OldFormat) -> Converted:
            return Converted(b"new", is_whole=False)

    parser = ConvertingParser(Old(), Partial("soffice"))
    parsed = await parser.parse(b"old", "talk.ppt")
    await parser.close()
    assert (parsed.blocks[0].text, parsed.format, parsed.remedy) == ("new", "doc", "Show them.")
    assert parsed.reason == (
        "Hidden slides were left out: 1. Charts, text boxes or embedded objects may be missing: LibreOffice is not installed."
    )


def test_only_installed_packages_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert, "_PACKAGES", {"doc": "stand_in_for_doc", "ppt": "json"})
    assert find_packages() == {"ppt": "json"}


def test_each_old_format_has_a_target() -> None:
    assert set(OLD_FORMATS) == set(TARGETS)


def test_libreoffice_is_found_on_the_path_and_in_its_usual_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(convert, "_PLACES", (str(tmp_path / "opt" / "libreoffice*" / "soffice"),))
    assert find_libreoffice() is None
    for name in ("opt/libreoffice25.8/soffice", "bin/soffice"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("#!/bin/sh\n")
        assert find_libreoffice() != str(tmp_path / name)  # it cannot be executed
        (tmp_path / name).chmod(0o755)
        assert find_libreoffice() == str(tmp_path / name)
