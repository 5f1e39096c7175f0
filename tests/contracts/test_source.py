"""What every source does."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.bootstrap.sources import open_source
from footnote.errors import NotFound, UnreadableFile
from footnote.ports import Entry


async def listed(place: Any) -> dict[str, Entry]:
    return {entry.key: entry async for entry in place.source.entries() if entry.key != "/index"}  # a sitemap may not be empty


@pytest.mark.engine
async def test_files_are_listed_and_read_under_their_names(place: Any) -> None:
    files = {"a.txt": b"one", "sub/더 b.md": "둘".encode(), "sub/c%20d.txt": b"", "A.txt": b"four"}
    for name, data in files.items():
        await place.put(name, data)
    found = await listed(place)
    assert found.keys() == {place.key(name) for name in files}
    for name, data in files.items():
        entry, read = await place.source.read(place.key(name), 100)
        assert (read, entry.size) == (data, len(data))
        assert found[entry.key].size in (None, len(data))
        assert (entry.fingerprint, entry.metadata) == (found[entry.key].fingerprint, found[entry.key].metadata)
        assert entry.fingerprint
    assert await listed(place) == found


async def test_files_outside_the_source_are_left_out(place: Any) -> None:
    await place.put("a.txt", b"one")
    await place.put_other()
    assert (await listed(place)).keys() == {place.key("a.txt")}


@pytest.mark.engine
async def test_other_content_is_another_fingerprint_also_of_the_same_size(place: Any) -> None:
    await place.put("a.txt", b"one")
    (before,) = (await listed(place)).values()
    await place.source.read(before.key, 100)
    await place.put("a.txt", b"two")
    (after,) = (await listed(place)).values()
    assert (after.key, after.size) == (before.key, before.size)
    assert after.fingerprint != before.fingerprint
    assert (await place.source.read(after.key, 100))[1] == b"two"


@pytest.mark.engine
async def test_a_removed_file_is_no_longer_there(place: Any) -> None:
    await place.put("a.txt", b"one")
    await listed(place)
    await place.remove("a.txt")
    assert await listed(place) == {}
    with pytest.raises(NotFound):
        await place.source.read(place.key("a.txt"), 100)


@pytest.mark.engine
async def test_a_file_that_is_too_large_is_not_read(place: Any) -> None:
    await place.put("a.txt", b"x" * 101)
    await listed(place)
    with pytest.raises(UnreadableFile):
        await place.source.read(place.key("a.txt"), 100)
    assert len((await place.source.read(place.key("a.txt"), 101))[1]) == 101


async def test_the_address_leads_to_the_same_source(place: Any) -> None:
    assert open_source(place.source.address, None).address == place.source.address


async def test_the_address_has_no_fragment_which_separates_it_from_keys(place: Any) -> None:
    assert "#" not in place.source.address
