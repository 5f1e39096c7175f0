"""Files and folders → documents."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from footnote.errors import BadRequest, ModelUnavailable
from footnote.library.files import Report, find_files, take_in
from footnote.library.worker import Worker, wait_for_vectors
from tests.fakes import FakeEmbedder
from tests.footnote_local.conftest import open_core, working


def names(*paths: Path) -> list[str]:
    return [file.name for file in find_files(paths, [])]


def left_out(folder: Path) -> tuple[list[str], list[str]]:
    """(the names of the files, the links that are not followed)."""
    found: list[str] = []
    return [file.name for file in find_files([folder], found)], found


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


@pytest.fixture
def linked(docs: Path, tmp_path: Path) -> Path:
    """A folder with links out of it: to files, to folders, by way of others, absolute and relative."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "salaries.txt").write_text("Ann earns 91,234 euros.")
    (tmp_path / "docs-2").mkdir()  # its name begins as the folder's
    (tmp_path / "docs-2" / "plan.txt").write_text("x")
    for name, target in (
        ("absolute.txt", tmp_path / "private" / "salaries.txt"),
        ("chain.txt", Path("chain-2.txt")),
        ("chain-2.txt", Path("../private/salaries.txt")),
        ("circle.txt", Path("circle-2.txt")),
        ("circle-2.txt", Path("circle.txt")),
        ("folder", Path("../private")),
        ("nowhere.txt", Path("../nowhere.txt")),
        ("sibling.txt", Path("../docs-2/plan.txt")),
        ("sub/above.txt", Path("../../private/salaries.txt")),
        ("sub/up", Path("../..")),
    ):
        (docs / name).symlink_to(target)
    return docs


def test_no_link_out_of_the_folder_is_followed_and_each_is_told(linked: Path) -> None:
    assert left_out(linked) == (
        ["sub/ferry.txt", "tower.md"],
        "absolute.txt chain-2.txt chain.txt circle-2.txt circle.txt folder nowhere.txt sibling.txt sub/above.txt sub/up".split(),
    )


def test_a_link_in_the_folder_goes_by_its_own_name_and_linked_folders_are_read_once(docs: Path) -> None:
    (docs / "link.txt").symlink_to("sub/ferry.txt")
    (docs / "sub" / "back.md").symlink_to(docs / "tower.md")
    (docs / "again").symlink_to("sub")
    (docs / "sub" / "circle").symlink_to("..")
    assert left_out(docs) == (["link.txt", "sub/back.md", "sub/ferry.txt", "tower.md"], [])


def test_a_folder_or_a_file_that_is_named_itself_may_be_a_link(linked: Path, tmp_path: Path) -> None:
    (tmp_path / "here").symlink_to(linked)
    assert names(tmp_path / "here") == ["sub/ferry.txt", "tower.md"]
    assert names(linked / "absolute.txt") == ["absolute.txt"]


def test_a_file_that_became_a_link_since_it_was_found_is_not_read(linked: Path) -> None:
    ferry, tower = find_files([linked], [])
    tower.path.unlink()
    tower.path.symlink_to("../private/salaries.txt")
    assert ferry.read()
    with pytest.raises(OSError, match="a link leads out of the folder"):
        tower.read()


async def test_links_that_are_left_out_are_told_in_one_line(linked: Path, tmp_path: Path) -> None:
    core = open_core(tmp_path / "data")
    async with working(core):
        report = await take_in(core, [linked], collection="default", groups=[], progress=lambda *_: None)
    assert sorted(report.documents) == ["sub/ferry.txt", "tower.md"]
    assert (report.refused, report.failed) == ({}, 0)
    assert report.links == (
        "Left out: 10 links that lead out of the folder or nowhere (absolute.txt, chain-2.txt, chain.txt, circle-2.txt, circle.txt, folder,"
        " nowhere.txt, sibling.txt, sub/above.txt, sub/up)."
    )
    assert Report(left_out=["a.txt"]).links == "Left out: 1 link that leads out of the folder or nowhere (a.txt)."
    assert Report(left_out=list("abcdefghijkl")).links.endswith("(a, b, c, d, e, f, g, h, i, j, …).")
    assert Report().links == ""


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"No such file or folder: .*nowhere"):
        names(tmp_path / "nowhere")


async def test_every_file_gets_its_own_result(docs: Path, tmp_path: Path) -> None:
    (docs / "empty.txt").write_text("")
    (docs / "huge.txt").write_bytes(b"x" * (2**20 + 1))
    core = open_core(tmp_path / "data")
    async with working(core):
        progress_seen: list[tuple[int, int]] = []
        report = await take_in(core, [docs], collection="default", groups=["hr"], progress=lambda *done: progress_seen.append(done))
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
