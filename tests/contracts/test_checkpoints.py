"""What every store of checkpoints does: leases, entries, marks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from footnote.errors import BadRequest, Conflict, StillRunning
from footnote.ports import RequestKey

KEY = RequestKey("ann", "k1", "body")


async def test_a_new_request_has_nothing_to_replay(checkpoints: Any, clock: Any) -> None:
    kept = await checkpoints.take(KEY, "t1", "r1", "a", 10)
    assert (kept.trace_id, kept.started_at, kept.finished, tuple(kept.entries)) == ("t1", clock(), False, ())


@pytest.mark.engine
async def test_only_one_owner_runs_a_request_until_its_lease_is_over(checkpoints: Any, clock: Any) -> None:
    await checkpoints.take(KEY, "t1", "r1", "a", 10)
    clock.advance(4)
    with pytest.raises(StillRunning) as running:
        await checkpoints.take(KEY, "t2", "r1", "b", 10)
    assert running.value.retry_after_s == 6
    await checkpoints.renew(KEY, "a", 10)
    clock.advance(9)
    with pytest.raises(StillRunning):
        await checkpoints.take(KEY, "t2", "r1", "b", 10)
    clock.advance(1)
    assert (await checkpoints.take(KEY, "t2", "r1", "b", 10)).trace_id == "t1"


@pytest.mark.engine
async def test_one_of_two_concurrent_owners_gets_the_request(checkpoints: Any) -> None:
    ended = await asyncio.gather(*(checkpoints.take(KEY, owner, "r1", owner, 10) for owner in "abcd"), return_exceptions=True)
    assert sum(isinstance(each, StillRunning) for each in ended) == 3


@pytest.mark.engine
async def test_entries_and_the_start_are_there_for_the_next_owner(checkpoints: Any, clock: Any) -> None:
    started = (await checkpoints.take(KEY, "t1", "r1", "a", 10)).started_at
    entry = {"kind": "reply", "digest": "d", "text": "값 \ud800 a.b $", "usage": [1, 2, False], "cut": None}
    await checkpoints.append(KEY, "a", [{"kind": "search", "digest": "s", "lexical": [["c1", 0.25]]}, entry])
    await checkpoints.append(KEY, "a", [{"kind": "begun", "digest": "e"}])
    clock.advance(11)
    kept = await checkpoints.take(KEY, "t2", "r1", "b", 10)
    assert kept.started_at == started
    assert sorted(kept.entries, key=lambda each: each["kind"]) == [
        {"kind": "begun", "digest": "e"},
        entry,
        {"kind": "search", "digest": "s", "lexical": [["c1", 0.25]]},
    ]


@pytest.mark.engine
async def test_a_mark_returns_its_previous_value_from_any_owner(checkpoints: Any, clock: Any) -> None:
    await checkpoints.take(KEY, "t1", "r1", "a", 10)
    assert await checkpoints.mark(KEY, "a", "spent", {"tokens": 5}) is None
    assert await checkpoints.mark(KEY, "a", "announce answer.", True) is None
    clock.advance(11)
    await checkpoints.take(KEY, "t2", "r1", "b", 10)
    assert await checkpoints.mark(KEY, "b", "spent", {"tokens": 7}) == {"tokens": 5}
    assert await checkpoints.mark(KEY, "b", "announce answer.", True) is True


@pytest.mark.engine
async def test_an_owner_that_lost_its_lease_writes_nothing(checkpoints: Any, clock: Any) -> None:
    await checkpoints.take(KEY, "t1", "r1", "a", 10)
    clock.advance(11)
    await checkpoints.take(KEY, "t2", "r1", "b", 10)
    for write in (
        checkpoints.append(KEY, "a", [{"kind": "reply", "digest": "d"}]),
        checkpoints.mark(KEY, "a", "announce", True),
        checkpoints.renew(KEY, "a", 10),
    ):
        with pytest.raises(Conflict):
            await write
    await checkpoints.release(KEY, "a", finished=True)
    assert await checkpoints.mark(KEY, "b", "announce", True) is None
    clock.advance(11)
    kept = await checkpoints.take(KEY, "t3", "r1", "c", 10)
    assert (kept.finished, tuple(kept.entries)) == (False, ())


async def test_a_finished_request_is_known_and_is_not_run_again(checkpoints: Any) -> None:
    await checkpoints.take(KEY, "t1", "r1", "a", 10)
    await checkpoints.append(KEY, "a", [{"kind": "reply", "digest": "d"}])
    await checkpoints.release(KEY, "a", finished=True)
    kept = await checkpoints.take(KEY, "t2", "r1", "b", 10)
    assert (kept.trace_id, kept.finished, tuple(kept.entries)) == ("t1", True, ())


@pytest.mark.engine
async def test_a_released_request_that_failed_goes_on_at_once(checkpoints: Any) -> None:
    await checkpoints.take(KEY, "t1", "r1", "a", 10)
    await checkpoints.append(KEY, "a", [{"kind": "reply", "digest": "d"}])
    await checkpoints.release(KEY, "a", finished=False)
    kept = await checkpoints.take(KEY, "t2", "r1", "b", 10)
    assert (kept.trace_id, kept.finished, [each["kind"] for each in kept.entries]) == ("t1", False, ["reply"])


async def test_another_body_with_the_same_key_is_refused_in_every_state_of_the_first(checkpoints: Any, clock: Any) -> None:
    other = RequestKey("ann", "k1", "other")
    await checkpoints.take(KEY, "t1", "r1", "a", 10)
    with pytest.raises(BadRequest):
        await checkpoints.take(other, "t2", "r1", "b", 10)
    await checkpoints.release(KEY, "a", finished=True)
    with pytest.raises(BadRequest):
        await checkpoints.take(other, "t2", "r1", "b", 10)
    clock.advance(24 * 3600 + 1)
    assert (await checkpoints.take(other, "t2", "r1", "b", 10)).trace_id == "t2"


@pytest.mark.engine
async def test_keys_belong_to_one_user(checkpoints: Any) -> None:
    await checkpoints.take(KEY, "t1", "r1", "a", 10)
    assert (await checkpoints.take(RequestKey("bob", "k1", "other"), "t2", "r1", "b", 10)).trace_id == "t2"


@pytest.mark.engine
async def test_deleted_requests_are_new_again_and_their_owners_write_nothing(checkpoints: Any) -> None:
    other_room, others = RequestKey("ann", "k2", "body"), RequestKey("bob", "k1", "body")
    await checkpoints.take(KEY, "t1", "r1", "a", 10)
    await checkpoints.take(other_room, "t2", "r2", "a", 10)
    await checkpoints.take(others, "t3", "r1", "a", 10)
    await checkpoints.delete("ann", "r1")
    with pytest.raises(Conflict):
        await checkpoints.append(KEY, "a", [{"kind": "reply", "digest": "d"}])
    assert (await checkpoints.take(KEY, "t4", "r1", "b", 10)).trace_id == "t4"
    await checkpoints.renew(other_room, "a", 10)
    await checkpoints.delete("ann")
    with pytest.raises(Conflict):
        await checkpoints.renew(other_room, "a", 10)
    await checkpoints.renew(others, "a", 10)
