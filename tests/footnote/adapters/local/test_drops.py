"""Dropped files in a folder of this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from footnote.adapters.local.drops import LocalDrops
from footnote.errors import NotFound


@pytest.fixture
def drops(tmp_path: Path) -> LocalDrops:
    for name in ("bucket/a/여행 1.txt", "other/b.txt", "../secret"):
        path = tmp_path / "drops" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "drops/bucket/out").symlink_to(tmp_path / "secret")
    return LocalDrops(tmp_path / "drops")


async def test_a_file_is_found_by_bucket_and_key(drops: LocalDrops) -> None:
    data, _ = await drops.get("bucket", "a/여행 1.txt")
    assert data.decode() == "bucket/a/여행 1.txt"


@pytest.mark.parametrize(
    ("bucket", "key"),
    [
        ("bucket", "none.txt"),
        ("bucket", "a"),
        ("bucket", "a/여행 1.txt/x"),
        ("bucket", "../other/b.txt"),
        ("bucket", "../../secret"),
        ("bucket", "out"),
        ("bucket", "/etc/hostname"),
        ("..", "secret"),
        (".", "other/b.txt"),
        ("", "other/b.txt"),
        ("bucket/a", "여행 1.txt"),
        ("none", "a.txt"),
    ],
)
async def test_files_outside_the_bucket_do_not_exist(bucket: str, key: str, drops: LocalDrops, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        await drops.get(bucket, key)
    assert await drops.head(bucket, key) is None
    await drops.delete(bucket, key)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["b.txt", "out", "secret", "여행 1.txt"]


@pytest.mark.parametrize(("bucket", "keys"), [("bucket", ["a/여행 1.txt"]), ("other", ["b.txt"]), ("none", []), ("..", []), ("", [])])
async def test_only_what_is_in_the_bucket_is_listed(bucket: str, keys: list[str], drops: LocalDrops) -> None:
    assert [found.key async for found in drops.list(bucket)] == keys


async def test_the_same_bytes_dropped_anew_are_another_version(drops: LocalDrops, tmp_path: Path) -> None:
    _, before = await drops.get("other", "b.txt")
    os.utime(tmp_path / "drops/other/b.txt", ns=(1, 1))
    _, after = await drops.get("other", "b.txt")
    assert before != after
