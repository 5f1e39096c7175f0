"""What every file store does."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

import pytest

from footnote.errors import BadRequest, NotFound

BYTES = bytes(range(256)) * 4


@pytest.mark.engine
async def test_bytes_come_back_until_they_are_deleted(files: Any) -> None:
    await files.put("sources/plan-1a2b3c/1", BYTES)
    assert await files.get("sources/plan-1a2b3c/1") == BYTES
    await files.delete("sources/plan-1a2b3c/1")
    with pytest.raises(NotFound):
        await files.get("sources/plan-1a2b3c/1")


@pytest.mark.engine
async def test_an_empty_file_is_a_file(files: Any) -> None:
    await files.put("empty", b"")
    assert await files.get("empty") == b""


async def test_new_bytes_replace_the_old_ones(files: Any) -> None:
    await files.put("a", b"a longer text")
    await files.put("a", b"short")
    assert await files.get("a") == b"short"


async def test_deleting_what_is_not_there_is_fine(files: Any) -> None:
    await files.put("a/b", b"x")
    for key in ("never", "a/never", "a/b/never", "a"):
        await files.delete(key)
    assert await files.get("a/b") == b"x"


@pytest.mark.engine
async def test_a_folder_and_a_path_below_a_file_are_not_found(files: Any) -> None:
    await files.put("a/b", b"x")
    for key in ("a", "a/b/c", "a/c"):
        with pytest.raises(NotFound):
            await files.get(key)


@pytest.mark.parametrize("key", ["a", "A-Z_0.9", "a/b/c.pdf", "-", "x..y"])
async def test_a_plain_key_is_accepted(files: Any, key: str) -> None:
    await files.put(key, b"x")
    assert await files.get(key) == b"x"


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "../a",
        "a/../b",
        "a/..",
        "a/.b",
        ".hidden",
        "a b",
        "a\\b",
        "a\n",
        "a\x00",
        "C:a",
        "보고서",
        "~",
    ],
)
async def test_a_key_that_could_lead_elsewhere_is_refused(files: Any, key: str) -> None:
    for call in (files.put(key, b"x"), files.get(key), files.delete(key), files.link(key, 60, content_type="a/b", disposition="inline")):
        with pytest.raises(BadRequest):
            await call


async def keys_of(files: Any, prefix: str) -> list[str]:
    return [key async for key in files.keys(prefix)]


@pytest.mark.engine
async def test_keys_are_listed_by_what_they_begin_with_in_the_order_of_their_bytes(files: Any) -> None:
    keys = ["B/1", "a-b", "a.b", "a/1", "a/10", "a/2", "a/b/c", "a_b", "ab"]
    for key in reversed(keys):
        await files.put(key, b"x")
    assert await keys_of(files, "") == keys
    assert await keys_of(files, "a/") == ["a/1", "a/10", "a/2", "a/b/c"]
    assert await keys_of(files, "a/1") == ["a/1", "a/10"]
    assert await keys_of(files, "a/b/c") == ["a/b/c"]
    assert await keys_of(files, "a") == keys[1:]


@pytest.mark.parametrize("prefix", ["none", "a/b/c/", "a/1/2", "/", "../", "/etc/", "a//", "가"])
async def test_a_prefix_without_keys_lists_nothing(files: Any, prefix: str) -> None:
    await files.put("a/1", b"x")
    assert await keys_of(files, prefix) == []


async def test_a_deleted_key_is_listed_no_more(files: Any) -> None:
    for key in ("a/1", "a/2"):
        await files.put(key, b"x")
    await files.delete("a/1")
    assert await keys_of(files, "a/") == ["a/2"]


async def test_an_empty_store_has_no_keys(files: Any) -> None:
    assert await keys_of(files, "") == []


@pytest.mark.engine
async def test_a_link_is_a_url_or_none(files: Any) -> None:
    await files.put("a", b"x")
    link = await files.link("a", 60, content_type="text/plain", disposition="inline")
    assert link is None or urlsplit(link).path.endswith("/a")


@pytest.mark.engine
async def test_a_reader_never_sees_a_partial_file(open_files: Any) -> None:
    one, two = await open_files(), await open_files()
    versions = [bytes([number]) * 200_000 for number in range(6)]
    await one.put("a", versions[0])
    reads = [two.get("a") for _ in range(12)]
    found = await asyncio.gather(*(one.put("a", version) for version in versions), *reads)
    assert set(found[len(versions) :]) <= set(versions)
    assert await one.get("a") in versions
