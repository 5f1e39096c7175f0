"""What every drop bucket does."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import NotFound
from footnote.ports import Dropped


async def found_in(bucket: Any) -> list[Dropped]:
    return [found async for found in bucket.drops.list(bucket.name)]


@pytest.mark.sample
@pytest.mark.engine
@pytest.mark.parametrize("key", ["a.txt", "handbuch/Müller & Söhne+1.txt", "여행/규정 2026.md", "a=b?c#d%20e.txt", "🗎/x", "a/.b", "~"])
async def test_a_file_is_there_under_the_name_that_people_gave_it(bucket: Any, key: str) -> None:
    await bucket.put(key, b"twelve bytes")
    data, version = await bucket.drops.get(bucket.name, key)
    assert data == b"twelve bytes"
    assert await bucket.drops.head(bucket.name, key) == Dropped(key, version, 12)
    assert await found_in(bucket) == [Dropped(key, version, 12)]


@pytest.mark.engine
async def test_missing_files_are_not_found(bucket: Any) -> None:
    await bucket.put("a/b", b"x")
    for key in ("none", "a", "a/b/c", "A/B", "a/b "):
        with pytest.raises(NotFound):
            await bucket.drops.get(bucket.name, key)
        assert await bucket.drops.head(bucket.name, key) is None


async def test_an_empty_file_is_a_file(bucket: Any) -> None:
    await bucket.put("empty", b"")
    assert (await bucket.drops.get(bucket.name, "empty"))[0] == b""
    assert (await bucket.drops.head(bucket.name, "empty")).size == 0


@pytest.mark.engine
async def test_other_bytes_are_another_version_also_of_the_same_length(bucket: Any) -> None:
    versions = set()
    for number in range(20):
        await bucket.put("a", b"%02d" % number)
        data, version = await bucket.drops.get(bucket.name, "a")
        assert data == b"%02d" % number
        assert await bucket.drops.head(bucket.name, "a") == Dropped("a", version, 2)
        versions.add(version)
    assert len(versions) == 20


async def test_the_version_of_an_unchanged_file_stays(bucket: Any) -> None:
    await bucket.put("a", b"1")
    before = await found_in(bucket)
    await bucket.put("b", b"2")
    assert (await found_in(bucket))[:1] == before


@pytest.mark.engine
async def test_a_deleted_file_is_gone_and_may_be_deleted_again(bucket: Any) -> None:
    await bucket.put("여행/a", b"1")
    await bucket.put("b", b"2")
    await bucket.drops.delete(bucket.name, "여행/a")
    await bucket.drops.delete(bucket.name, "여행/a")
    await bucket.drops.delete(bucket.name, "never")
    assert await bucket.drops.head(bucket.name, "여행/a") is None
    assert [found.key for found in await found_in(bucket)] == ["b"]


async def test_an_empty_bucket_lists_nothing(bucket: Any) -> None:
    assert await found_in(bucket) == []


@pytest.mark.engine
async def test_files_are_listed_in_the_order_of_their_keys_bytes(bucket: Any) -> None:
    keys = ["B", "a", "a-b", "a.b", "b/c", "b/c-d", "b/ü", "ü", "가", "\uff5e", "😀"]
    for key in reversed(keys):
        await bucket.put(key, key.encode())
    assert [found.key for found in await found_in(bucket)] == keys
