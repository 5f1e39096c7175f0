"""Folders and ZIP files as sources: files that change while they are read, names that are no text, damaged archives."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from footnote.adapters.local.source import CHANGING, FolderSource
from footnote.adapters.local.source_zip import ZipSource
from footnote.errors import BadRequest, NotFound, UnreadableFile
from footnote.ports import Entry


async def keys(source: FolderSource | ZipSource) -> list[str]:
    return sorted([entry.key async for entry in source.entries() if isinstance(entry, Entry)])


async def test_a_file_that_keeps_changing_is_left_for_the_next_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, writes = tmp_path / "a.txt", 0
    path.write_text("0")

    def write(found: os.stat_result) -> float:
        """Runs after the file was opened and before it is read."""
        nonlocal writes
        writes += 1
        if writes <= most:
            path.write_text("x" * writes)
        return 0.0

    monkeypatch.setattr("footnote.adapters.local.source._too_young_s", write)
    most = 3
    assert (await FolderSource(tmp_path).read("a.txt", 100))[1] == b"xxx"
    most = 100
    with pytest.raises(UnreadableFile) as told:
        await FolderSource(tmp_path).read("a.txt", 100)
    assert told.value is CHANGING


async def test_a_file_from_the_future_is_read_like_others(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    os.utime(tmp_path / "a.txt", (4e9, 4e9))
    assert (await FolderSource(tmp_path).read("a.txt", 100))[1] == b"x"


async def test_a_write_right_after_a_read_is_noticed(tmp_path: Path) -> None:
    """Also if the file has the same size, and the clock of the file system has not advanced between write, read and write."""
    path, source = tmp_path / "a.txt", FolderSource(tmp_path)
    for number in range(20):
        path.write_text(f"{number:02d}")
        before, _ = await source.read("a.txt", 100)
        path.write_text(f"{number + 50:02d}")
        after, _ = await source.read("a.txt", 100)
        assert before.fingerprint != after.fingerprint


async def test_a_file_that_gives_way_to_something_else_is_gone(tmp_path: Path) -> None:
    source = FolderSource(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/etc/hostname")
    assert await keys(source) == []
    for key in ("pipe", "folder", "link", "none", "folder/none"):
        with pytest.raises(NotFound):
            await source.read(key, 100)


async def test_a_link_to_a_file_within_counts_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "b.txt").symlink_to("a.txt")
    assert await keys(FolderSource(tmp_path)) == ["a.txt", "b.txt"]
    assert (await FolderSource(tmp_path).read("b.txt", 100))[1] == b"x"


async def test_a_folder_that_becomes_a_link_leads_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, outside = tmp_path / "docs", tmp_path / "private"
    for folder in (inside / "sub", outside):
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text(folder.name)
    source = FolderSource(inside)
    assert await keys(source) == ["sub/a.txt"]
    (inside / "sub").rename(inside / "earlier")
    (inside / "sub").symlink_to(outside)
    with pytest.raises(NotFound):
        await source.read("sub/a.txt", 100)
    checks = iter([True, False, False])  # a link from then on
    monkeypatch.setattr(source, "_is_within", lambda path: next(checks))
    with pytest.raises(NotFound):
        await source.read("sub/a.txt", 100)
    (inside / "sub").unlink()
    (inside / "sub").symlink_to("sub")
    with pytest.raises(UnreadableFile, match="Too many levels of symbolic links"):
        await source.read("sub/a.txt", 100)


async def test_names_that_are_no_text_are_keys_like_others(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/caf\xe9.txt", "w") as file:
        file.write("x")
    (key,) = await keys(FolderSource(tmp_path))
    assert (await FolderSource(tmp_path).read(key, 100))[1] == b"x"


@pytest.mark.parametrize("data", [b"", b"no archive", b"PK\x03\x04" + b"\0" * 100])
async def test_a_damaged_archive_is_not_an_empty_one(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(BadRequest, match="cannot be read as a ZIP file"):
        await keys(ZipSource(tmp_path / "a.zip"))
    with pytest.raises(BadRequest, match="There is no file"):
        await keys(ZipSource(tmp_path / "none.zip"))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
async def test_damage_is_noticed_in_every_kind_of_compression(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.txt", "hello hello " * 1000)
        offset = len(archive.getinfo("a.txt").FileHeader())
    data = bytearray(path.read_bytes())
    data[offset : offset + 12] = b"\xff" * 12
    path.write_bytes(data)
    with pytest.raises(UnreadableFile, match="damaged"):
        await ZipSource(path).read("a.txt", 10**6)


async def test_a_damaged_or_encrypted_file_of_an_archive_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "hello hello")
    good = path.read_bytes()
    path.write_bytes(good.replace(b"hello hello", b"hello hellO", 1))
    with pytest.raises(UnreadableFile, match="damaged"):
        await ZipSource(path).read("a.txt", 100)
    encrypted = bytearray(good)
    encrypted[good.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(encrypted)
    with pytest.raises(UnreadableFile, match="password"):
        await ZipSource(path).read("a.txt", 100)
