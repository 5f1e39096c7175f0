"""What every engine does with turns and their figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.errors import Conflict, NotFound
from footnote.ports import Rollup, Room
from footnote.types import (
    Answer,
    Caller,
    Chunk,
    Citation,
    Feedback,
    Hit,
    ModelCall,
    ModelUsage,
    Page,
    Profile,
    Span,
    Turn,
    TurnFigures,
    Usage,
)
from tests import turns
from tests.turns import stored

TRD = Profile(name="trd", live=False, citation_style="footnotes", prompt="answer_footnotes")
CHAT = replace(TRD, name="chat_service")


def make_turn(trace_id: str, caller: Caller, **changes: Any) -> Turn:
    fields = {"profile": TRD, "question": "How long?", "collection": "default", "started_at": 1_700_000_000.0, **changes}
    return turns.make_turn(trace_id=trace_id, caller=caller, **fields)


def make_citation() -> Citation:
    chunk = Chunk("plan-1a2b3c|2|7", "plan-1a2b3c", 2, 7, 2, "The plan", "It takes two years. Then it ends.", "en", "default", ("Time",), 3)
    return Citation(1, Hit(chunk, 0.75, {"bm25": 4.0}), "It takes two years.", 3, ((0, 19),), ((10, 13),))


@pytest.mark.engine
async def test_a_turn_is_stored_as_a_version_3_document(stores: Any, me: Caller, clock: Any) -> None:
    turn = make_turn(
        "t1",
        me,
        room_id="r1",
        mode="pa",
        filters={"class": ("b", "a"), "lang": ("ko",)},
        queries=("How long does the plan take?", "When does it end?"),
        hits=(make_citation().hit,),
        suggested_questions=("What does “The plan” say about costs?",),
        answer=Answer("Two years [1].", (make_citation(),), model="llama", warnings=("short",)),
        outcome="answered",
        degraded=True,
        calls=(ModelCall("rewrite", "llama", Usage(6, 3), 9.0), ModelCall("answer", "gpt-4.1", Usage(3, 1), 9.0)),
        quoted=(("plan|1|7", "plan"),),
        spans=(Span("search", 1.5, "ok", {"hits": 3}), Span("rewrite", 2.0, "skipped")),
        notes={"rejected": "Three years."},
    )
    await stores.turns.save(stored(turn, ms=1500))
    record = await stores.turns.get(me, "t1")
    assert record.pop("plan")["level"] == "standard"
    assert record == {
        "version": "v3",
        "status": "done",
        "block_classes": ["a", "b", "ko"],
        "search_type": "pa",
        "conversations": [
            {
                "role": "user",
                "content": "How long?",
                "tool_calls": [],
                "tool_call_id": None,
                "name": None,
                "created_at": "2023-11-14T22:13:20.000+00:00",
            },
            {
                "role": "assistant",
                "content": "Two years [1].",
                "tool_calls": [],
                "tool_call_id": None,
                "name": None,
                "created_at": "2023-11-14T22:13:21.500+00:00",
            },
        ],
        "room_id": "r1",
        "chat_id": "t1",
        "user_id": "me",
        "is_tool_block": False,
        "is_error": False,
        "result": {
            "type": "done",
            "final_response": "Two years [1].",
            "references": [
                {
                    "index": 1,
                    "doc_id": "plan-1a2b3c",
                    "chunk_id": "plan-1a2b3c#007",
                    "title": "The plan",
                    "page": 3,
                    "unit": "page",
                    "section": "Time",
                    "score": 0.75,
                    "snippet": "It takes two years.",
                    "bounds": [[0, 19]],
                    "spans": [[10, 13]],
                }
            ],
            "usage": {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "total_tokens": 13,
                "estimated": False,
                "models": [
                    {"model": "llama", "prompt_tokens": 6, "completion_tokens": 3},
                    {"model": "gpt-4.1", "prompt_tokens": 3, "completion_tokens": 1},
                ],
                "type": "usage",
            },
            "search_decision": {"rewritten_query": ["How long does the plan take?", "When does it end?"]},
        },
        "dialect": "trd",
        "trace_id": "t1",
        "collection": "default",
        "lang": "en",
        "outcome": "answered",
        "degraded": True,
        "vectors_pending": False,
        "llm": "llama",
        "llm_failed": False,
        "llm_address": None,
        "extractive": False,
        "verdict": None,
        "warnings": ["short"],
        "hits": [
            {
                "passage": "plan-1a2b3c|2|7",
                "doc_id": "plan-1a2b3c",
                "chunk_id": "plan-1a2b3c#007",
                "title": "The plan",
                "page": 3,
                "unit": "page",
                "section": "Time",
                "headings": ["Time"],
                "score": 0.75,
                "bm25": 4.0,
                "cosine": None,
            }
        ],
        "leans_on": [{"passage": "plan|1|7", "doc_id": "plan"}],
        "suggested_questions": ["What does “The plan” say about costs?"],
        "latency_ms": 1500,
        "spans": [
            {"name": "search", "ms": 1.5, "status": "ok", "detail": {"hits": 3}},
            {"name": "rewrite", "ms": 2.0, "status": "skipped", "detail": {}},
        ],
        "created_at": "2023-11-14T22:13:20.000+00:00",
        "private": {"rejected": "Three years."},
    }


async def test_a_turn_without_room_or_answer_has_its_own_room_and_the_question_alone(stores: Any, me: Caller) -> None:
    await stores.turns.save(stored(make_turn("t1", me), "error"))
    block = await stores.turns.get(me, "t1")
    assert (block["room_id"], block["status"], block["is_error"], block["result"]["type"]) == ("t1", "error", True, "error")
    assert [message["content"] for message in block["conversations"]] == ["How long?"]
    assert (block["result"]["final_response"], block["result"]["references"], block["llm"]) == ("", [], None)


@pytest.mark.engine
async def test_text_of_any_kind_comes_back_as_it_was(stores: Any, me: Caller) -> None:
    question = "왜 \"'\\ \x00 \ud800 🙂?"
    await stores.turns.save(stored(make_turn("t1", me, question=question)))
    assert (await stores.turns.get(me, "t1"))["conversations"][0]["content"] == question


async def test_a_turn_is_saved_even_if_a_span_holds_a_value_that_json_lacks(stores: Any, me: Caller) -> None:
    await stores.turns.save(stored(make_turn("t1", me, spans=(Span("search", 1.0, "ok", {"groups": 1j}),))))
    assert (await stores.turns.get(me, "t1"))["spans"][0]["detail"] == {"groups": "1j"}


@pytest.mark.engine
async def test_a_trace_that_is_saved_again_is_replaced_except_by_its_beginning(stores: Any, me: Caller) -> None:
    began = stored(make_turn("t1", me, room_id="r1"), "idle")
    await stores.turns.save(began)
    await stores.feedback.put(me, Feedback("t1", "me", "up"))
    await stores.turns.save(stored(make_turn("t1", me, room_id="r1", answer=Answer("Two years."))))
    await stores.turns.save(began)
    (record,) = await stores.turns.history(me, "r1", "trd", 10)
    assert (record["status"], record["result"]["final_response"]) == ("done", "Two years.")
    assert (await stores.feedback.get(me, "t1")).rating == "up"


@pytest.mark.engine
async def test_a_trace_of_another_user_is_not_overwritten(stores: Any, me: Caller, stranger: Caller) -> None:
    await stores.turns.save(stored(make_turn("t1", me, question="mine")))
    with pytest.raises(Conflict):
        await stores.turns.save(stored(make_turn("t1", stranger, question="theirs")))
    assert (await stores.turns.get(me, "t1"))["conversations"][0]["content"] == "mine"


@pytest.mark.engine
async def test_a_turn_is_readable_by_its_user_and_by_a_caller_who_sees_all(stores: Any, me: Caller, stranger: Caller) -> None:
    await stores.turns.save(stored(make_turn("t1", me)))
    assert (await stores.turns.get(Caller("local", sees_all=True), "t1"))["trace_id"] == "t1"
    for caller, trace_id in ((stranger, "t1"), (me, "unknown")):
        with pytest.raises(NotFound):
            await stores.turns.get(caller, trace_id)


@pytest.mark.engine
async def test_history_is_the_last_finished_turns_oldest_first(stores: Any, me: Caller) -> None:
    for number, status in enumerate(["done", "error", "done", "idle", "done", "done"]):
        await stores.turns.save(stored(make_turn(f"t{number}", me, room_id="r1", started_at=1000.0 + number), status))
    assert [block["trace_id"] for block in await stores.turns.history(me, "r1", "trd", 3)] == ["t2", "t4", "t5"]
    assert [block["trace_id"] for block in await stores.turns.history(me, "r1", "trd", 10)] == ["t0", "t2", "t4", "t5"]
    assert await stores.turns.history(me, "r1", "trd", 0) == []


@pytest.mark.parametrize("step_s", [0, 1])
async def test_history_before_a_turn_is_what_its_conversation_was_when_it_began(stores: Any, me: Caller, step_s: int) -> None:
    for number in range(4):
        await stores.turns.save(stored(make_turn(f"t{number}", me, room_id="r1", started_at=1000.0 + number * step_s)))
    assert [turn["trace_id"] for turn in await stores.turns.history(me, "r1", "trd", 10, before="t2")] == ["t0", "t1"]
    assert [turn["trace_id"] for turn in await stores.turns.history(me, "r1", "trd", 1, before="t2")] == ["t1"]
    assert len(await stores.turns.history(me, "r1", "trd", 10, before="unknown")) == 4


@pytest.mark.engine
async def test_rooms_are_listed_by_their_last_turn_and_named_by_their_first_question(stores: Any, me: Caller) -> None:
    for started_at, room_id, question, profile in (
        (1.0, "r1", "  Who\npaid? ", TRD),
        (2.0, "r2", "가" * 121, CHAT),
        (3.0, "r1", "How much?", TRD),
        (4.0, "r3", "When?", TRD),
        (4.0, "r0", "Why?", TRD),
    ):
        turn = make_turn(f"t{started_at}{room_id}", me, room_id=room_id, question=question, started_at=started_at, profile=profile)
        await stores.turns.save(stored(turn, "error"))
    rooms = (Room("r0", "Why?", 1, 4.0), Room("r3", "When?", 1, 4.0), Room("r1", "Who paid?", 2, 3.0), Room("r2", "가" * 119 + "…", 1, 2.0))
    assert await stores.turns.rooms(me, 10) == Page(rooms, has_more=False, last_id="r2")
    assert await stores.turns.rooms(me, 1) == Page(rooms[:1], has_more=True, last_id="r0")
    assert await stores.turns.rooms(me, 2, "r0") == Page(rooms[1:3], has_more=True, last_id="r1")
    assert await stores.turns.rooms(me, 2, "r1") == Page(rooms[3:], has_more=False, last_id="r2")
    assert await stores.turns.rooms(me, 2, "r2") == Page((), has_more=False, last_id=None)


async def test_a_turn_without_a_room_is_listed_once_a_later_turn_names_it_as_its_room(stores: Any, me: Caller) -> None:
    await stores.turns.save(stored(make_turn("t1", me, question="Who?", started_at=1.0)))
    assert (await stores.turns.rooms(me, 10)).data == ()
    await stores.turns.save(stored(make_turn("t2", me, question="When?", started_at=2.0, room_id="t1")))
    assert (await stores.turns.rooms(me, 10)).data == (Room("t1", "Who?", 2, 2.0),)
    assert [turn.record["trace_id"] for turn in (await stores.turns.room(me, "t1", 10)).data] == ["t1", "t2"]


@pytest.mark.engine
async def test_the_turns_of_a_room_come_oldest_first_with_their_users_feedback(stores: Any, me: Caller) -> None:
    local = Caller("local", sees_all=True)
    for trace_id, profile, status in (("t3", TRD, "done"), ("t1", CHAT, "error"), ("t2", TRD, "done")):
        await stores.turns.save(stored(make_turn(trace_id, me, room_id="r1", profile=profile), status))
    await stores.feedback.put(local, Feedback("t1", "local", "up", created_at=1.0))
    await stores.feedback.put(me, Feedback("t1", "me", "down", created_at=2.0))
    page = await stores.turns.room(me, "r1", 2)
    assert [(turn.record["trace_id"], turn.feedback) for turn in page.data] == [
        ("t3", None),
        ("t1", Feedback("t1", "me", "down", created_at=2.0)),
    ]
    assert (page.has_more, page.last_id) == (True, "t1")
    page = await stores.turns.room(me, "r1", 2, "t1")
    assert ([turn.record["trace_id"] for turn in page.data], page.has_more, page.last_id) == (["t2"], False, "t2")
    assert await stores.turns.room(me, "r1", 2, "t2") == Page((), has_more=False, last_id=None)


@pytest.mark.engine
async def test_a_room_is_visible_only_to_its_user(stores: Any, me: Caller, stranger: Caller) -> None:
    await stores.turns.save(stored(make_turn("t1", me, room_id="r1")))
    await stores.turns.save(stored(make_turn("t2", stranger, room_id="r2")))
    local = Caller("local", sees_all=True, role="admin")
    assert [room.room_id for room in (await stores.turns.rooms(me, 10)).data] == ["r1"]
    assert (await stores.turns.rooms(local, 10)).data == ()
    for ask in (
        stores.turns.room(stranger, "r1", 10),
        stores.turns.room(local, "r1", 10),
        stores.turns.room(me, "r1", 10, "t2"),
        stores.turns.rooms(me, 10, "r2"),
    ):
        with pytest.raises(NotFound):
            await ask
    assert [await stores.turns.delete_room(caller, "r1") for caller in (stranger, local)] == [0, 0]
    assert (await stores.turns.get(me, "t1"))["room_id"] == "r1"


@pytest.mark.engine
async def test_deleting_a_room_deletes_its_turns_and_their_feedback(stores: Any, me: Caller) -> None:
    for trace_id, room_id in (("t1", "r1"), ("t2", "r1"), ("t3", "r2")):
        await stores.turns.save(stored(make_turn(trace_id, me, room_id=room_id)))
        await stores.feedback.put(me, Feedback(trace_id, "me", "up"))
    assert [await stores.turns.delete_room(me, "r1") for _ in range(2)] == [2, 0]
    assert [room.room_id for room in (await stores.turns.rooms(me, 10)).data] == ["r2"]
    assert [await stores.feedback.get(me, trace_id) is None for trace_id in ("t1", "t2", "t3")] == [True, True, False]
    for ask in (stores.turns.get(me, "t1"), stores.turns.room(me, "r1", 10)):
        with pytest.raises(NotFound):
            await ask


async def test_the_figures_of_a_turn_come_with_the_feedback_on_it(stores: Any, me: Caller, clock: Any) -> None:
    clock.now = 1_700_000_001.5
    answer = Answer("Two years [1].", (make_citation(),), model="llama")
    await stores.turns.save(stored(make_turn("t1", me, room_id="r1", answer=answer, usage=Usage(10, 4, estimated=True)), ms=1500))
    await stores.feedback.put(me, Feedback("t1", "me", "down", "old", None, ("plan-1a2b3c#007",), ("stale",)))
    await stores.turns.save(stored(make_turn("t2", me, started_at=1_700_000_001.0, outcome="blocked"), "error", ms=500))
    assert await stores.statistics.figures(me, 1_700_000_000.0, 1_700_000_002.0) == [
        TurnFigures(
            trace_id="t1",
            user_id="me",
            room_id="r1",
            search_type="rag",
            llm="llama",
            question="How long?",
            started_at=1_700_000_000.0,
            latency_ms=1500,
            outcome=None,
            is_error=False,
            used=(ModelUsage("llama", Usage(10, 4, estimated=True)),),
            cited=("plan-1a2b3c#007",),
            feedback=(Feedback("t1", "me", "down", "old", None, ("plan-1a2b3c#007",), ("stale",), 1_700_000_001.5),),
            collection="default",
            lang="en",
        ),
        TurnFigures(
            trace_id="t2",
            user_id="me",
            room_id="t2",
            search_type="rag",
            llm=None,
            question="How long?",
            started_at=1_700_000_001.0,
            latency_ms=500,
            outcome="blocked",
            is_error=True,
            collection="default",
            lang="en",
        ),
    ]


@pytest.mark.engine
async def test_records_are_the_finished_turns_that_started_in_the_time_oldest_first(stores: Any, me: Caller) -> None:
    for trace_id, started_at in (("late", 30.0), ("last", 29.5), ("first", 10.0), ("early", 9.5)):
        await stores.turns.save(stored(make_turn(trace_id, me, started_at=started_at)))
    await stores.turns.save(stored(make_turn("unfinished", me, started_at=20.0), "idle"))
    assert [record.trace_id for record in await stores.statistics.figures(me, 10.0, 30.0)] == ["first", "last"]


async def test_a_record_names_the_models_of_a_turn_that_no_model_answered(stores: Any, me: Caller) -> None:
    used = (("llama", Usage(6, 3)), ("gpt-4.1", Usage(60, 1)), ("llama", Usage(2, 2)), ("down", Usage()))
    calls = tuple(ModelCall("forbidden", model, usage, 9.0) for model, usage in used)
    await stores.turns.save(stored(make_turn("t1", me, outcome="blocked", calls=calls), "error"))
    (record,) = await stores.statistics.figures(me, 0.0, 2e9)
    assert (record.llm, record.used) == ("gpt-4.1", (ModelUsage("llama", Usage(8, 5)), ModelUsage("gpt-4.1", Usage(60, 1))))


async def test_a_record_says_whether_there_was_a_cache_hit(stores: Any, me: Caller) -> None:
    answered = {"answer": Answer("Yes.")}
    await stores.turns.save(stored(make_turn("t1", me, outcome="cached", **answered)))
    await stores.turns.save(stored(make_turn("t2", me, notes={"search_cache": {"hits": 1, "age_s": 2.0}}, **answered)))
    await stores.turns.save(stored(make_turn("t3", me, notes={"search_cache": {"hits": 0}, "answer_cache": {"hit": False}}, **answered)))
    await stores.turns.save(stored(make_turn("t4", me, **answered)))
    hits = {record.trace_id: record.cache_hit for record in await stores.statistics.figures(me, 0.0, 2e9)}
    assert hits == {"t1": True, "t2": True, "t3": False, "t4": False}


@pytest.mark.engine
async def test_an_admin_gets_all_records_and_others_their_own(stores: Any, me: Caller, stranger: Caller) -> None:
    admin = Caller("boss", role="admin")
    local = Caller("local", sees_all=True)
    await stores.turns.save(stored(make_turn("t1", me)))
    await stores.turns.save(stored(make_turn("t2", stranger)))
    await stores.feedback.put(me, Feedback("t1", "me", "up", created_at=1.0))
    await stores.feedback.put(local, Feedback("t1", "local", "down", created_at=2.0))

    async def seen(caller: Caller) -> dict[str, list[str]]:
        records = await stores.statistics.figures(caller, 0.0, 2e9)
        return {record.trace_id: [feedback.user_id for feedback in record.feedback] for record in records}

    assert await seen(admin) == {"t1": ["me", "local"], "t2": []}
    assert await seen(me) == {"t1": ["me"]}
    assert await seen(stranger) == {"t2": []}


@pytest.mark.engine
async def test_the_roll_ups_of_a_day_replace_those_that_were_there(stores: Any, me: Caller) -> None:
    admin = Caller("boss", role="admin")
    await stores.statistics.put_rollups("2026-01-14", [Rollup("me", "r1", "rag", {"turns": 9})])
    await stores.statistics.put_rollups("2026-01-15", [Rollup("me", "r1", "rag", {"turns": 1}), Rollup("me", "r2", "rag", {"turns": 2})])
    again = [Rollup("stranger", "r1", "rag", {"turns": 4, "latency_p50_ms": 1.5}), Rollup("me", "r1", "rag", {"turns": 3})]
    await stores.statistics.put_rollups("2026-01-15", again)
    assert await stores.statistics.rollups(admin, "2026-01-15") == again[::-1]
    assert await stores.statistics.rollups(me, "2026-01-15") == again[1:]
    assert await stores.statistics.rollups(admin, "2026-01-14") == [Rollup("me", "r1", "rag", {"turns": 9})]
    assert await stores.statistics.rollups(admin, "2026-01-16") == []
