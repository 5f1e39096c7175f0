"""Links to conversations, in every store of records, and what the turn store beside it does with them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from footnote.errors import NotFound
from footnote.memory.shares import Share, digest_of, end_share, find_share, save_share, valid_shares
from footnote.types import Caller
from tests.contracts.test_turns import make_turn
from tests.turns import stored

pytestmark = pytest.mark.engine

ROOM = "a/b\n다리"


def link(name: str, caller: Caller, room_id: str = ROOM, **changes: Any) -> Share:
    """It is opened by its name as a token."""
    return replace(Share(f"id-{name}", digest_of(name), caller.user_id, room_id, 5.0), **changes)


async def talk(stores: Any, caller: Caller, *rooms: str) -> None:
    for number, room_id in enumerate(rooms):
        await stores.turns.save(stored(make_turn(f"{caller.user_id}-{number}", caller, room_id=room_id)))


async def save(stores: Any, *shares: Share) -> None:
    for share in shares:
        await save_share(share, records=stores.records, turns=stores.turns)


async def opened(stores: Any, *tokens: str, now: float = 6.0) -> list[Share | None]:
    return [await find_share(token, records=stores.records, now=now) for token in tokens]


async def listed(stores: Any, caller: Caller, now: float = 6.0) -> list[Share]:
    return await valid_shares(caller, records=stores.records, now=now)


async def test_a_link_is_found_by_its_token_and_listed_by_its_owner_the_newest_first(stores: Any, me: Caller) -> None:
    neighbour = Caller(f"{me.user_id}/x")
    await talk(stores, me, ROOM, "r2")
    await talk(stores, neighbour, ROOM)
    old, new, same = link("old", me, expires_at=4e9), link("new", me, "r2", created_at=7.0), link("same", me, created_at=7.0)
    await save(stores, old, new, same, link("theirs", neighbour))
    assert await listed(stores, me) == [new, same, old]
    assert await listed(stores, Caller("boss", sees_all=True, role="admin")) == []
    assert await opened(stores, "old", "id-old", old.digest, old.key, "old ", "", ROOM) == [old, *[None] * 6]
    await end_share(old, records=stores.records)
    assert (await opened(stores, "old"), await listed(stores, me)) == ([None], [new, same])


async def test_only_a_conversation_of_ones_own_can_be_shared(stores: Any, me: Caller, stranger: Caller) -> None:
    await talk(stores, me, ROOM)
    for share in (link("theirs", stranger), link("none", me, "r2"), link("all", Caller("boss", sees_all=True))):
        with pytest.raises(NotFound):
            await save(stores, share)
        assert (await opened(stores, share.share_id.removeprefix("id-")), await listed(stores, me)) == ([None], [])


async def test_a_link_that_has_expired_opens_nothing_and_is_deleted_with_the_next_one(stores: Any, me: Caller) -> None:
    await talk(stores, me, ROOM)
    kept, short = link("kept", me), link("short", me, expires_at=15.0)
    await save(stores, kept, short)
    assert await opened(stores, "short", now=14.5) == [short]
    assert (await opened(stores, "short", now=15.0), await listed(stores, me, 15.0)) == ([None], [kept])
    await save(stores, link("next", me, created_at=15.0))
    assert await opened(stores, "kept", "short", now=14.5) == [kept, None]


async def test_links_end_with_their_conversation_or_the_data_of_their_user(stores: Any, me: Caller, stranger: Caller) -> None:
    await talk(stores, me, ROOM, "r2")
    await talk(stores, stranger, ROOM)
    two, theirs = link("two", me, "r2"), link("theirs", stranger)
    await save(stores, link("one", me), two, theirs)
    await stores.turns.delete_room(me, ROOM)
    await talk(stores, me, ROOM)  # another conversation takes its name
    assert (await opened(stores, "one", "two", "theirs"), await listed(stores, me)) == ([None, two, theirs], [two])
    await stores.turns.delete_all_of(me)
    assert (await opened(stores, "two", "theirs"), await listed(stores, me)) == ([None, theirs], [])


async def test_a_conversation_that_is_past_its_time_cannot_be_shared(forgetful_stores: Any, me: Caller, clock: Any) -> None:
    await forgetful_stores.turns.save(stored(make_turn("t1", me, room_id=ROOM, started_at=clock.now)))
    clock.advance(101)
    with pytest.raises(NotFound):
        await save(forgetful_stores, link("late", me))


async def test_no_link_is_left_of_a_conversation_that_is_deleted_while_it_is_shared(stores: Any, me: Caller) -> None:
    for number in range(20):
        await talk(stores, me, ROOM)
        await asyncio.gather(save(stores, link(str(number), me)), stores.turns.delete_room(me, ROOM), return_exceptions=True)
        assert (await opened(stores, str(number)), await listed(stores, me)) == ([None], [])
