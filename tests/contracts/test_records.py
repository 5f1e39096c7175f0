"""What every store of small documents does: prompts, settings, terms, preferences, sessions, the audit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from footnote.errors import Conflict
from footnote.ports import read_all


@pytest.mark.engine
async def test_a_record_comes_back_as_it_was_put(records: Any, clock: Any) -> None:
    assert await records.get("prompt", "answer") is None
    value = {"a.b": [1, 2.5, None, True, "값"], "$set": {"deep": {"": "x"}}, "half": "\ud800", "large": 2**40}
    put = await records.put("prompt", "answer", value, by="ann")
    assert (put.key, put.value, put.version, put.changed_at, put.changed_by) == ("answer", value, 1, clock(), "ann")
    assert await records.get("prompt", "answer") == put


async def test_kinds_do_not_see_one_another(records: Any) -> None:
    await records.put("prompt", "k", {"is": "a prompt"}, by="ann")
    await records.put("prompt_version", "k", {"is": "a version"}, by="ann")
    assert (await records.get("prompt", "k")).value == {"is": "a prompt"}
    assert [each.value for each in (await records.list("prompt")).data] == [{"is": "a prompt"}]
    assert await records.get("setting", "k") is None
    assert await records.delete("setting", "k") is False


async def test_a_new_value_replaces_the_old_one_whole(records: Any, clock: Any) -> None:
    await records.put("setting", "k", {"old": 1}, by="ann")
    clock.advance(5)
    put = await records.put("setting", "k", {"new": 2}, by="bob")
    assert (put.value, put.version, put.changed_at, put.changed_by) == ({"new": 2}, 2, clock(), "bob")
    assert await records.get("setting", "k") == put


async def test_an_empty_value_is_a_value(records: Any) -> None:
    await records.put("setting", "k", {}, by="ann")
    assert (await records.get("setting", "k")).value == {}
    assert len((await records.list("setting")).data) == 1


async def test_a_deleted_record_is_gone_and_its_versions_go_on(records: Any) -> None:
    await records.put("term", "k", {"n": 1}, by="ann")
    assert await records.delete("term", "k") is True
    assert await records.get("term", "k") is None
    assert (await records.list("term")).data == ()
    assert await records.delete("term", "k") is False
    assert (await records.put("term", "k", {"n": 2}, by="ann")).version == 3
    assert (await records.get("term", "k")).value == {"n": 2}


async def test_a_value_that_is_not_json_is_refused_and_the_old_one_stays(records: Any) -> None:
    await records.put("setting", "k", {"n": 1}, by="ann")
    with pytest.raises(TypeError):
        await records.put("setting", "k", {"n": object()}, by="ann")
    assert (await records.get("setting", "k")).value == {"n": 1}


# --- conditional writes ------------------------------------------------------------------------


@pytest.mark.engine
async def test_a_record_is_replaced_only_at_the_expected_version(records: Any) -> None:
    await records.put("prompt", "k", {"n": 1}, by="ann")
    assert (await records.put("prompt", "k", {"n": 2}, by="ann", expected=1)).version == 2
    for stale in (0, 1, 3):
        with pytest.raises(Conflict, match="changed in the meantime"):
            await records.put("prompt", "k", {"n": 3}, by="bob", expected=stale)
    assert (await records.get("prompt", "k")).value == {"n": 2}


@pytest.mark.engine
async def test_a_record_is_made_only_where_there_is_none(records: Any) -> None:
    with pytest.raises(Conflict):
        await records.put("session", "k", {"n": 0}, by="ann", expected=1)
    assert (await records.put("session", "k", {"n": 1}, by="ann", expected=0)).version == 1
    with pytest.raises(Conflict):
        await records.put("session", "k", {"n": 2}, by="ann", expected=0)


async def test_a_deleted_record_cannot_be_replaced(records: Any) -> None:
    await records.put("session", "k", {"n": 1}, by="ann")
    await records.delete("session", "k")
    for gone in (1, 2):
        with pytest.raises(Conflict):
            await records.put("session", "k", {"n": 2}, by="ann", expected=gone)
    assert (await records.put("session", "k", {"n": 3}, by="ann", expected=0)).version == 3


@pytest.mark.engine
@pytest.mark.parametrize("made_before", [False, True])
async def test_one_of_many_concurrent_replacements_of_a_version_succeeds(open_records: Any, made_before: bool) -> None:
    clients = [await open_records(), await open_records()]
    if made_before:
        await clients[0].put("prompt", "k", {"by": -1}, by="ann")

    async def put(number: int) -> bool:
        try:
            await clients[number % 2].put("prompt", "k", {"by": number}, by="ann", expected=int(made_before))
        except Conflict:
            return False
        return True

    won = await asyncio.gather(*map(put, range(20)))
    assert sum(won) == 1
    found = await clients[1].get("prompt", "k")
    assert (found.value, found.version) == ({"by": won.index(True)}, 1 + made_before)


@pytest.mark.engine
async def test_concurrent_puts_all_count(open_records: Any) -> None:
    clients = [await open_records(), await open_records()]
    put = await asyncio.gather(*(clients[number % 2].put("setting", "k", {"n": number}, by="ann") for number in range(20)))
    assert sorted(each.version for each in put) == list(range(1, 21))
    assert await clients[0].get("setting", "k") == next(each for each in put if each.version == 20)


@pytest.mark.engine
async def test_one_of_many_concurrent_deletes_succeeds(open_records: Any) -> None:
    clients = [await open_records(), await open_records()]
    await clients[0].put("term", "k", {}, by="ann")
    assert sum(await asyncio.gather(*(clients[number % 2].delete("term", "k") for number in range(10)))) == 1


# --- lists ---------------------------------------------------------------------------------------


async def keys(records: Any, **wanted: Any) -> tuple[list[str], bool, str | None]:
    page = await records.list("audit", **wanted)
    return [each.key for each in page.data], page.has_more, page.last_id


@pytest.mark.parametrize("count", [0, 1, 2, 5])
async def test_all_pages_of_a_list_can_be_read(records: Any, count: int) -> None:
    for number in range(count):
        await records.put("audit", f"k{number}", {}, by="ann")
    found = await read_all(lambda after: records.list("audit", limit=2, after=after))
    assert [each.key for each in found] == [f"k{number}" for number in range(count)]


@pytest.mark.engine
async def test_a_list_is_paged_in_the_order_of_its_keys(records: Any) -> None:
    for key in ("b", "a", "d", "값", "c", "A"):
        await records.put("audit", key, {}, by="ann")
    assert await keys(records, limit=4) == (["A", "a", "b", "c"], True, "c")
    assert await keys(records, limit=4, after="c") == (["d", "값"], False, "값")
    assert await keys(records, limit=2, after="값") == ([], False, None)
    assert await keys(records, limit=6) == (["A", "a", "b", "c", "d", "값"], False, "값")


async def test_a_list_may_begin_with_the_last_key(records: Any) -> None:
    for key in "abcde":
        await records.put("audit", key, {}, by="ann")
    assert await keys(records, limit=3, newest_first=True) == (["e", "d", "c"], True, "c")
    assert await keys(records, limit=3, newest_first=True, after="c") == (["b", "a"], False, "a")


async def test_paging_continues_after_a_deleted_record(records: Any) -> None:
    for key in "abcd":
        await records.put("audit", key, {}, by="ann")
    await records.delete("audit", "b")
    assert await keys(records, limit=2, after="b") == (["c", "d"], False, "d")
    assert await keys(records, limit=2, after="bb", newest_first=True) == (["a"], False, "a")
    assert await keys(records, limit=2) == (["a", "c"], True, "c")


@pytest.mark.engine
async def test_a_list_holds_the_keys_with_a_prefix(records: Any) -> None:
    for key in ("ann", "ann:1", "ann:2", "ann:3", "anna", "ann%", "bob:1", "ANN:1"):
        await records.put("audit", key, {}, by="ann")
    assert await keys(records, prefix="ann:") == (["ann:1", "ann:2", "ann:3"], False, "ann:3")
    assert await keys(records, prefix="ann:", limit=2) == (["ann:1", "ann:2"], True, "ann:2")
    assert await keys(records, prefix="ann:", limit=2, newest_first=True) == (["ann:3", "ann:2"], True, "ann:2")
    assert await keys(records, prefix="ann:", after="ann:2") == (["ann:3"], False, "ann:3")
    assert await keys(records, prefix="ann:", after="ann:2", newest_first=True) == (["ann:1"], False, "ann:1")
    assert await keys(records, prefix="ann:", after="zoe", newest_first=True, limit=1) == (["ann:3"], True, "ann:3")
    assert await keys(records, prefix="carl") == ([], False, None)


# --- changes -------------------------------------------------------------------------------------


@pytest.mark.engine
async def test_changes_grow_with_every_put_and_delete_of_their_kind(open_records: Any) -> None:
    one, two = await open_records(), await open_records()
    seen = [await two.changes("prompt")]
    for change in (
        one.put("prompt", "a", {"n": 1}, by="ann"),
        one.put("prompt", "a", {"n": 1}, by="ann"),
        one.put("prompt", "b", {"n": 2}, by="ann"),
        one.delete("prompt", "a"),
        one.put("prompt", "a", {"n": 3}, by="ann", expected=0),
        one.delete("prompt", "b"),
    ):
        await change
        seen.append(await two.changes("prompt"))
    assert seen == sorted(set(seen))


async def test_changes_of_other_kinds_and_operations_without_effect_do_not_count(records: Any) -> None:
    await records.put("prompt", "a", {"n": 1}, by="ann")
    before = await records.changes("prompt")
    await records.put("prompt_version", "a", {"n": 1}, by="ann")
    await records.put("setting", "a", {"n": 1}, by="ann")
    await records.delete("prompt", "b")
    with pytest.raises(Conflict):
        await records.put("prompt", "a", {"n": 2}, by="ann", expected=5)
    await records.list("prompt")
    assert await records.changes("prompt") == before
