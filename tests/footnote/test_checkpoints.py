"""Checkpoints of turns: what is replayed, what is stored, and rows that run once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.checkpoints import SqliteCheckpoints, open_checkpoints
from footnote.adapters.sqlite.store import open_store
from footnote.checkpoints import LEASE_S, ReplayedModels, ReplayedReranker, ReplayedSearches, TurnCheckpoint, resume, take_checkpoint
from footnote.errors import Conflict, ModelUnavailable, StoreUnavailable
from footnote.events import Done
from footnote.guard.budget import spend
from footnote.guard.spending import Hold, Spending
from footnote.ports import Delta, RequestKey
from footnote.settings import LLM, Budget
from footnote.steps import FAIL, Step
from footnote.types import Caller, Candidate, Candidates, Message, Search, Stage, ToolCall, Turn, Usage
from tests.conftest import HandClock
from tests.deps import FakeDeps, run_step, run_table
from tests.fakes import FakeModel, FakeModels
from tests.turns import make_turn

ASK = (Message("user", "When?"),)
KEY = RequestKey("ann", "k", "body")


@pytest.fixture
async def store(tmp_path: Path, clock: HandClock) -> AsyncIterator[SqliteCheckpoints]:
    made = SqliteCheckpoints(open_checkpoints(tmp_path), clock)
    yield made
    await made.close()


async def take(store: SqliteCheckpoints, clock: HandClock) -> TurnCheckpoint:
    """Takes the checkpoint as the next process does after the previous one has died."""
    clock.advance(LEASE_S)
    return await take_checkpoint(store, KEY, make_turn())


async def say(model: FakeModel, checkpoint: TurnCheckpoint, messages: tuple[Message, ...] = ASK) -> tuple[str, Any]:
    """(the reply, the model that gave it)"""
    picked: Any = await ReplayedModels(FakeModels(model), checkpoint).pick(None)
    return "".join([delta.text async for delta in picked.stream(messages)]), picked


async def test_usage_before_an_interruption_counts_once(store: Any, clock: HandClock, tmp_path: Path) -> None:
    database = open_store(tmp_path)
    spending, budget = Spending(SqliteCache(database, clock), clock), Budget(tokens_per_day=1000)
    for prompt in (300, 500):  # the second time the first call is replayed, and another one made
        hold = Hold(spending, "me", budget, LLM())
        await hold.open()
        deps = FakeDeps(hold=hold, checkpoint=await take(store, clock))
        await run_step(spend, make_turn(usage=Usage(prompt, 0)), deps)
    assert await spending.share("me", budget) == 0.5
    database.close()


async def test_a_reply_is_replayed_for_the_same_prompt_only(store: Any, clock: Any) -> None:
    model = FakeModel([["In ", Delta("1894.", usage=Usage(7, 3))], ["Blue."]])
    assert (await say(model, await take(store, clock)))[0] == "In 1894."
    later = await take(store, clock)
    model.name = "another"
    said, picked = await say(model, later)
    assert (said, picked.name, len(model.sent)) == ("In 1894.", "fake", 1)
    assert (await say(model, later, (Message("user", "Which colour?"),)))[0] == "Blue."


async def test_equal_calls_of_a_turn_are_replayed_once_each(store: Any, clock: Any) -> None:
    first = await take(store, clock)
    for reply in ("one", "two"):
        await say(FakeModel([[reply]]), first)
    later, model = await take(store, clock), FakeModel([["three"]])
    assert [(await say(model, later))[0] for _ in range(3)] == ["one", "two", "three"]


async def test_tool_calls_and_truncated_replies_are_replayed_unchanged(store: Any, clock: Any) -> None:
    wish = ToolCall("c1", "search_documents", '{"query": "bridge"}')
    await say(FakeModel([[Delta("Let me see", tool_calls=(wish,), cut="length")]]), await take(store, clock))
    picked: Any = await ReplayedModels(FakeModels(FakeModel([])), await take(store, clock)).pick(None)
    [delta] = [delta async for delta in picked.stream(ASK)]
    assert (delta.text, delta.tool_calls, delta.cut) == ("Let me see", (wish,), "length")


async def test_an_interrupted_reply_is_requested_again_and_its_prompt_is_counted(store: Any, clock: Any) -> None:
    with pytest.raises(ModelUnavailable):
        await say(FakeModel([["In ", ModelUnavailable("gone")]]), await take(store, clock))
    later = await take(store, clock)
    turn = await run_step(resume, make_turn(), FakeDeps(checkpoint=later))
    [call] = turn.trace.calls
    assert (call.model, call.usage.prompt_tokens > 0, call.usage.completion_tokens, call.usage.estimated) == ("fake", True, 0, True)
    assert (await say(FakeModel([["In 1894."]]), later))[0] == "In 1894."
    await later.release(finished=False)
    again = await run_step(resume, make_turn(), FakeDeps(checkpoint=(last := await take(store, clock))))
    assert len(again.trace.calls) == 1
    await last.release(finished=False)


async def test_candidates_are_replayed_and_texts_are_not_stored(store: Any, clock: Any, tmp_path: Path) -> None:
    class Index:
        asked = 0

        async def candidates(self, caller: Caller, search: Search) -> Candidates:
            self.asked += 1
            return Candidates((Candidate("d|1|0", 2.5),), (), 0.75, frozenset({"d|1|0"}), frozenset({"cosine"}))

        async def read(self, caller: Caller, chunk_ids: Any) -> str:
            return "read"

    index, search, caller = Index(), Search("default", "secret words"), Caller("ann", frozenset({"staff"}))
    first = await take(store, clock)
    found = await ReplayedSearches(index, first).candidates(caller, search)  # type: ignore[arg-type]
    await say(FakeModel([["Yes."]]), first)
    replayed = ReplayedSearches(index, await take(store, clock))  # type: ignore[arg-type]
    assert await replayed.candidates(caller, search) == found
    assert (index.asked, await replayed.read(caller, [])) == (1, "read")
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("checkpoints.db*"))
    assert b"Yes." in kept
    assert b"secret" not in kept
    assert b"staff" not in kept


class FirstIsBest:
    """A reranker that scores by position and does not score the last text."""

    def __init__(self) -> None:
        self.asked: list[Sequence[str]] = []

    async def rerank(self, query: str, texts: Sequence[str]) -> dict[int, float]:
        self.asked.append(texts)
        return {at: 1 / (at + 1) for at in range(len(texts) - 1)}

    async def close(self) -> None: ...


async def test_scores_of_a_reranker_are_replayed_for_the_same_texts_in_the_same_order_only(store: Any, clock: Any, tmp_path: Path) -> None:
    reranker, texts = FirstIsBest(), ["secret one", "secret two", "secret three"]
    assert await ReplayedReranker(reranker, await take(store, clock)).rerank("secret why?", texts) == {0: 1.0, 1: 0.5}
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("checkpoints.db*"))
    assert b"rerank" in kept
    assert b"secret" not in kept
    later = ReplayedReranker(reranker, await take(store, clock))
    for other in (texts[::-1], texts[:2]):
        await later.rerank("secret why?", other)
    await later.rerank("secret when?", texts)
    assert len(reranker.asked) == 4
    assert await later.rerank("secret why?", texts) == {0: 1.0, 1: 0.5}
    assert len(reranker.asked) == 4


async def test_scores_that_cannot_be_stored_are_used() -> None:
    class Down:
        def replay(self, kind: str, key: str) -> None: ...

        async def keep(self, *values: Any, **more: Any) -> None:
            raise StoreUnavailable("down")

    assert await ReplayedReranker(FirstIsBest(), Down()).rerank("Why?", ["a", "b"]) == {0: 1.0}  # type: ignore[arg-type]


async def test_pending_entries_survive_an_outage_of_the_store(store: Any, clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = await take(store, clock)
    checkpoint.keep_later("search", "a", coverage=1.0)
    with monkeypatch.context() as patch:
        patch.setattr(store, "append", AsyncMock(side_effect=StoreUnavailable("down")))
        with pytest.raises(StoreUnavailable):
            await checkpoint.keep("reply", "b")
    await checkpoint.keep("reply", "c")
    assert [(entry["kind"], entry["digest"]) for entry in (await take(store, clock)).kept.entries] == [("search", "a"), ("reply", "c")]


async def test_a_replaced_owner_cannot_store_a_reply(store: Any, clock: Any) -> None:
    old = await take(store, clock)
    await take(store, clock)
    with pytest.raises(Conflict):
        await say(FakeModel([["In 1894."]]), old)


async def test_a_row_marked_once_runs_once_per_request_and_not_if_that_is_unknown(store: Any, clock: Any) -> None:
    ran = []

    async def tell(turn: Turn) -> Turn:
        ran.append(turn.trace_id)
        return turn

    rows = (Step("tell", tell, stage=Stage.ACCOUNT, once=True, on_error=FAIL),)
    for _ in range(2):
        events = await run_table(rows, make_turn(), FakeDeps(checkpoint=await take(store, clock)))
        assert isinstance(events[-1], Done)
    assert len(ran) == 1
    await run_table(rows, make_turn(), FakeDeps())
    assert len(ran) == 2

    class Down:
        async def mark(self, name: str, value: Any) -> None:
            raise StoreUnavailable("down")

    await run_table(rows, make_turn(), FakeDeps(checkpoint=Down()))
    assert len(ran) == 2
