"""Dropped files in a folder of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.adapters.drops_local import LocalDrops
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
    assert (await drops.get("bucket", "a/여행 1.txt")).decode() == "bucket/a/여행 1.txt"


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
async def test_what_is_not_in_the_bucket_does_not_exist(bucket: str, key: str, drops: LocalDrops) -> None:
    with pytest.raises(NotFound):
        await drops.get(bucket, key)
