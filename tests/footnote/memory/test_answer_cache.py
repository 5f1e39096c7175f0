"""The answer cache on the embedded index and store: answers are reused for callers who may read all their passages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.store import open_store
from footnote.answer.extract import extract
from footnote.errors import StoreUnavailable
from footnote.events import Done, Event, Token
from footnote.memory.answer_cache import find_answer, keep_answer, may_use_answer_cache
from footnote.pipeline import SEARCH
from footnote.settings import Caching, Settings
from footnote.steps import SKIP
from footnote.types import Answer, Caller, Candidates, Exchange, FeedbackHints, Query, Turn, Usage
from tests.conftest import HandClock
from tests.deps import FakeDeps, Nothing, run_step, run_table
from tests.fakes import make_document, put_document
from tests.footnote.step_toys import toy
from tests.turns import HELD, LIVE, make_turn, with_

CACHED = replace(HELD, answer_cache_s=300, options={"answer_cache": True})
ASKED = make_turn("When was the bridge built?", CACHED)
TABLE = (
    toy("find_answer", find_answer, option="answer_cache", on_error=SKIP, when=may_use_answer_cache),
    *SEARCH,
    toy("extract", extract),
    toy("keep_answer", keep_answer, option="answer_cache", on_error=SKIP, when=may_use_answer_cache),
)
BRIDGE = ["The bridge was built in 1894. It is painted blue.", "Ferries cross the river."]


@pytest.fixture
async def bound(tmp_path: Path, clock: HandClock, sure_of_little: None) -> AsyncIterator[FakeDeps]:
    index, store = SqliteIndex(tmp_path), open_store(tmp_path)
    await put_document(index, make_document("bridge"), BRIDGE)
    yield FakeDeps(index=index, optional_cache=SqliteCache(store, clock), clock=clock)
    await index.close()
    store.close()


async def events(bound: FakeDeps, turn: Turn) -> list[Event]:
    return await run_table(TABLE, turn, bound)


async def ask(bound: FakeDeps, turn: Turn = ASKED) -> Turn:
    last = (await events(bound, turn))[-1]
    assert isinstance(last, Done)
    return last.turn


async def test_the_same_question_gets_the_cached_answer(bound: FakeDeps, clock: HandClock) -> None:
    first = await ask(bound)
    assert first.outcome is None
    assert first.trace.notes["answer_cache"] == {"hit": False}
    clock.advance(60)
    again = await ask(bound, with_(ASKED, trace_id="t2", question="when was the bridge built"))
    assert again.outcome == "cached"
    assert again.answer == first.answer
    assert again.evidence.hits == first.evidence.hits
    assert again.answer.citations[0].spans == ((62, 65),)
    assert again.trace.notes["answer_cache"] == {"hit": True, "age_s": 60.0, "similarity": 1.0, "saved_tokens": 0}
    assert [span.name for span in again.trace.spans] == ["find_answer"]
    clock.advance(240)
    assert (await ask(bound)).outcome is None


async def test_the_questions_that_the_model_wrote_are_cached_with_its_answer(bound: FakeDeps) -> None:
    await ask(bound, with_(ASKED, suggested_questions=("Who built it?",)))
    assert (await ask(bound)).trace.suggested_questions == ("Who built it?",)


async def test_a_cached_answer_is_streamed_as_one_token(bound: FakeDeps) -> None:
    live = with_(ASKED, profile=replace(LIVE, answer_cache_s=300, options={"answer_cache": True}))
    first = await ask(bound, live)
    assert first.answer is not None
    sent = await events(bound, live)
    assert [event.text for event in sent if isinstance(event, Token)] == [first.answer.text]
    assert [event.text for event in await events(bound, ASKED) if isinstance(event, Token)] == [first.answer.text]


async def test_the_tokens_that_were_saved_are_those_of_the_answer(bound: FakeDeps) -> None:
    turn = await run_step(find_answer, with_(ASKED, usage=Usage(5, 5)), bound)
    assert isinstance(turn, Turn)
    found = with_(
        await ask(bound, with_(ASKED, profile=HELD)), answer_cache_key=turn.trace.answer_cache_key, usage=Usage(105, 15), profile=CACHED
    )
    await run_step(keep_answer, found, bound)
    again = await ask(bound)
    assert again.trace.notes["answer_cache"]["saved_tokens"] == 110
    assert again.trace.usage == Usage()


async def test_deleting_a_document_invalidates_its_answers(bound: FakeDeps) -> None:
    await ask(bound)
    await bound.index.remove("bridge", 1)
    turn = await ask(bound)
    assert turn.outcome == "refused"
    assert turn.evidence.hits == ()


async def test_other_permissions_or_a_new_generation_invalidate_an_answer(bound: FakeDeps) -> None:
    await ask(bound)
    await put_document(bound.index, make_document("bridge", generation=2), ["The bridge was built in 1895."])
    turn = await ask(bound)
    assert (turn.outcome, turn.answer and turn.answer.text) == (None, "**Bridge**\n\nThe bridge was built in 1895. [1]")
    assert (await ask(bound)).outcome == "cached"
    await put_document(bound.index, make_document("bridge", generation=3, groups=("board",)), ["The bridge was built in 1895."])
    assert (await ask(bound)).evidence.hits == ()


@pytest.mark.parametrize("place", [0, 1])
async def test_every_passage_is_read_again_whatever_the_version_says(bound: FakeDeps, place: int) -> None:
    """Both cited and uncited passages."""
    first = await ask(bound)
    withdrawn = first.evidence.hits[place].chunk.chunk_id

    class Gate:
        async def view(self, caller: Caller, collection: str) -> Any:
            return await bound.index.view(caller, collection)

        async def read(self, caller: Caller, chunk_ids: list[str]) -> Any:
            assert withdrawn in chunk_ids
            return [chunk for chunk in await bound.index.read(caller, chunk_ids) if chunk.chunk_id != withdrawn]

    turn = await run_step(find_answer, ASKED, bound.but(index=Gate()))
    assert isinstance(turn, Turn)
    assert turn.outcome is None
    assert turn.answer is None
    assert await bound.optional_cache.get(turn.trace.answer_cache_key[0]) is None


async def test_a_change_while_an_answer_is_generated_invalidates_it(bound: FakeDeps) -> None:
    begun = await run_step(find_answer, ASKED, bound)
    assert isinstance(begun, Turn)
    made = await ask(bound, with_(ASKED, profile=HELD))
    await put_document(bound.index, make_document("second"), ["The bridge was built anew in 1950."])
    await run_step(keep_answer, with_(made, profile=CACHED, answer_cache_key=begun.trace.answer_cache_key), bound)
    assert (await ask(bound)).outcome is None


async def test_a_cached_follow_up_is_reused_only_in_its_own_conversation(bound: FakeDeps) -> None:
    said = (Exchange("Which bridges are there?", "The old one."),)
    follow_up = with_(ASKED, room_id="r1", exchanges=said, trace_ids=("t0",))
    await ask(bound, follow_up)
    others = (
        ASKED,
        with_(ASKED, room_id="r2", exchanges=said, trace_ids=("t7",)),
        with_(follow_up, exchanges=(*said, *said), trace_ids=("t0", "t1")),
    )
    for other in others:
        assert (await ask(bound, other)).outcome is None
    assert (await ask(bound, follow_up)).outcome == "cached"


@pytest.mark.parametrize(
    ("turn", "caching"),
    [
        (with_(ASKED, profile=HELD), Caching()),
        (with_(ASKED, is_test=True), Caching()),
        (with_(ASKED, degraded=True), Caching()),
        (ASKED, Caching(enabled=False)),
        (with_(ASKED, question="Who sells ice cream on the moon?"), Caching()),
        (with_(ASKED, collection="nothing"), Caching()),
    ],
)
async def test_nothing_is_cached_when_caching_is_off_or_the_turn_excludes_it(bound: FakeDeps, turn: Turn, caching: Caching) -> None:
    bound.settings = Settings(cache=caching)
    turn = with_(turn, settings=bound.settings)
    first, again = await ask(bound, turn), await ask(bound, turn)
    assert first.outcome == again.outcome != "cached"


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": Answer("Maybe.", warnings=("uncited",))},
        {"answer": Answer("It was built in", cut="length")},
        {"answer": Answer("It was built in", cut="content_filter")},
        {"hints": FeedbackHints(bad=("unclear",))},
        {"degraded": True},
        {"found": (Candidates(coverage=0.5),)},
        {"ranked": ()},
        {"answer": None},
    ],
    ids=lambda changes: next(iter(changes)),
)
async def test_answers_that_are_doubtful_cut_one_readers_or_external_are_not_cached(bound: FakeDeps, changes: dict[str, Any]) -> None:
    begun = await run_step(find_answer, ASKED, bound)
    assert isinstance(begun, Turn)
    made = with_(await ask(bound, with_(ASKED, profile=HELD)), profile=CACHED, answer_cache_key=begun.trace.answer_cache_key)
    await run_step(keep_answer, with_(made, **changes), bound)
    assert (await ask(bound, ASKED)).outcome is None


async def test_a_trace_does_not_reveal_changes_to_a_caller_who_may_read_nothing(bound: FakeDeps) -> None:
    stranger = with_(ASKED, caller=Caller("stranger"))
    before = await ask(bound, stranger)
    await put_document(bound.index, make_document("second"), ["The bridge was built anew in 1950."])
    after, elsewhere = await ask(bound, stranger), await ask(bound, with_(stranger, collection="nothing"))
    assert before.outcome == "refused"
    assert before.trace.notes == after.trace.notes == elsewhere.trace.notes == {"answer_cache": {"hit": False}}


class Learning(Nothing):
    """Records whose weights change."""

    changed = 0

    async def changes(self, kind: str) -> int:
        return self.changed if kind == "weights" else 0


@pytest.mark.parametrize(("weighted", "outcome"), [(True, None), (False, "cached")])
async def test_newer_feedback_weights_invalidate_cached_answers(bound: FakeDeps, weighted: bool, outcome: str | None) -> None:
    bound.records = Learning()
    asked = with_(ASKED, options={"feedback_weights": weighted})
    await ask(bound, asked)
    assert (await ask(bound, asked)).outcome == "cached"
    bound.records.changed = 1
    assert (await ask(bound, asked)).outcome == outcome


async def test_without_the_store_the_question_is_answered(bound: FakeDeps) -> None:
    class Down:
        async def get(self, key: str) -> None:
            raise StoreUnavailable("down")

    turn = await ask(bound.but(optional_cache=Down()))
    assert turn.answer is not None
    assert turn.outcome is None
    assert {span.name: span.status for span in turn.trace.spans}["find_answer"] == "skipped"


async def test_queries_that_only_find_evidence_are_not_part_of_the_cache_key(bound: FakeDeps) -> None:
    await ask(bound)
    more = replace(ASKED, queries=(*ASKED.queries, Query("Which year saw the bridge?", "paraphrase")))
    assert (await ask(bound, more)).outcome == "cached"
