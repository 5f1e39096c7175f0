"""What every store does with feedback beside keeping the last of each user: lists, deletion, what others said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.errors import BadRequest
from footnote.ports import FeedbackFilter
from footnote.types import Caller, Feedback
from tests.turns import make_turn, stored

pytestmark = pytest.mark.engine

ADMIN = Caller("boss", role="admin")
AT = 1_700_000_000.0
EVERYTHING = FeedbackFilter()


async def rate(store: Any, caller: Caller, trace_id: str, rating: Any = "down", *, at: float = AT, **given: Any) -> None:
    known = given.pop("known", False)
    asked = {"trace_id": trace_id, "caller": caller, "started_at": AT, **given.pop("turn", {})}
    if not (caller.sees_all or known):
        await store.save(stored(make_turn(f"Question {trace_id}?", **asked)))
    await store.put_feedback(caller, Feedback(trace_id, caller.user_id, rating, created_at=at, **given))


async def listed(store: Any, caller: Caller = ADMIN, **wanted: Any) -> list[str]:
    page = await store.list_feedback(caller, FeedbackFilter(**wanted), 50)
    assert not page.has_more
    return [f"{each.feedback.trace_id} {each.feedback.user_id}" for each in page.data]


async def test_a_comment_comes_back_with_the_rest(turn_store: Any, me: Caller) -> None:
    given = Feedback("t1", "me", "down", "wrong", "Three.", ("plan#001",), ("x",), AT, "The 😀 date.")
    await turn_store.save(stored(make_turn(trace_id="t1", caller=me)))
    await turn_store.put_feedback(me, given)
    assert await turn_store.feedback(me, "t1") == given
    (rated,) = (await turn_store.list_feedback(me, EVERYTHING, 9)).data
    assert (rated.feedback, rated.record["trace_id"]) == (given, "t1")


async def test_an_admin_lists_everybodys_feedback_and_others_their_own_newest_first(turn_store: Any, me: Caller, stranger: Caller) -> None:
    await rate(turn_store, me, "t1", at=AT + 1)
    await rate(turn_store, stranger, "t2", at=AT + 3)
    await rate(turn_store, replace(me, user_id="seer", sees_all=True), "t1", at=AT + 2)
    assert await listed(turn_store) == [f"t2 {stranger.user_id}", "t1 seer", "t1 me"]
    assert await listed(turn_store, me) == ["t1 me"]
    assert await listed(turn_store, replace(me, sees_all=True)) == ["t1 me"]


async def test_a_list_is_filtered(turn_store: Any, me: Caller) -> None:
    await rate(turn_store, me, "a", "up", at=AT + 1)
    await rate(turn_store, me, "b", reason="wrong", at=AT + 2, turn={"collection": "annex"})
    await rate(turn_store, me, "c", reason="Not what I asked.", at=AT + 3)
    await rate(turn_store, me, "d", reason="other", at=AT + 4)
    await rate(turn_store, me, "e", comment="Hm.", at=AT + 5)
    assert await listed(turn_store, rating="up") == ["a me"]
    assert await listed(turn_store, usual_reason="wrong") == ["b me"]
    assert await listed(turn_store, usual_reason="other") == ["e me", "d me", "c me"]
    assert await listed(turn_store, collections=frozenset({"annex", "none"})) == ["b me"]
    assert await listed(turn_store, collections=frozenset()) == []
    assert await listed(turn_store, since=AT + 2, until=AT + 4) == ["c me", "b me"]
    assert await listed(turn_store, trace_id="d") == ["d me"]


async def test_a_list_is_paged_and_its_places_outlive_what_was_there(turn_store: Any, me: Caller) -> None:
    for number in range(5):
        await rate(turn_store, me, f"t{number}", at=AT + number // 2)
    pages, after = [], None
    while True:
        page = await turn_store.list_feedback(ADMIN, EVERYTHING, 2, after)
        pages.append([each.feedback.trace_id for each in page.data])
        after = page.last_id
        if not page.has_more:
            break
        await turn_store.delete_feedback(me, pages[-1][-1])
    assert pages == [["t4", "t3"], ["t2", "t1"], ["t0"]]
    for nonsense in ("", "t1", "x y z"):
        with pytest.raises(BadRequest):
            await turn_store.list_feedback(ADMIN, EVERYTHING, 2, nonsense)


async def test_feedback_is_deleted_by_who_gave_it(turn_store: Any, me: Caller, stranger: Caller) -> None:
    await rate(turn_store, me, "t1", tags=("x",))
    assert [await turn_store.delete_feedback(caller, "t1") for caller in (stranger, me, me)] == [False, True, False]
    assert await turn_store.feedback(me, "t1") is None
    assert await listed(turn_store) == []
    assert await turn_store.rated(me, 0.0, 9) == []
    await rate(turn_store, me, "t1", "up", known=True)
    assert await listed(turn_store) == ["t1 me"]


async def test_with_a_users_turns_their_feedback_leaves_the_list(turn_store: Any, me: Caller, stranger: Caller) -> None:
    await rate(turn_store, me, "t1")
    await rate(turn_store, stranger, "t2")
    await turn_store.delete_all_of(me)
    assert await listed(turn_store) == [f"t2 {stranger.user_id}"]


async def test_with_a_users_data_their_feedback_on_turns_of_others_goes(turn_store: Any, me: Caller, stranger: Caller) -> None:
    """Who sees all rates what others asked, too."""
    seer = replace(me, user_id="seer", sees_all=True)
    await rate(turn_store, me, "t1", tags=("x",))
    await rate(turn_store, seer, "t1", comment="Seen.")
    await rate(turn_store, stranger, "t2")
    await turn_store.delete_all_of(seer)
    assert await listed(turn_store) == [f"t2 {stranger.user_id}", "t1 me"]
    assert await turn_store.feedback(seer, "t1") is None
    assert (await turn_store.feedback(me, "t1")).tags == ("x",)


async def test_what_others_said_is_of_one_collection_and_on_their_own_turns(turn_store: Any, me: Caller, stranger: Caller) -> None:
    seer = replace(me, user_id="seer", sees_all=True)
    await rate(turn_store, me, "mine", tags=("x",))
    await rate(turn_store, seer, "mine", tags=("x",))
    for trace_id, given in (("tags", {"tags": ("x",)}), ("reason", {"reason": "wrong"}), ("bare", {})):
        await rate(turn_store, stranger, trace_id, **given)
    await rate(turn_store, stranger, "elsewhere", tags=("x",), turn={"collection": "annex"})
    heard = await turn_store.rated_by_others(me, "default", AT, 9)
    assert [each.feedback.trace_id for each in heard] == ["reason", "tags"]
    assert [each.record["user_id"] for each in heard] == [stranger.user_id] * 2
    assert len(await turn_store.rated_by_others(me, "default", AT, 1)) == 1
    assert await turn_store.rated_by_others(me, "default", AT + 1, 9) == []
    assert [each.feedback.trace_id for each in await turn_store.rated_by_others(stranger, "default", AT, 9)] == ["mine"]


async def test_a_reason_counts_as_said_by_oneself(turn_store: Any, me: Caller) -> None:
    await rate(turn_store, me, "t1", reason="wrong")
    assert [given.reason for _, given in await turn_store.rated(me, AT, 9)] == ["wrong"]
