"""Formats and embedders of installed packages: the example of the project, and packages that do what they should not."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.wheel import WheelBuilder

import footnote
from footnote.bootstrap import Core
from footnote.errors import BadRequest, ModelUnavailable, UnreadableFile
from footnote.ingest.parse import installed, parse, with_docling
from footnote.plugins import EMBEDDERS, FORMATS, Plugin
from footnote.plugins import installed as plugins_of
from footnote.settings import Embedding, Settings
from footnote_local.doctor import examine

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/footnote-calendar"
CALENDAR = (
    b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Berlin:20260703T160000\r\nSUMMARY:Summer party\r\n"
    b"LOCATION:In the garden\\, behind the off\r\n ice\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
Install = Callable[..., None]


@pytest.fixture(autouse=True)
def parsers_in_this_process() -> None:
    """The child loads the packages."""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a package on the path, as an installer leaves it."""
    monkeypatch.syspath_prepend(tmp_path / "site")

    def put(package: str, code: str, **groups: dict[str, str]) -> None:
        info = tmp_path / "site" / f"{package}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [
            f"[footnote.{group}]\n" + "".join(f"{name} = {package}:{to}\n" for name, to in names.items()) for group, names in groups.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(lines))
        (tmp_path / "site" / f"{package}.py").write_text(code)

    return put


def test_the_example_package_is_installed_and_reads_and_embeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (wheel,) = WheelBuilder(str(EXAMPLE)).build(directory=str(tmp_path), versions=["standard"])
    shutil.unpack_archive(wheel, tmp_path / "site", "zip")  # as pip installs it
    monkeypatch.syspath_prepend(tmp_path / "site")
    with footnote.open(tmp_path / "data", llm__discover=False, embedding__provider="trigrams", embedding__dimension=256) as library:
        done = library.ingest(CALENDAR, name="team.ics")
        answer = library.ask("Where is the summer party?")
        (hit,) = library.search("sumer partty")  # the trigrams find it in spite of the typos
    assert [(file.state, file.passages, done.notice) for file in done.files] == [("READY", 1, None)]
    assert answer.tier != "nothing"
    assert answer.text.endswith("When: 2026-07-03 16:00. Where: In the garden, behind the office. [1]")
    assert (hit.title, hit.section, hit.file_name) == ("team", "Summer party", "team.ics")
    assert len([line for path in EXAMPLE.glob("*.*") for line in path.read_text().splitlines() if line.strip()]) <= 40


def test_a_package_is_imported_when_it_is_asked_for(install: Install, tmp_path: Path) -> None:
    install("eager", "raise SystemExit('imported')", formats={"lazy": "parse"}, embedders={"lazy": "make"})
    assert plugins_of(FORMATS)["lazy"] == Plugin("lazy", "eager 1.0", "eager:parse")
    with footnote.open(tmp_path / "data", llm__discover=False, embedding__builtin=False) as library:
        assert [file.state for file in library.ingest(b"Ferries leave at noon.", name="ferry.txt").files] == ["READY"]
        assert library.search("ferries") != []
    assert "eager" not in sys.modules


def test_a_package_that_cannot_be_loaded_is_named_and_stops_nothing(install: Install, tmp_path: Path) -> None:
    install("broken", "import no_such_library\n", formats={"brk": "parse"}, embedders={"broken": "make"})
    why = "The package broken 1.0 cannot be loaded (ModuleNotFoundError: No module named 'no_such_library')."
    with footnote.open(tmp_path / "data", llm__discover=False, embedding__provider="broken") as library:
        (failed,) = library.ingest(b"text", name="a.BRK").files
        assert (failed.state, failed.reason, failed.remedy) == ("FAILED", why, "Reinstall or remove it, then restart.")
        done = library.ingest(b"Ferries leave at noon.", name="ferry.txt")
        assert ([file.state for file in done.files], done.notice) == (["READY"], f"{why} Reinstall or remove it, then restart.")
        assert library.ask("When do ferries leave?").tier != "nothing"


PARSERS = """
from footnote.errors import UnreadableFile
from footnote.types import Block, Parsed
def fail(data, file_name): raise ValueError("the secret " + data.decode())
def other(data, file_name): return "text"
def wrong(data, file_name): return Parsed((Block("paragraph", None),))
def empty(data, file_name): return Parsed(())
def refuse(data, file_name): raise UnreadableFile("This calendar is locked.", "Unlock it.")
def good(data, file_name): return Parsed((Block("paragraph", f"{file_name} {len(data)}"),))
"""


@pytest.fixture
def parsers(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install(
        "parsers", PARSERS, formats={name: name for name in ("fail", "other", "wrong", "empty", "refuse")} | {".INI": "good", "pdf": "good"}
    )
    monkeypatch.setattr(installed, "INSTALLED", plugins_of(FORMATS))


@pytest.mark.usefixtures("parsers")
@pytest.mark.parametrize(
    ("extension", "reason", "remedy"),
    [
        ("fail", "The package parsers 1.0 could not read this file (ValueError).", "Check the file, or ask the authors of the package."),
        ("other", "The package parsers 1.0 could not read this file (TypeError).", "Check the file, or ask the authors of the package."),
        ("wrong", "The package parsers 1.0 could not read this file (TypeError).", "Check the file, or ask the authors of the package."),
        ("empty", "This file contains no text, only white space.", "Check that it was saved completely and add it again."),
        ("refuse", "This calendar is locked.", "Unlock it."),
    ],
)
def test_errors_of_a_format_plugin_contain_no_text_of_the_file(extension: str, reason: str, remedy: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        parse(b"diary", f"a.{extension}")
    assert (caught.value.reason, caught.value.remedy) == (reason, remedy)


@pytest.mark.usefixtures("parsers")
def test_a_package_reads_the_extensions_that_it_names_and_no_others() -> None:
    for name in ("folder/setup.ini", "SETUP.INI", "folder\\setup.Ini", "a.pdf"):
        for read in (parse, with_docling.parse):
            parsed = read(b"%PDF-1.7", name)
            assert (parsed.blocks[0].text, parsed.format) == (f"{name} 8", name.lower()[-3:])
    assert parse(b"[a]\nb=1", "setup.cfg").format == "code"
    assert parse(b"plain", "ini").format == "text"
    with pytest.raises(UnreadableFile, match="This file is empty"):
        parse(b"", "setup.ini")


EMBEDDERS_CODE = """
import numpy as np
class Made:
    name, dimension, languages, rows = "made", 4, None, [[3, 4, 0, 0]]
    def __init__(self, wanted): self.name = f"made-{wanted.model}"
    async def embed(self, texts, *, query=False): return self.rows * len(texts)
class Short(Made): rows = [[1, 0]]
class Odd(Made): rows = [[float("nan"), 0, 0, 0]]
class Flat(Made):
    async def embed(self, texts, *, query=False): return [1.0, 2.0]
class Fails(Made):
    async def embed(self, texts, *, query=False): raise KeyError("the secret " + texts[0])
class Refuses:
    def __init__(self, wanted): raise RuntimeError("no licence")
class Bare:
    def __init__(self, wanted): pass
"""
FAILED = "The embedder of the package embedders 1.0 failed"


@pytest.fixture
def embedders(install: Install) -> None:
    names = {name.lower(): name for name in ("Made", "Short", "Odd", "Flat", "Fails", "Refuses", "Bare")}
    install("embedders", EMBEDDERS_CODE, embedders=names)


def embed(folder: Path, provider: str) -> Any:
    embedder = Core(Settings(footnote_data=folder, embedding=Embedding(provider=provider, model="m"))).embedder
    return embedder, asyncio.run(embedder.embed(["a", "b"]))


@pytest.mark.usefixtures("embedders")
def test_the_vectors_of_a_package_are_scaled_to_length_one(tmp_path: Path) -> None:
    embedder, vectors = embed(tmp_path, "made")
    assert (embedder.name, embedder.dimension, embedder.languages) == ("made-m", 4, None)
    assert [row.tolist() for row in vectors] == [pytest.approx([0.6, 0.8, 0, 0])] * 2


@pytest.mark.usefixtures("embedders")
@pytest.mark.parametrize(
    ("provider", "told"),
    [
        ("short", "The embedding model made-m returns vectors of length 2, not 4. Set EMBEDDING__DIMENSION."),
        ("odd", "The embedding model made-m returned an unexpected response instead of vectors."),
        ("flat", "The embedding model made-m returned an unexpected response instead of vectors."),
        ("fails", f"{FAILED} (KeyError)."),
        ("refuses", f"{FAILED} (RuntimeError)."),
        ("bare", f"{FAILED} (AttributeError)."),
    ],
)
def test_errors_of_an_embedder_plugin_contain_no_text(provider: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        embed(tmp_path, provider)
    assert caught.value.detail == told


@pytest.mark.usefixtures("embedders")
def test_a_collection_can_name_an_embedder_of_a_package(tmp_path: Path) -> None:
    core = Core(
        Settings(footnote_data=tmp_path, embedding=Embedding.model_validate({"others": {"mine": {"provider": "made", "model": "x"}}}))
    )
    assert core.named_embedders["mine"].name == "made-x"


def test_an_embedder_that_is_not_installed_is_refused_with_those_that_are(install: Install, tmp_path: Path) -> None:
    install("embedders", "", embedders={"mine": "Mine"})
    with pytest.raises(BadRequest, match=r"EMBEDDING__PROVIDER: Value error, it must be one of openai, bedrock, mine, or the name of"):
        footnote.open(tmp_path / "data", embedding__provider="main")


async def test_the_doctor_lists_what_packages_add(install: Install, tmp_path: Path) -> None:
    install("good", "parse = make = print", formats={"a": "parse"}, embedders={"mine": "make"})
    install("later", "def parse(): pass", formats={"a": "parse", "b": "nothing"})
    core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False)))
    found = {each.part: (each.state, each.found) for each in await examine(core)}
    assert found["format .a"] == ("ok", "package good 1.0")
    assert found["provider mine"] == ("ok", "package good 1.0")
    state, why = found["format .b"]
    assert state == "broken"
    assert why == (
        "The package later 1.0 cannot be loaded (AttributeError: module 'later' has no attribute 'nothing')."
        " Reinstall or remove it, then restart."
    )
    assert set(plugins_of(EMBEDDERS)) == {"mine"}
