"""Conversion of old formats: limits and clean-up with a program that stands in for LibreOffice."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from footnote.errors import OldFormat, Unavailable, UnreadableFile
from footnote.ingest import convert
from footnote.ingest.child import ParserProcess
from footnote.ingest.convert import TARGETS, Converter, ConvertingParser, find_libreoffice
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
log = Path(LOG)
def answer(data):
    out.mkdir()
    (out / f"{source.stem}.{target}").write_bytes(data)
if order == b"say":
    profile = Path(arguments[0].removeprefix("-env:UserInstallation=file://")) / "user" / "registrymodifications.xcu"
    answer("\\n".join([target, source.name, *sorted(os.environ), profile.read_text()]).encode())
elif order == b"hang":
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep(4); open({str(log)!r}, 'w').write('alive')"])
    log.with_suffix(".started").touch()
    time.sleep(60)
elif order == b"leave":
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep(1); open({str(log)!r}, 'w').write('alive')"])
    answer(b"done")
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
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
async def make(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    """Makes converters whose program stands in for LibreOffice, and whose temporary folders are in `tmp_path / "temp"`."""
    program = tmp_path / "soffice"
    program.write_text(f"#!{sys.executable}\nLOG = {str(log)!r}\n{STAND_IN}")
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
    target, name, *rest = (await make().convert(b"say", OLD)).decode().split("\n")
    assert (target, name) == ("docx", "file.doc")
    assert (
        {"HOME", "PATH", "TMPDIR", "LC_ALL"}
        <= set(rest[:-1])
        <= {"HOME", "PATH", "TMPDIR", "LC_ALL", "LC_CTYPE", "PWD", "__CF_USER_TEXT_ENCODING"}
    )
    values = {prop.get("{http://openoffice.org/2001/registry}name"): prop[0].text for prop in ElementTree.fromstring(rest[-1]).iter("prop")}
    assert values["BlockUntrustedRefererLinks"] == values["DisableMacrosExecution"] == values["DisableActiveContent"] == "true"
    assert (values["ooInetHTTPProxyName"], values["ooInetHTTPSProxyPort"]) == ("127.0.0.1", "9")


async def test_a_conversion_that_hangs_ends_with_all_its_processes(make: Make, log: Path) -> None:
    assert await refusal(make(timeout_s=2), b"hang") == ("Converting this file took longer than 2 s.", "Save it anew.")
    await asyncio.sleep(4)
    assert log.with_suffix(".started").exists()
    assert not log.exists()


async def test_processes_that_a_conversion_leaves_behind_end_too(make: Make, log: Path) -> None:
    assert await make().convert(b"leave", OLD) == b"done"
    await asyncio.sleep(1.5)
    assert not log.exists()


@pytest.mark.parametrize("order", ["die", "grow", "write", "empty", "nothing"])
async def test_a_conversion_that_crashes_or_writes_too_much_or_nothing_is_a_refusal(make: Make, order: str) -> None:
    assert await refusal(make(), order.encode()) == ("LibreOffice could not read this file; it may be damaged.", "Save it anew.")


async def test_a_result_below_the_limit_is_returned(make: Make) -> None:
    assert await make(max_file=4 << 20).convert(b"write", OLD) == bytes(3 << 20)


async def test_cancelling_and_closing_end_a_conversion(make: Make, log: Path) -> None:
    converter = make()
    for end in (asyncio.Task.cancel, None):
        log.with_suffix(".started").unlink(missing_ok=True)
        task = asyncio.create_task(converter.convert(b"hang", OLD))
        while not log.with_suffix(".started").exists():
            await asyncio.sleep(0.02)
        if end:
            end(task)
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            await converter.close()
            with pytest.raises(Unavailable):
                await task
    await asyncio.sleep(4.5)
    assert not log.exists()
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
        async def convert(self, data: bytes, old: OldFormat) -> bytes:
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
