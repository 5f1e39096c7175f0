"""What every turn store does for conversations: history, tool messages, tokens, one user's data, and retention."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from footnote.errors import Conflict, NotFound
from footnote.ports import FeedbackFilter, Rollup
from footnote.settings import Conversation
from footnote.types import Answer, Caller, Feedback, Message, Page, ToolCall, Turn, Usage
from tests.contracts.conftest import LONGEST_S
from tests.contracts.test_turns import CHAT, make_turn
from tests.turns import stored, with_

ADMIN = Caller("boss", role="admin")
LOCAL = Caller("local", sees_all=True)
DAY = "2023-11-14"
TALK = (
    Message("assistant", "", tool_calls=(ToolCall("c1", "search", '{"query": "plan"}'),)),
    Message("tool", "Two years.", tool_call_id="c1", name="search"),
    Message("assistant", "I should look once more.", tool_calls=(ToolCall("c2", "search", "{}"),)),
    Message("tool", "", tool_call_id="c2", name="search"),
)


def traces(blocks: list[Any]) -> list[str]:
    return [block["trace_id"] for block in blocks]


async def all_of(store: Any, caller: Caller) -> list[tuple[str, Feedback | None]]:
    return [(stored.record["trace_id"], stored.feedback) async for stored in store.turns.all_of(caller)]


# --- history -----------------------------------------------------------------------------------------


@pytest.mark.engine
async def test_history_never_crosses_rooms_users_dialects_or_modes(stores: Any, me: Caller, stranger: Caller) -> None:
    await stores.turns.save(stored(make_turn("mine", me, room_id="r1")))
    await stores.turns.save(stored(make_turn("other-room", me, room_id="r2")))
    await stores.turns.save(stored(make_turn("other-user", stranger, room_id="r1")))
    await stores.turns.save(stored(make_turn("other-dialect", me, room_id="r1", profile=CHAT)))
    for mode in ("gpt", "pa", "vision"):
        await stores.turns.save(stored(make_turn(mode, me, room_id="r1", mode=mode)))
    for caller in (me, replace(me, sees_all=True)):
        assert traces(await stores.turns.history(caller, "r1", "trd", 10)) == ["mine"]
    assert traces(await stores.turns.history(me, "r1", "chat_service", 10)) == ["other-dialect"]
    assert traces(await stores.turns.history(me, "r1", "trd", 10, mode="pa")) == ["pa"]


@pytest.mark.engine
async def test_history_of_a_filtered_question_is_what_one_of_its_values_filtered(stores: Any, me: Caller) -> None:
    for number, values in enumerate([("Law",), (), ("Law", "Regulation"), ("Notice",), ("법",), ("Law\ud800",)]):
        filters = {"class": values} if values else {}
        await stores.turns.save(stored(make_turn(f"t{number}", me, room_id="r1", filters=filters, started_at=float(number))))

    async def with_classes(*classes: str, limit: int = 10) -> list[str]:
        return traces(await stores.turns.history(me, "r1", "trd", limit, classes=frozenset(classes)))

    assert await with_classes() == ["t0", "t1", "t2", "t3", "t4", "t5"]
    assert await with_classes("Law") == ["t0", "t2"]
    assert await with_classes("Law", limit=1) == ["t2"]
    assert await with_classes("Regulation", "Notice", "법") == ["t2", "t3", "t4"]
    assert await with_classes("law", "[]") == []
    assert await with_classes("Law\ud800") == ["t5"]  # half a character


@pytest.mark.engine
async def test_a_turn_keeps_its_position_from_when_it_began(stores: Any, me: Caller) -> None:
    turns = [make_turn(trace_id, me, room_id="r1") for trace_id in ("t2", "t1", "t3")]
    for turn in turns:
        await stores.turns.save(stored(turn, "idle"))
    assert await stores.turns.history(me, "r1", "trd", 10) == []
    for seconds, turn in enumerate(reversed(turns)):
        await stores.turns.save(stored(with_(turn, started_at=turn.trace.started_at + seconds)))
    assert traces(await stores.turns.history(me, "r1", "trd", 10)) == ["t2", "t1", "t3"]
    assert traces(await stores.turns.history(me, "r1", "trd", 2)) == ["t1", "t3"]


@pytest.mark.engine
async def test_turns_that_end_at_once_are_in_the_order_of_their_beginnings(open_stores: Any, me: Caller) -> None:
    stores = [await open_stores() for _ in range(2)]
    turns = [make_turn(f"t{number:02}", me, room_id="r1", started_at=1_700_000_000 + number / 1000) for number in range(20)]

    async def run(number: int, turn: Turn) -> None:
        await stores[number % 2].turns.save(stored(turn, "idle"))
        for _ in range(number * 7 % 5):
            await asyncio.sleep(0)
        await stores[(number + 1) % 2].turns.save(stored(with_(turn, answer=Answer(turn.trace_id))))

    await asyncio.gather(*(run(number, turns[number]) for number in reversed(range(20))))
    page = await (await open_stores()).turns.room(me, "r1", 100)
    assert [each.record["result"]["final_response"] for each in page.data] == [f"t{number:02}" for number in range(20)]


async def test_a_rooms_prompt_is_that_of_its_first_turn_that_has_one(stores: Any, me: Caller, stranger: Caller) -> None:
    def opening(trace_id: str, caller: Caller, text: str, seconds: float, **changes: Any) -> Turn:
        begun = make_turn(trace_id, caller, **{"room_id": "r1", "started_at": seconds, **changes})
        return replace(begun, conversation=replace(begun.conversation, system=text, keeps_system=True))

    await stores.turns.save(stored(opening("t3", me, "Third.", 3.0)))
    await stores.turns.save(stored(opening("t2", me, "다리 $.a second.", 2.0), "error"))
    await stores.turns.save(stored(make_turn("t1", me, room_id="r1", started_at=1.0)))
    await stores.turns.save(stored(opening("t0", stranger, "Theirs.", 0.0)))
    await stores.turns.save(stored(opening("t4", me, "Of another API.", 0.0, profile=CHAT)))
    await stores.turns.save(stored(opening("t5", me, "Of another room.", 0.0, room_id="r2")))
    prompt = make_turn("any", me).profile.prompt
    assert await stores.turns.room_prompt(me, "r1", "trd", prompt) == "다리 $.a second."
    assert await stores.turns.room_prompt(me, "r1", "trd", "another") is None
    assert await stores.turns.room_prompt(me, "r3", "trd", prompt) is None
    assert {room.title for room in (await stores.turns.rooms(me, 10)).data} == {"How long?"}


# --- tool messages of an agent -------------------------------------------------------------------------


async def test_an_agents_tool_messages_are_stored_between_question_and_answer(stores: Any, me: Caller) -> None:
    await stores.turns.save(stored(make_turn("t1", me, mode="pa", tool_messages=TALK, answer=Answer("Two years."))))
    block = await stores.turns.get(me, "t1")
    assert block["is_tool_block"]
    assert [(said["role"], said["content"]) for said in block["conversations"]] == [
        ("user", "How long?"),
        ("assistant", ""),
        ("tool", "Two years."),
        ("assistant", "I should look once more."),
        ("tool", ""),
        ("assistant", "Two years."),
    ]
    asked, told = block["conversations"][1:3]
    assert asked["tool_calls"] == [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "plan"}'}}]
    assert (told["tool_calls"], told["tool_call_id"], told["name"]) == ([], "c1", "search")


# --- tokens and statistics -----------------------------------------------------------------------------


@pytest.mark.engine
async def test_tokens_of_a_room_are_those_of_all_its_users_turns(stores: Any, me: Caller, stranger: Caller) -> None:
    for trace_id, caller, room, status in (("t1", me, "r1", "done"), ("t2", me, "r2", "done"), ("t3", stranger, "r1", "done")):
        await stores.turns.save(stored(make_turn(trace_id, caller, room_id=room, usage=Usage(100, 11)), status))
    await stores.turns.save(stored(make_turn("t4", me, room_id="r1", usage=Usage(100, 11), profile=CHAT), "error"))
    await stores.turns.save(stored(make_turn("t5", me, room_id="r1"), "idle"))
    assert await stores.turns.tokens(me, "r1") == 222
    assert await stores.turns.tokens(me, "unknown") == 0


async def test_a_turn_counts_once_for_its_day_user_room_and_mode(stores: Any, me: Caller) -> None:
    first = make_turn("t1", me, room_id="r1", usage=Usage(10, 4), answer=Answer("Yes.", model="llama"))
    again = make_turn("t2", me, room_id="r1")
    other = make_turn("t3", me, room_id="r1", mode="gpt", usage=Usage(5, 0))
    for turn in (first, again, other, first):
        await stores.turns.save(stored(turn, "idle"))
        await stores.turns.save(stored(turn))
    figures = {"turns": 2, "prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}
    assert await stores.statistics.rollups(me, DAY) == [
        Rollup("me", "r1", "gpt", {"turns": 1, "prompt_tokens": 5, "completion_tokens": 0, "total_tokens": 5}, "fake"),
        Rollup("me", "r1", "rag", figures, "llama"),
    ]


async def test_a_turn_that_is_not_over_or_not_stored_does_not_count(stores: Any, me: Caller, stranger: Caller) -> None:
    await stores.turns.save(stored(make_turn("t1", me), "idle"))
    with pytest.raises(Conflict):
        await stores.turns.save(stored(make_turn("t1", stranger)))
    assert await stores.statistics.rollups(ADMIN, DAY) == []
    await stores.turns.save(stored(make_turn("t1", me), "error"))
    assert [rollup.user_id for rollup in await stores.statistics.rollups(ADMIN, DAY)] == ["me"]


@pytest.mark.engine
async def test_turns_counted_at_once_are_all_counted(open_stores: Any, me: Caller) -> None:
    stores = [await open_stores() for _ in range(2)]
    turns = [make_turn(f"t{number}", me, room_id="r1", usage=Usage(1, 1)) for number in range(10)]
    await asyncio.gather(*(store.turns.save(stored(turn)) for turn in turns for store in stores))
    assert [dict(each.figures) for each in await stores[0].statistics.rollups(me, DAY)] == [
        {"turns": 10, "prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    ]


@pytest.mark.engine
async def test_roll_ups_take_the_place_of_what_was_counted_and_counting_goes_on_from_them(stores: Any, me: Caller) -> None:
    answer = Answer("Yes.", model="llama")
    turns = [make_turn(f"t{number}", me, room_id="r1", answer=answer, usage=Usage(1, 0)) for number in range(2)]
    await stores.turns.save(stored(turns[0]))
    made = Rollup("me", "r1", "rag", {"turns": 1, "errors": 0, "prompt_tokens": 7, "completion_tokens": 0, "total_tokens": 7}, "llama")
    await stores.statistics.put_rollups(DAY, [made])
    assert await stores.statistics.rollups(me, DAY) == [made]
    await stores.turns.save(stored(turns[1]))
    assert await stores.statistics.rollups(me, DAY) == [
        Rollup("me", "r1", "rag", {"turns": 2, "errors": 0, "prompt_tokens": 8, "completion_tokens": 0, "total_tokens": 8}, "llama")
    ]


# --- one user's data -----------------------------------------------------------------------------------


@pytest.mark.engine
async def test_all_of_a_users_turns_come_oldest_first_with_the_feedback_they_gave(stores: Any, me: Caller, stranger: Caller) -> None:
    for number in range(205):
        await stores.turns.save(
            stored(make_turn(f"t{number}", me, room_id=f"r{number % 3}", started_at=1000.0 + number), "idle" if number else "done")
        )
    await stores.turns.save(stored(make_turn("theirs", stranger, room_id="r1")))
    up = Feedback("t0", "me", "up", created_at=1.0)
    await stores.feedback.put(me, up)
    await stores.feedback.put(LOCAL, Feedback("t1", "local", "down", created_at=1.0))
    assert await all_of(stores, me) == [("t0", up)] + [(f"t{number}", None) for number in range(1, 205)]
    assert await all_of(stores, LOCAL) == []


@pytest.mark.engine
async def test_nothing_is_left_of_a_deleted_user(stores: Any, me: Caller, stranger: Caller) -> None:
    for trace_id, caller in (("t1", LOCAL), ("t2", LOCAL), ("t3", me), ("t4", stranger)):
        turn = make_turn(trace_id, caller, room_id="r1", usage=Usage(1, 1))
        await stores.turns.save(stored(turn))
    for caller, trace_id in ((LOCAL, "t1"), (LOCAL, "t3"), (me, "t3")):
        await stores.feedback.put(caller, Feedback(trace_id, "", "up", created_at=1.0))
    assert [await stores.turns.delete_all_of(LOCAL) for _ in range(2)] == [2, 0]
    assert (await stores.turns.rooms(LOCAL, 10)).data == ()
    assert await all_of(stores, LOCAL) == []
    assert [await stores.feedback.get(caller, "t3") is None for caller in (LOCAL, me)] == [True, False]
    assert [each.feedback.user_id for each in (await stores.feedback.list(ADMIN, FeedbackFilter(), 9)).data] == ["me"]
    assert [rollup.user_id for rollup in await stores.statistics.rollups(ADMIN, DAY)] == ["me", "stranger"]
    assert [trace for trace, _ in await all_of(stores, me)] == ["t3"]
    assert await stores.turns.tokens(stranger, "r1") == 2


# --- retention -----------------------------------------------------------------------------------------


@pytest.mark.engine
async def test_with_the_longest_retention_period_turns_are_stored_and_read(lasting_stores: Any, me: Caller, clock: Any) -> None:
    store = lasting_stores
    assert Conversation(keep_days=LONGEST_S / 86_400).keep_days == 365_000
    with pytest.raises(ValidationError):
        Conversation(keep_days=365_001)
    await store.turns.save(stored(make_turn("t1", me, room_id="r1", question="Old?", started_at=clock.now)))
    await store.feedback.put(me, Feedback("t1", "me", "up"))
    assert traces([each.record for each in (await store.turns.room(me, "r1", 10)).data]) == ["t1"]
    assert [room.room_id for room in (await store.turns.rooms(me, 10)).data] == ["r1"]
    assert await store.feedback.get(me, "t1") is not None


@pytest.mark.engine
async def test_an_expired_turn_is_not_returned_anywhere(forgetful_stores: Any, me: Caller, clock: Any) -> None:
    store, old = forgetful_stores, make_turn("t1", me, room_id="r1", usage=Usage(1, 1), question="Old?")
    await store.turns.save(stored(old))
    await store.feedback.put(me, Feedback("t1", "me", "up"))
    clock.advance(50)
    await store.turns.save(stored(make_turn("t2", me, room_id="r1", usage=Usage(2, 2), question="New?", started_at=clock.now)))
    await store.turns.save(stored(make_turn("t3", me, room_id="r2", started_at=clock.now - 50)))
    clock.advance(50)
    assert len(await all_of(store, me)) == 3
    clock.advance(0.5)
    assert traces(await store.turns.history(me, "r1", "trd", 10)) == ["t2"]
    assert traces([each.record for each in (await store.turns.room(me, "r1", 10)).data]) == ["t2"]
    assert [(room.room_id, room.title, room.turns) for room in (await store.turns.rooms(me, 10)).data] == [("r1", "New?", 1)]
    assert await store.turns.tokens(me, "r1") == 4
    assert [record.trace_id for record in await store.statistics.figures(me, 0.0, 2e9)] == ["t2"]
    assert await store.feedback.get(me, "t1") is None
    assert await all_of(store, me) == [("t2", None)]
    assert await store.turns.delete_room(me, "r2") == 0
    for ask in (
        store.turns.get(me, "t1"),
        store.turns.get(LOCAL, "t1"),
        store.turns.room(me, "r2", 10),
        store.turns.room(me, "r1", 10, "t1"),
        store.turns.rooms(me, 10, "r2"),
        store.feedback.put(me, Feedback("t1", "me", "down")),
    ):
        with pytest.raises(NotFound):
            await ask
    clock.advance(50)
    assert await store.turns.rooms(me, 10) == Page((), has_more=False, last_id=None)


async def test_without_a_retention_period_turns_are_kept_forever(stores: Any, me: Caller, clock: Any) -> None:
    await stores.turns.save(stored(make_turn("t1", me, room_id="r1", started_at=1.0)))
    clock.advance(1e9)
    await stores.turns.save(stored(make_turn("t2", me, room_id="r1", started_at=clock.now)))
    assert traces(await stores.turns.history(me, "r1", "trd", 10)) == ["t1", "t2"]
