"""What every cache does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest


async def test_a_value_comes_back_until_it_is_deleted(cache: Any) -> None:
    assert await cache.get("k") is None
    await cache.put("k", {"a": [1, 2.5, None, True, "값"]}, ttl_s=60)
    assert await cache.get("k") == {"a": [1, 2.5, None, True, "값"]}
    await cache.delete("k")
    assert await cache.get("k") is None


async def test_deleting_what_is_not_there_is_fine(cache: Any) -> None:
    await cache.delete("never")
    assert await cache.get("never") is None


async def test_a_value_is_gone_when_its_time_is_up(cache: Any, clock: Any) -> None:
    await cache.put("k", 1, ttl_s=10)
    clock.advance(9.5)
    assert await cache.get("k") == 1
    clock.advance(0.5)
    assert await cache.get("k") is None


async def test_a_value_without_time_is_never_seen(cache: Any) -> None:
    await cache.put("k", 1, ttl_s=0)
    assert await cache.get("k") is None


async def test_a_new_value_replaces_the_old_one_and_its_time(cache: Any, clock: Any) -> None:
    await cache.put("k", "old", ttl_s=10)
    clock.advance(9)
    await cache.put("k", "new", ttl_s=10)
    clock.advance(9)
    assert await cache.get("k") == "new"


async def test_values_that_are_alive_stay_when_others_expire(cache: Any, clock: Any) -> None:
    for number in range(40):
        await cache.put(f"short-{number}", number, ttl_s=1)
    await cache.put("long", 1, ttl_s=100)
    clock.advance(50)
    for number in range(10):
        await cache.put(f"new-{number}", number, ttl_s=1)
    assert await cache.get("long") == 1
    assert [await cache.get(f"new-{number}") for number in range(10)] == list(range(10))
    assert [await cache.get(f"short-{number}") for number in range(40)] == [None] * 40


@pytest.mark.parametrize("value", ["", 0, False, [], {}])
async def test_an_empty_value_is_a_value(cache: Any, value: Any) -> None:
    await cache.put("k", value, ttl_s=60)
    found = await cache.get("k")
    assert (found, type(found)) == (value, type(value))


async def test_a_value_that_is_no_json_is_refused_and_the_old_one_stays(cache: Any) -> None:
    await cache.put("k", 1, ttl_s=60)
    with pytest.raises(TypeError):
        await cache.put("k", object(), ttl_s=60)
    assert await cache.get("k") == 1


async def test_two_clients_share_their_values(open_cache: Any) -> None:
    one, two = await open_cache(), await open_cache()
    await asyncio.gather(*(client.put(f"k{number}", number, ttl_s=60) for number, client in enumerate([one, two] * 5)))
    assert [await one.get(f"k{number}") for number in range(10)] == list(range(10))
    assert [await two.get(f"k{number}") for number in range(10)] == list(range(10))
