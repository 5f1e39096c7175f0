"""What every cache does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from footnote.ports import Amount


async def test_a_value_comes_back_until_it_is_deleted(cache: Any) -> None:
    assert await cache.get("k") is None
    await cache.put("k", {"a": [1, 2.5, None, True, "값"]}, ttl_s=60)
    assert await cache.get("k") == {"a": [1, 2.5, None, True, "값"]}
    await cache.delete("k")
    assert await cache.get("k") is None


@pytest.mark.engine
async def test_deleting_what_is_not_there_is_fine(cache: Any) -> None:
    await cache.delete("never")
    assert await cache.get("never") is None


@pytest.mark.engine
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


@pytest.mark.engine
@pytest.mark.parametrize("value", ["", 0, False, [], {}])
async def test_an_empty_value_is_a_value(cache: Any, value: Any) -> None:
    await cache.put("k", value, ttl_s=60)
    found = await cache.get("k")
    assert (found, type(found)) == (value, type(value))


async def test_a_value_that_is_not_json_is_refused_and_the_old_one_stays(cache: Any) -> None:
    await cache.put("k", 1, ttl_s=60)
    with pytest.raises(TypeError):
        await cache.put("k", object(), ttl_s=60)
    assert await cache.get("k") == 1


async def test_two_clients_share_their_values(open_cache: Any) -> None:
    one, two = await open_cache(), await open_cache()
    await asyncio.gather(*(client.put(f"k{number}", number, ttl_s=60) for number, client in enumerate([one, two] * 5)))
    assert [await one.get(f"k{number}") for number in range(10)] == list(range(10))
    assert [await two.get(f"k{number}") for number in range(10)] == list(range(10))


# --- conditional writes ------------------------------------------------------------------------


@pytest.mark.engine
async def test_a_key_is_free_for_one_until_its_time_is_up(cache: Any, clock: Any) -> None:
    assert await cache.put_new("k", {"owner": "one"}, ttl_s=10) is True
    assert await cache.put_new("k", {"owner": "two"}, ttl_s=10) is False
    clock.advance(9.5)
    assert await cache.put_new("k", {"owner": "two"}, ttl_s=10) is False
    assert await cache.get("k") == {"owner": "one"}
    clock.advance(0.5)
    assert await cache.put_new("k", {"owner": "two"}, ttl_s=10) is True
    clock.advance(9.5)
    assert await cache.get("k") == {"owner": "two"}


async def test_a_key_is_free_again_once_its_value_is_deleted(cache: Any) -> None:
    await cache.put("k", None, ttl_s=60)
    assert await cache.put_new("k", 1, ttl_s=60) is False
    await cache.delete("k")
    assert await cache.put_new("k", 1, ttl_s=60) is True


async def test_a_new_value_that_is_not_json_is_refused_and_the_key_stays_free(cache: Any) -> None:
    with pytest.raises(TypeError):
        await cache.put_new("k", object(), ttl_s=60)
    assert await cache.put_new("k", 1, ttl_s=60) is True


@pytest.mark.engine
async def test_one_of_many_concurrent_claims_of_a_key_succeeds(open_cache: Any) -> None:
    clients = [await open_cache(), await open_cache()]
    won = await asyncio.gather(*(clients[number % 2].put_new("k", number, ttl_s=60) for number in range(20)))
    assert sum(won) == 1
    assert await clients[0].get("k") == won.index(True)


@pytest.mark.engine
async def test_a_counter_adds_up_and_begins_again_when_its_time_is_up(cache: Any, clock: Any) -> None:
    assert await cache.add("k", 2, ttl_s=10) == 2
    clock.advance(9)
    assert await cache.add("k", 3, ttl_s=10) == 5
    assert await cache.add("k", -1, ttl_s=10) == 4
    assert await cache.get("k") == 4
    clock.advance(1)
    assert await cache.get("k") is None
    assert await cache.add("k", 7, ttl_s=10) == 7
    clock.advance(9)
    assert await cache.add("k", 1, ttl_s=10) == 8


@pytest.mark.engine
async def test_amounts_are_added_to_several_counters(cache: Any, clock: Any) -> None:
    await cache.add("a", 1, ttl_s=10)
    await cache.add_all([Amount("a", 2, 20), Amount("b", -5, 20), Amount("a", 3, 20)])
    await cache.add_all([])
    assert [await cache.get(key) for key in "ab"] == [6, -5]
    clock.advance(10)
    assert [await cache.get(key) for key in "ab"] == [None, -5]


async def test_a_value_that_is_put_later_is_there_at_once_and_until_its_time_is_up(cache: Any, clock: Any) -> None:
    await cache.put("k", "old", ttl_s=60)
    value = {"text": "Zürich"}
    await cache.put_later("k", value, ttl_s=10)
    value["text"] = "Bern"
    assert await cache.get("k") == {"text": "Zürich"}
    await cache.put("other", 1, ttl_s=60)
    assert await cache.get("k") == {"text": "Zürich"}
    clock.advance(10)
    assert await cache.get("k") is None


@pytest.mark.parametrize("is_written", [False, True])
async def test_of_a_value_that_is_put_later_and_another_change_the_last_one_counts(cache: Any, is_written: bool) -> None:
    await cache.put_later("k", 1, ttl_s=60)
    await cache.put_later("gone", 1, ttl_s=60)
    if is_written:
        await cache.put("other", 1, ttl_s=60)
    await cache.put("k", 2, ttl_s=60)
    await cache.delete("gone")
    assert [await cache.get(key) for key in ("k", "gone")] == [2, None]
    await cache.put("other", 2, ttl_s=60)
    assert [await cache.get(key) for key in ("k", "gone")] == [2, None]


async def test_a_deleted_counter_begins_again(cache: Any) -> None:
    await cache.add("k", 5, ttl_s=60)
    await cache.delete("k")
    assert await cache.add("k", 1, ttl_s=60) == 1


@pytest.mark.engine
async def test_concurrent_additions_are_all_counted(open_cache: Any) -> None:
    clients = [await open_cache(), await open_cache()]

    async def add(number: int) -> list[int]:
        return [await clients[number % 2].add("k", 1, ttl_s=60) for _ in range(5)]

    totals = await asyncio.gather(*map(add, range(20)))
    assert sorted(total for some in totals for total in some) == list(range(1, 101))
    assert await clients[0].get("k") == 100
