"""What every turn store does with links to conversations."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from footnote.errors import NotFound
from footnote.ports import Share
from footnote.types import Caller
from tests.contracts.test_turn_store import make_turn
from tests.turns import stored

ROOM = "a/b\n다리"


def link(name: str, caller: Caller, room_id: str = ROOM, **changes: Any) -> Share:
    return replace(Share(f"id-{name}", f"digest-{name}", caller.user_id, room_id, 5.0), **changes)


async def talk(store: Any, caller: Caller, *rooms: str) -> None:
    for number, room_id in enumerate(rooms):
        await store.save(stored(make_turn(f"{caller.user_id}-{number}", caller, room_id=room_id)))


@pytest.mark.engine
async def test_a_link_is_found_by_the_hash_of_its_token_alone(turn_store: Any, me: Caller) -> None:
    await talk(turn_store, me, ROOM)
    kept = link("one", me, expires_at=4e9)
    await turn_store.put_share(kept)
    assert await turn_store.shared("digest-one") == kept
    assert [await turn_store.shared(other) for other in ("id-one", "digest", "digest-one ", "", ROOM)] == [None] * 5


async def test_only_a_conversation_of_ones_own_can_be_shared(turn_store: Any, me: Caller, stranger: Caller) -> None:
    await talk(turn_store, me, ROOM)
    for share in (link("theirs", stranger), link("none", me, "r2"), link("all", Caller("boss", sees_all=True))):
        with pytest.raises(NotFound):
            await turn_store.put_share(share)
        assert await turn_store.shared(share.digest) is None


@pytest.mark.engine
async def test_links_are_listed_and_deleted_by_their_owner_alone_the_newest_first(turn_store: Any, me: Caller, stranger: Caller) -> None:
    await talk(turn_store, me, ROOM, "r2")
    shares = [link("old", me, created_at=5.0), link("new", me, "r2", created_at=7.0), link("same", me, created_at=7.0)]
    for share in shares:
        await turn_store.put_share(share)
    assert await turn_store.shares(me) == [shares[1], shares[2], shares[0]]
    boss = Caller("boss", sees_all=True, role="admin")
    for other in (stranger, boss):
        assert (await turn_store.shares(other), await turn_store.delete_share(other, "id-old")) == ([], False)
    assert [await turn_store.delete_share(me, "id-old") for _ in range(2)] == [True, False]
    assert await turn_store.shared("digest-old") is None
    assert await turn_store.shares(me) == [shares[1], shares[2]]


@pytest.mark.engine
async def test_a_link_that_has_expired_is_as_good_as_deleted(turn_store: Any, me: Caller, clock: Any) -> None:
    await talk(turn_store, me, ROOM)
    kept, short = link("kept", me), link("short", me, expires_at=clock.now + 10)
    for share in (kept, short):
        await turn_store.put_share(share)
    clock.advance(9.5)
    assert await turn_store.shared("digest-short") == short
    clock.advance(0.5)
    assert (await turn_store.shared("digest-short"), await turn_store.shares(me)) == (None, [kept])
    await turn_store.put_share(link("next", me, expires_at=clock.now + 10))
    assert await turn_store.shared("digest-kept") == kept


@pytest.mark.engine
async def test_a_link_ends_with_its_conversation_even_when_another_takes_its_name(turn_store: Any, me: Caller, stranger: Caller) -> None:
    await talk(turn_store, me, ROOM, "r2")
    await talk(turn_store, stranger, ROOM)
    theirs = link("theirs", stranger)
    for share in (link("one", me), link("two", me, "r2"), theirs):
        await turn_store.put_share(share)
    await turn_store.delete_room(me, ROOM)
    assert [await turn_store.shared(f"digest-{name}") is None for name in ("one", "two", "theirs")] == [True, False, False]
    await talk(turn_store, me, ROOM)
    assert await turn_store.shared("digest-one") is None
    assert [share.share_id for share in await turn_store.shares(me)] == ["id-two"]


@pytest.mark.engine
async def test_all_links_end_with_the_data_of_their_user(turn_store: Any, me: Caller, stranger: Caller) -> None:
    await talk(turn_store, me, ROOM, "r2")
    await talk(turn_store, stranger, ROOM)
    for share in (link("one", me), link("two", me, "r2"), link("theirs", stranger)):
        await turn_store.put_share(share)
    await turn_store.delete_all_of(me)
    assert [await turn_store.shared(f"digest-{name}") is None for name in ("one", "two", "theirs")] == [True, True, False]
    assert await turn_store.shares(me) == []


async def test_a_conversation_that_is_past_its_time_cannot_be_shared(forgetful_turn_store: Any, me: Caller, clock: Any) -> None:
    await forgetful_turn_store.save(stored(make_turn("t1", me, room_id=ROOM, started_at=clock.now)))
    clock.advance(101)
    with pytest.raises(NotFound):
        await forgetful_turn_store.put_share(link("late", me))


@pytest.mark.engine
async def test_no_link_is_left_of_a_conversation_that_is_deleted_while_it_is_shared(turn_store: Any, me: Caller) -> None:
    for number in range(20):
        await talk(turn_store, me, ROOM)
        share = link(str(number), me)
        await asyncio.gather(turn_store.put_share(share), turn_store.delete_room(me, ROOM), return_exceptions=True)
        assert await turn_store.shared(share.digest) is None
