"""What every engine does with feedback: the last of each user, lists, deletion, what others said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.errors import BadRequest, NotFound
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
        await store.turns.save(stored(make_turn(f"Question {trace_id}?", **asked)))
    await store.feedback.put(caller, Feedback(trace_id, caller.user_id, rating, created_at=at, **given))


async def listed(store: Any, caller: Caller = ADMIN, **wanted: Any) -> list[str]:
    page = await store.feedback.list(caller, FeedbackFilter(**wanted), 50)
    assert not page.has_more
    return [f"{each.feedback.trace_id} {each.feedback.user_id}" for each in page.data]


async def test_the_last_feedback_of_each_user_comes_back_as_it_was_given(stores: Any, me: Caller, stranger: Caller, clock: Any) -> None:
    seer = replace(me, user_id="seer", sees_all=True)
    await stores.turns.save(stored(make_turn(trace_id="t1", caller=me)))
    assert await stores.feedback.get(me, "t1") is None
    await stores.feedback.put(me, Feedback("t1", "me", "up", created_at=5.0))
    assert await stores.feedback.get(me, "t1") == Feedback("t1", "me", "up", created_at=5.0)
    await stores.feedback.put(seer, Feedback("t1", "me", "down", created_at=6.0))
    clock.now = 7.0
    last = Feedback("t1", "me", "down", "틀림", "Three years.", ("plan-1a2b3c#007",), ("wrong", "old"), comment="The 😀 date.")
    await stores.feedback.put(me, last)
    given = [replace(last, created_at=7.0), Feedback("t1", "seer", "down", created_at=6.0)]
    assert [await stores.feedback.get(caller, "t1") for caller in (me, seer)] == given
    rated = (await stores.feedback.list(ADMIN, EVERYTHING, 9)).data
    assert [(each.feedback, each.record["trace_id"]) for each in rated] == [(each, "t1") for each in given]
    for caller, trace_id in ((stranger, "t1"), (me, "unknown")):
        with pytest.raises(NotFound):
            await stores.feedback.put(caller, Feedback(trace_id, "me", "down"))


async def test_an_admin_lists_everybodys_feedback_and_others_their_own_newest_first(stores: Any, me: Caller, stranger: Caller) -> None:
    await rate(stores, me, "t1", at=AT + 1)
    await rate(stores, stranger, "t2", at=AT + 3)
    await rate(stores, replace(me, user_id="seer", sees_all=True), "t1", at=AT + 2)
    assert await listed(stores) == [f"t2 {stranger.user_id}", "t1 seer", "t1 me"]
    assert await listed(stores, me) == ["t1 me"]
    assert await listed(stores, replace(me, sees_all=True)) == ["t1 me"]


async def test_a_list_is_filtered(stores: Any, me: Caller) -> None:
    await rate(stores, me, "a", "up", at=AT + 1)
    await rate(stores, me, "b", reason="wrong", at=AT + 2, turn={"collection": "annex"})
    await rate(stores, me, "c", reason="Not what I asked.", at=AT + 3)
    await rate(stores, me, "d", reason="other", at=AT + 4)
    await rate(stores, me, "e", comment="Hm.", at=AT + 5)
    assert await listed(stores, rating="up") == ["a me"]
    assert await listed(stores, usual_reason="wrong") == ["b me"]
    assert await listed(stores, usual_reason="other") == ["e me", "d me", "c me"]
    assert await listed(stores, collections=frozenset({"annex", "none"})) == ["b me"]
    assert await listed(stores, collections=frozenset()) == []
    assert await listed(stores, since=AT + 2, until=AT + 4) == ["c me", "b me"]
    assert await listed(stores, trace_id="d") == ["d me"]


async def test_a_list_is_paged_and_its_places_outlive_what_was_there(stores: Any, me: Caller) -> None:
    for number in range(5):
        await rate(stores, me, f"t{number}", at=AT + number // 2)
    pages, after = [], None
    while True:
        page = await stores.feedback.list(ADMIN, EVERYTHING, 2, after)
        pages.append([each.feedback.trace_id for each in page.data])
        after = page.last_id
        if not page.has_more:
            break
        await stores.feedback.delete(me, pages[-1][-1])
    assert pages == [["t4", "t3"], ["t2", "t1"], ["t0"]]
    for nonsense in ("", "t1", "x y z"):
        with pytest.raises(BadRequest):
            await stores.feedback.list(ADMIN, EVERYTHING, 2, nonsense)


async def test_feedback_is_deleted_by_who_gave_it(stores: Any, me: Caller, stranger: Caller) -> None:
    await rate(stores, me, "t1", tags=("x",))
    assert [await stores.feedback.delete(caller, "t1") for caller in (stranger, me, me)] == [False, True, False]
    assert await stores.feedback.get(me, "t1") is None
    assert await listed(stores) == []
    assert await stores.feedback.rated(me, 0.0, 9) == []
    await rate(stores, me, "t1", "up", known=True)
    assert await listed(stores) == ["t1 me"]


async def test_feedback_of_others_is_limited_to_a_collection_and_own_turns(stores: Any, me: Caller, stranger: Caller) -> None:
    seer = replace(me, user_id="seer", sees_all=True)
    await rate(stores, me, "mine", tags=("x",))
    await rate(stores, seer, "mine", tags=("x",))
    for trace_id, given in (("tags", {"tags": ("x",)}), ("reason", {"reason": "wrong"}), ("bare", {})):
        await rate(stores, stranger, trace_id, **given)
    await rate(stores, stranger, "elsewhere", tags=("x",), turn={"collection": "annex"})
    heard = await stores.feedback.rated_by_others(me, "default", AT, 9)
    assert [each.feedback.trace_id for each in heard] == ["reason", "tags"]
    assert [each.record["user_id"] for each in heard] == [stranger.user_id] * 2
    assert len(await stores.feedback.rated_by_others(me, "default", AT, 1)) == 1
    assert await stores.feedback.rated_by_others(me, "default", AT + 1, 9) == []
    assert [each.feedback.trace_id for each in await stores.feedback.rated_by_others(stranger, "default", AT, 9)] == ["mine"]


async def test_ones_own_ratings_that_say_why_come_newest_first(stores: Any, me: Caller, stranger: Caller) -> None:
    said = ({"tags": ("too long", "틀림")}, {}, {"rating": "up", "tags": ("short",)}, {"reason": "wrong"})
    for number, given in enumerate(said, 1):
        await rate(stores, me, f"t{number}", turn={"started_at": AT - 10 + number}, **given)
    await rate(stores, stranger, "s1", tags=("theirs",))
    await rate(stores, Caller("local", sees_all=True), "t1", tags=("seen",))
    for caller in (me, replace(me, role="admin")):
        rated = await stores.feedback.rated(caller, AT - 10, 10)
        assert [(question, given.rating, given.reason, given.tags) for question, given in rated] == [
            ("Question t4?", "down", "wrong", ()),
            ("Question t3?", "up", None, ("short",)),
            ("Question t1?", "down", None, ("too long", "틀림")),
        ]
    assert [question for question, _ in await stores.feedback.rated(me, AT - 10, 1)] == ["Question t4?"]
    assert len(await stores.feedback.rated(me, AT - 8, 10)) == 2
    assert await stores.feedback.rated(me, AT + 1, 10) == []
