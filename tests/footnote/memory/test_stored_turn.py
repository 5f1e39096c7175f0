"""Replays of finished turns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.store import open_store
from footnote.adapters.sqlite.turns import SqliteTurnStore
from footnote.errors import NotFound
from footnote.events import Done, Failed, Token
from footnote.memory.stored_turn import replay, stored_turn
from footnote.turn_records.figures import figures_of
from footnote.turn_records.restore import restore
from footnote.types import Answer, Caller, Chunk, Citation, Hit, ModelCall, RankedList, Span, Turn, TurnRecord, Usage
from tests.conftest import HandClock
from tests.turns import ME, make_turn, stored

CHUNK = Chunk(
    "plan|2|7",
    "plan",
    2,
    7,
    2,
    "The plan",
    "It takes two years. Then it ends.",
    "de",
    "default",
    ("Time",),
    3,
    metadata={"url": "https://x"},
)
HIT = Hit(CHUNK, 0.75, {"bm25": 4.0})
ANSWER = Answer(
    "Two years [1].", (Citation(1, HIT, "It takes two years.", 3, ((0, 19),), ((10, 13),)),), model="llama", warnings=("short",)
)
ENDED = make_turn(
    "And how long does it take?",
    room_id="r1",
    filters={"class": ("b", "a")},
    queries=("How long does the plan take?", "When does it end?"),
    lang="de",
    hits=(HIT,),
    lists=(RankedList("cosine", "How long does the plan take?", coverage=0.5),),
    answer=ANSWER,
    suggested_questions=("What does it cost?",),
    calls=(ModelCall("rewrite", "small", Usage(6, 3), 5.0), ModelCall("answer", "llama", Usage(3, 1, estimated=True), 9.0)),
    quoted=(("pay|1|7", "pay"),),
    spans=(Span("search", 1.5, "ok", {"hits": 3}), Span("rewrite", 2.0, "skipped")),
    notes={"rejected": "Three years."},
    degraded=True,
    started_at=1_700_000_000.25,
)
BEGUN = make_turn("And how long does it take?", room_id="r1", filters={"class": ("b", "a")}, started_at=1_800_000_000.0)
"""The same request, repeated."""


class Index:
    """Holds these passages."""

    def __init__(self, *chunks: Chunk) -> None:
        self._chunks = chunks

    async def read(self, caller: Any, chunk_ids: Any) -> Any:
        return [chunk for chunk in self._chunks if chunk.chunk_id in chunk_ids]


class Ledger:
    """A ledger in which every caller may read these documents."""

    def __init__(self, *readable: str) -> None:
        self._readable = readable

    async def get(self, caller: Any, doc_id: str) -> None:
        if doc_id not in self._readable:
            raise NotFound("There is no such document.")


@pytest.fixture
async def store(tmp_path: Path, clock: HandClock) -> AsyncIterator[SqliteTurnStore]:
    database = open_store(tmp_path)
    yield SqliteTurnStore(database, clock)
    database.close()


async def again(store: SqliteTurnStore, turn: Turn = BEGUN, *, index: Any = None, ledger: Any = None) -> Turn:
    return await stored_turn(turn, turns=store, index=index or Index(CHUNK), ledger=ledger or Ledger("plan", "pay"))


@pytest.mark.parametrize(
    ("turn", "status"),
    [
        (ENDED, "done"),
        (make_turn(answer=Answer("The plan.", extractive=True), model_problem="It is down."), "done"),
        (make_turn(answer=Answer("Not here."), outcome="forbidden"), "done"),
        (make_turn(answer=Answer("I don't know.", extractive=True), outcome="refused", hits=(HIT,)), "done"),
        (make_turn(outcome="blocked"), "error"),
        (make_turn(partial="It takes", hits=(HIT,)), "error"),
    ],
)
def test_a_restored_turn_has_the_record_that_it_was_made_from(turn: Turn, status: Any) -> None:
    record = stored(turn, status, ms=1500)
    restored = restore(replace(turn, answer=None, outcome=None, trace=BEGUN.trace), record, {"plan|2|7": CHUNK})
    assert stored(restored, status, ms=1500) == record


async def test_passages_are_read_again_from_the_index(store: SqliteTurnStore) -> None:
    await store.save(stored(ENDED))
    restored = await again(store)
    assert restored.answer == ANSWER
    assert restored.evidence.hits == (HIT,)
    assert (restored.trace.usage, restored.trace.persisted, restored.evidence.vectors_pending) == (
        Usage(9, 4, estimated=True),
        True,
        True,
    )


async def test_a_passage_of_a_replaced_document_has_no_text_and_is_cited_as_it_was(store: SqliteTurnStore) -> None:
    slide = replace(CHUNK, metadata={"file_name": "plan.pptx"})
    hit = replace(HIT, chunk=slide)
    await store.save(stored(replace(ENDED, evidence=replace(ENDED.evidence, hits=(hit,)))))
    restored = await again(store, index=Index())
    (chunk,) = (hit.chunk for hit in restored.evidence.hits)
    assert (chunk.chunk_id, chunk.text, chunk.title, chunk.page, chunk.unit) == ("plan|2|7", "", "The plan", 3, "slide")
    assert (restored.answer.text, restored.answer.citations[0].hit.chunk) == ("Two years [1].", chunk)


@pytest.mark.parametrize("readable", [("plan",), ("pay",), ()])
async def test_a_turn_that_quotes_an_unreadable_document_is_withdrawn(store: SqliteTurnStore, readable: tuple[str, ...]) -> None:
    await store.save(stored(ENDED))
    restored = await again(store, index=Index(), ledger=Ledger(*readable))
    assert (restored.outcome, restored.evidence.hits, restored.trace.notes, restored.rewritten) == ("withdrawn", (), {}, ())
    assert (restored.answer.text, restored.answer.citations, restored.trace.suggested_questions) == ("", (), ())
    assert restored.conversation.quoted == (), "nor does it say what earlier answers quoted"
    assert [event async for event in replay(restored)] == [Done(restored)]


async def test_a_replayed_turn_sends_its_text_and_ends(store: SqliteTurnStore) -> None:
    await store.save(stored(ENDED))
    restored = await again(store)
    assert [event async for event in replay(restored)] == [Token("Two years [1]."), Done(restored)]


async def test_a_failed_turn_fails_again_after_the_text_sent(store: SqliteTurnStore) -> None:
    await store.save(stored(replace(BEGUN, trace=replace(BEGUN.trace, partial="It takes")), "error"))
    restored = await again(store)
    assert (restored.answer, restored.trace.partial) == (None, "It takes")
    (event,) = [event async for event in replay(restored)]
    assert isinstance(event, Failed)
    assert (event.turn, event.text) == (restored, "It takes")


@pytest.mark.parametrize("caller", [Caller("stranger"), Caller("local", sees_all=True), Caller("boss", role="admin")])
async def test_a_turn_of_another_user_is_not_found(store: SqliteTurnStore, caller: Caller) -> None:
    await store.save(stored(ENDED))
    with pytest.raises(NotFound):
        await again(store, replace(BEGUN, caller=caller))


async def test_a_turn_that_has_not_ended_is_not_found(store: SqliteTurnStore) -> None:
    await store.save(stored(BEGUN, "idle"))
    with pytest.raises(NotFound):
        await again(store)
    with pytest.raises(NotFound):
        await again(store, replace(BEGUN, trace_id="unknown", caller=ME))


def test_turns_of_early_versions_are_restored_and_counted() -> None:
    record: TurnRecord = stored(ENDED)
    for name in ("vectors_pending", "llm_address", "leans_on", "private"):
        del record[name]  # type: ignore[misc]
    del record["result"]["usage"]["models"]
    restored = restore(BEGUN, record, {"plan|2|7": CHUNK})
    assert (restored.answer, restored.conversation.quoted, restored.trace.usage) == (ANSWER, (), Usage(9, 4, estimated=True))
    assert (figures_of(record).llm, figures_of(record).cache_hit) == ("llama", False)
