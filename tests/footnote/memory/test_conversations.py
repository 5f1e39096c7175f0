"""Every turn is stored, however it ended; a follow-up gets the conversation before it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.ledger_store import SqliteLedgerStore
from footnote.adapters.sqlite.store import open_store
from footnote.adapters.sqlite.turns import SqliteTurnStore
from footnote.bootstrap.deps import Deps
from footnote.errors import NotFound, StoreUnavailable
from footnote.ledger import Documents
from footnote.memory.conversations import is_kept, load_history, needs_history, open_turn, save_turn
from footnote.steps import FAIL, SKIP, Runner
from footnote.turn_records.read import question_of
from footnote.types import Answer, Citation, Exchange, Message, Status, Turn, TurnRecord, Usage
from tests.books import Books
from tests.conftest import HandClock
from tests.deps import FakeDeps, call_step, finish
from tests.fakes import make_hit
from tests.footnote.step_toys import toy
from tests.turns import HELD, ME, make_turn, stored, with_

TALKS = replace(HELD, history=2)


class Turns:
    """`calls`: (method, its argument) in order. `down`: methods that fail."""

    def __init__(self, *down: str) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.down = down

    async def save(self, record: TurnRecord) -> None:
        self._call("save", record)

    def _call(self, name: str, given: Any) -> None:
        if name in self.down:
            raise StoreUnavailable("down")
        self.calls.append((name, given))


class Index:
    """`readable`: ids of passages."""

    def __init__(self, *readable: str) -> None:
        self.readable = readable

    async def read(self, caller: Any, chunk_ids: Any) -> Any:
        return [make_hit("Two years.", doc_id).chunk for doc_id in self.readable]


@pytest.fixture
async def store(tmp_path: Path, clock: HandClock) -> AsyncIterator[SqliteTurnStore]:
    database = open_store(tmp_path)
    yield SqliteTurnStore(database, clock)
    database.close()


@pytest.fixture
async def ledger(store: SqliteTurnStore, tmp_path: Path, clock: HandClock) -> AsyncIterator[Documents]:
    database = open_store(tmp_path)
    yield Books(SqliteLedgerStore(database), clock).ledger
    database.close()


# --- saving ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "status"), [(Answer("Two years."), "done"), (None, "error")])
async def test_a_turn_is_stored_with_its_status(answer: Answer | None, status: Status) -> None:
    turns: Any = Turns()
    turn = make_turn(answer=answer, started_at=1_699_999_999.5)
    saved = await call_step(save_turn, turn, FakeDeps(turns=turns))
    assert saved.trace.persisted
    assert turns.calls == [("save", stored(turn, status, ms=500))]


async def test_a_very_long_question_is_stored_truncated() -> None:
    turns = Turns()
    await call_step(save_turn, make_turn(question="x" * 1_000_000), FakeDeps(turns=turns))
    assert [len(question_of(given)) for name, given in turns.calls if name == "save"] == [10_000]


async def test_a_store_that_is_down_raises_an_error() -> None:
    turns: Any = Turns("save")
    with pytest.raises(StoreUnavailable):
        await call_step(save_turn, make_turn(), FakeDeps(turns=turns))
    assert turns.calls == []


async def test_an_agents_tool_calls_are_dropped_once_it_has_answered() -> None:
    turns: Any = Turns()
    talk = (Message("tool", "Two years.", tool_call_id="c1"),)
    saved = await call_step(save_turn, make_turn(answer=Answer("Two years."), tool_messages=talk), FakeDeps(turns=turns))
    ((_, record),) = turns.calls
    assert [said["role"] for said in record["conversations"]] == ["user", "assistant"]
    assert (record["is_tool_block"], saved.trace.tool_messages) == (True, ())


async def test_an_agent_that_did_not_finish_keeps_its_tool_calls() -> None:
    turns, turn = Turns(), make_turn(tool_messages=(Message("tool", "Two years.", tool_call_id="c1"),))
    saved = await call_step(save_turn, turn, FakeDeps(turns=turns))
    ((_, record),) = turns.calls
    assert [said["role"] for said in record["conversations"]] == ["user", "tool"]
    assert len(saved.trace.tool_messages) == 1


async def test_a_turn_that_begins_is_idle_until_it_is_saved(store: SqliteTurnStore) -> None:
    turn = await call_step(open_turn, make_turn(), FakeDeps(turns=store))
    assert (await store.get(ME, "t1"))["status"] == "idle"
    await call_step(save_turn, with_(turn, answer=Answer("Yes."), usage=Usage(3, 4)), FakeDeps(turns=store))
    assert (await store.get(ME, "t1"))["status"] == "done"


async def test_a_turn_that_was_killed_stays_idle(store: SqliteTurnStore) -> None:
    began = asyncio.Event()

    async def hang(turn: Turn) -> Turn:
        began.set()
        await asyncio.Event().wait()
        return turn

    rows = (toy("open", open_turn, on_error=SKIP), toy("hang", hang), toy("save", save_turn, on_error=SKIP, always=True))
    runner = Runner(rows, Deps, lambda turn: FakeDeps(turns=store))
    reader = asyncio.create_task(runner.finish(make_turn(room_id="r1")))
    await began.wait()
    (task,) = runner._running
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    reader.cancel()
    assert (await store.get(ME, "t1"))["status"] == "idle"
    assert [each.record["status"] for each in (await store.room(ME, "r1", 10)).data] == ["idle"]


async def test_without_a_store_a_turn_is_answered_and_not_persisted() -> None:
    async def say(turn: Turn) -> Turn:
        return with_(turn, answer=Answer("Two years."))

    rows = (
        toy("open", open_turn, on_error=SKIP, when=is_kept),
        toy("say", say, on_error=FAIL),
        toy("save", save_turn, on_error=SKIP, always=True, when=is_kept),
    )
    turns = Turns("save")
    turn = await finish(rows, make_turn(), FakeDeps(turns=turns))
    assert (turn.answer, turn.trace.persisted) == (Answer("Two years."), False)
    assert [(span.name, span.status) for span in turn.trace.spans] == [("open", "skipped"), ("say", "ok"), ("save", "skipped")]
    assert turns.calls == []


# --- history -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "needed"),
    [
        (make_turn(profile=TALKS, room_id="r1"), True),
        (make_turn(profile=TALKS), False),
        (make_turn(profile=HELD, room_id="r1"), False),
        (make_turn(profile=TALKS, room_id="r1", exchanges=(Exchange("Who?", "Ann."),)), False),
    ],
)
def test_history_is_read_if_the_profile_wants_it_and_there_is_a_room(turn: Turn, needed: bool) -> None:
    assert needs_history(turn) is needed


async def test_a_follow_up_gets_the_last_exchanges_of_its_room_as_they_were_asked(store: SqliteTurnStore, ledger: Documents) -> None:
    for number in range(3):
        turn = make_turn(f"Question {number}?", TALKS, trace_id=f"t{number}", room_id="r1", started_at=float(number))
        talk = (Message("assistant", "Let me see."), Message("tool", "Found.", tool_call_id="c1"))
        await call_step(
            save_turn, with_(turn, queries=("Rewritten?",), answer=Answer(f"Answer {number}."), tool_messages=talk), FakeDeps(turns=store)
        )
    asked = make_turn("And then?", TALKS, trace_id="t9", room_id="r1", started_at=9.0)
    turn = await call_step(
        load_history, await call_step(open_turn, asked, FakeDeps(turns=store)), FakeDeps(turns=store, index=Index(), ledger=ledger)
    )
    assert turn.conversation.exchanges == (Exchange("Question 1?", "Answer 1."), Exchange("Question 2?", "Answer 2."))
    assert turn.conversation.trace_ids == ("t1", "t2")


@pytest.mark.parametrize(("checkpoint", "known"), [(None, ("t0", "t2")), (object(), ("t0",))], ids=["new", "repeated"])
async def test_a_repeated_request_sees_the_conversation_as_it_was_at_first(
    store: SqliteTurnStore, ledger: Documents, checkpoint: Any, known: tuple[str, ...]
) -> None:
    """While it was interrupted, its user asked something else."""
    talks = replace(TALKS, history=9)
    for number, trace_id in enumerate(("t0", "t1", "t2")):
        turn = make_turn(f"Question {number}?", talks, trace_id=trace_id, room_id="r1", started_at=float(number))
        await call_step(open_turn, turn, FakeDeps(turns=store))
        if trace_id != "t1":
            await call_step(save_turn, with_(turn, answer=Answer("Yes.")), FakeDeps(turns=store))
    again = make_turn("Question 1?", talks, trace_id="t1", room_id="r1", started_at=1.0)
    turn = await call_step(load_history, again, FakeDeps(turns=store, index=Index(), ledger=ledger, checkpoint=checkpoint))
    assert turn.conversation.trace_ids == known


@pytest.mark.parametrize(
    "other",
    [{"room_id": "r2"}, {"mode": "gpt"}, {"profile": replace(TALKS, name="other")}, {"filters": {"class": ("Notice",)}}, {"answer": None}],
    ids=lambda other: next(iter(other)),
)
async def test_history_has_the_same_room_mode_dialect_and_filter(store: SqliteTurnStore, ledger: Documents, other: dict[str, Any]) -> None:
    known = {"profile": TALKS, "room_id": "r1", "answer": Answer("Two years."), "filters": {"class": ("Law",)}}
    await call_step(save_turn, make_turn(**{**known, **other}), FakeDeps(turns=store))
    asked = make_turn(profile=TALKS, trace_id="t9", room_id="r1", filters={"class": ("Law", "Regulation")})
    turn = await call_step(load_history, asked, FakeDeps(turns=store, index=Index(), ledger=ledger))
    assert (turn.conversation.exchanges, turn.conversation.trace_ids) == ((), ())


async def test_turns_that_quote_an_unreadable_document_are_left_out_of_the_history(store: SqliteTurnStore, ledger: Documents) -> None:
    for trace_id, doc_id in (("t1", "pay"), ("t2", "bridge")):
        hit = make_hit("Two years.", doc_id)
        answer = Answer("Two years [1].", (Citation(1, hit, "Two years."),))
        turn = make_turn(profile=TALKS, trace_id=trace_id, room_id="r1", hits=(hit,), answer=answer)
        await call_step(save_turn, turn, FakeDeps(turns=store))
    with pytest.raises(NotFound):
        await ledger.get(ME, "pay")
    asked = make_turn(profile=TALKS, trace_id="t9", room_id="r1")
    turn = await call_step(load_history, asked, FakeDeps(turns=store, index=Index("bridge"), ledger=ledger))
    assert turn.conversation.trace_ids == ("t2",)


async def test_turns_that_depend_on_an_unreadable_document_by_an_earlier_turn_are_out(store: SqliteTurnStore, ledger: Documents) -> None:
    hit = make_hit("Two years.", "pay")
    await call_step(
        save_turn, make_turn(profile=TALKS, trace_id="t1", room_id="r1", hits=(hit,), answer=Answer("Two years.")), FakeDeps(turns=store)
    )
    follow_up = make_turn(profile=TALKS, trace_id="t2", room_id="r1", started_at=1.0)
    told = await call_step(load_history, follow_up, FakeDeps(turns=store, index=Index("pay"), ledger=ledger))
    assert told.conversation.quoted == (("pay|1|0", "pay"),)
    await call_step(save_turn, with_(told, answer=Answer("As I said, two years.")), FakeDeps(turns=store))
    last = make_turn(profile=replace(TALKS, history=1), trace_id="t3", room_id="r1", started_at=2.0)
    known = await call_step(load_history, last, FakeDeps(turns=store, index=Index("pay"), ledger=ledger))
    assert (known.conversation.trace_ids, known.conversation.quoted) == (("t2",), (("pay|1|0", "pay"),))
    assert (await call_step(load_history, last, FakeDeps(turns=store, index=Index(), ledger=ledger))).conversation.trace_ids == ()
