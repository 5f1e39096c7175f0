"""What is peculiar to files in a folder; the rest is in the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.adapters.local.files import LocalFiles
from footnote.errors import StoreUnavailable
from tests.full_disk import files_of_at_most


async def test_nothing_is_left_beside_a_file(tmp_path: Path) -> None:
    await LocalFiles(tmp_path).put("a/b", b"old")
    await LocalFiles(tmp_path).put("a/b", b"new")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


async def test_a_write_that_fails_says_so_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a" / "taken").mkdir(parents=True)
    with pytest.raises(StoreUnavailable, match=r"Is a directory.*Check the disk and the data folder\."):
        await LocalFiles(tmp_path).put("a/taken", b"x")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["taken"]


async def test_a_full_disk_is_told_as_full_and_takes_files_when_there_is_space(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    with files_of_at_most(1000), pytest.raises(StoreUnavailable) as caught:
        await files.put("a/large", bytes(2000))
    assert caught.value.detail == "The folder of source files cannot be used (File too large). The disk is full. Free disk space."
    await files.put("a/large", bytes(2000))
    assert await files.get("a/large") == bytes(2000)


async def test_a_folder_that_is_no_folder_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "files").write_bytes(b"")
    with pytest.raises(StoreUnavailable):
        await LocalFiles(tmp_path / "files").put("a/b", b"x")


async def test_a_disk_error_is_not_told_as_a_missing_file(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    name_too_long_for_a_disk = "x" * 300
    for call in (files.get(name_too_long_for_a_disk), files.delete(name_too_long_for_a_disk)):
        with pytest.raises(StoreUnavailable):
            await call


async def test_an_incomplete_file_has_no_key(tmp_path: Path) -> None:
    await LocalFiles(tmp_path).put("a/b", b"x")
    (tmp_path / "a" / ".unfinished").write_bytes(b"x")
    (tmp_path / ".secret").mkdir()
    (tmp_path / ".secret" / "c").write_bytes(b"x")
    assert [key async for key in LocalFiles(tmp_path).keys("")] == ["a/b"]


async def test_a_folder_has_no_links(tmp_path: Path) -> None:
    await LocalFiles(tmp_path).put("a", b"x")
    assert await LocalFiles(tmp_path).link("a", 60, content_type="text/plain", disposition="inline") is None
