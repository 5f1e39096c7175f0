"""Files and folders → documents."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from footnote.errors import BadRequest, ModelUnavailable
from footnote_local.sources import find_files, take_in, wait_for_vectors
from footnote_local.worker import Worker
from tests.fakes import FakeEmbedder
from tests.footnote_local.conftest import open_core


def names(*paths: Path) -> list[str]:
    return [name for _, name in find_files(paths)]


def test_files_are_named_below_the_folder_that_was_given_and_hidden_ones_stay_out(docs: Path) -> None:
    (docs / ".git").mkdir()
    (docs / ".git" / "config").write_text("x")
    (docs / ".hidden").write_text("x")
    (docs / "here").symlink_to(docs)
    assert names(docs) == ["sub/ferry.txt", "tower.md"]
    assert names(docs / "sub" / "ferry.txt", docs / ".hidden") == ["ferry.txt", ".hidden"]


def test_a_name_that_is_no_text_can_still_be_shown(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/caf\xe9.txt", "w") as file:
        file.write("x")
    assert names(tmp_path) == ["caf?.txt"]


def test_files_of_one_name_from_two_folders_get_different_names(tmp_path: Path) -> None:
    for folder in ("north", "south"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "readme.txt").write_text(folder)
    assert names(tmp_path / "north", tmp_path / "south") == ["readme.txt", "south/readme.txt"]
    assert names(tmp_path / "north", tmp_path / "north" / "readme.txt") == ["readme.txt", "readme.txt"]


def test_a_link_goes_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.txt").write_text("x")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "link.txt").symlink_to(tmp_path / "elsewhere.txt")
    assert names(tmp_path / "docs") == ["link.txt"]


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"No such file or folder: .*nowhere"):
        names(tmp_path / "nowhere")


async def test_every_file_gets_its_own_result(docs: Path, tmp_path: Path) -> None:
    (docs / "empty.txt").write_text("")
    (docs / "huge.txt").write_bytes(b"x" * (2**20 + 1))
    core = open_core(tmp_path / "data")
    worker = Worker(core)
    await worker.start()
    progress_seen: list[tuple[int, int]] = []
    report = await take_in(core, [docs], collection="default", groups=["hr"], progress=lambda *done: progress_seen.append(done))
    await worker.stop()
    await core.close()
    assert {name: document.state for name, document in report.documents.items()} == {
        "empty.txt": "FAILED",
        "sub/ferry.txt": "READY",
        "tower.md": "READY",
    }
    assert report.refused == {"huge.txt": "The file has 1.0 MB; 1 MB are allowed. Split it, or raise INGEST__MAX_FILE_MB."}
    assert (report.done, report.failed, progress_seen[-1]) == (4, 2, (4, 4))
    assert {document.permission_groups for document in report.documents.values()} == {frozenset({"hr"})}


async def test_vectors_are_waited_for_unless_the_embedder_is_in_trouble(docs: Path, tmp_path: Path) -> None:
    class Moody(FakeEmbedder):
        down = True

        async def embed(self, texts: Any, *, query: bool = False) -> Any:
            if self.down:
                raise ModelUnavailable("The embedder is down.")
            return await super().embed(texts, query=query)

    core = open_core(tmp_path / "data")
    embedder = core.embedder = Moody()
    progress_seen: list[tuple[int, int]] = []
    for trouble, progress in (("The embedder is down.", (0, 2)), (None, (2, 2))):
        worker = Worker(core)
        await worker.start()
        report = await take_in(core, [docs], collection="default", groups=[], progress=lambda *_: None)
        assert {document.state for document in report.documents.values()} == {"READY"}
        async with asyncio.timeout(10):
            await wait_for_vectors(core, worker, lambda *done: progress_seen.append(done))
        assert (worker.trouble, progress_seen[-1]) == (trouble, progress)
        await worker.stop()
        embedder.down = False
    await core.close()
