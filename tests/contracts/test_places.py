"""What every store of records does for limits on how many things there may be."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from footnote.collections.places import LOST_S, Places
from footnote.errors import Conflict


async def put(places: Places, records: Any, item: str, key: str = "k") -> bool:
    """Stores one item where there is a place for it → whether there was."""

    async def stored() -> set[str]:
        return {record.key.partition("/")[2] for record in (await records.list("golden", prefix=f"{key}/")).data}

    with suppress(Conflict):
        async with places.place(key, item, stored):
            await records.put("golden", f"{key}/{item}", {}, by="ann")
        return True
    return False


@pytest.mark.engine
async def test_of_many_additions_at_once_as_many_are_stored_as_there_are_places(open_records: Any, clock: Any) -> None:
    clients = [await open_records(), await open_records()]
    places = [Places(client, clock, 5, "There are 5.") for client in clients]
    done = await asyncio.gather(*(put(places[number % 2], clients[number % 2], f"i{number}") for number in range(30)))
    assert sum(done) == 5
    assert len((await clients[0].list("golden", prefix="k/")).data) == 5
    assert await put(places[0], clients[0], "other", key="l")


async def test_a_place_is_free_again_when_its_thing_is_gone(records: Any, clock: Any) -> None:
    places = Places(records, clock, 5, "There are 5.")
    assert [await put(places, records, f"i{number}") for number in range(6)] == [True] * 5 + [False]
    assert await put(places, records, "i0"), "it is replaced"
    await records.delete("golden", "k/i2")
    assert [await put(places, records, f"j{number}") for number in range(2)] == [True, False]


async def test_a_place_is_free_again_when_storing_fails_and_soon_when_its_process_dies(records: Any, clock: Any) -> None:
    places = Places(records, clock, 1, "There are 5.")

    async def nothing() -> set[str]:
        return set()

    with pytest.raises(ZeroDivisionError):
        async with places.place("k", "i0", nothing):
            raise ZeroDivisionError
    await records.put("places", "k", {"taken": {"i1": clock()}}, by="places", expected=2)
    assert not await put(places, records, "i2")
    clock.advance(LOST_S)
    assert await put(places, records, "i2")
