"""Passages of little relevance are dropped before an answer is written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.answer.verify_passages import verify_passages
from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.settings import LLM, Embedding, Rag, Settings
from footnote.types import Profile, Request, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeModel, FakeModels, make_document, make_hit, put_document
from tests.turns import make_turn

QUESTION = "When was the harbour bridge built?"
TEXTS = {"bridge": "The harbour bridge was built in 1894.", "soup": "Soup is served at noon in the hall."}
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")


@asynccontextmanager
async def found(folder: Path, *doc_ids: str, **changes: Any) -> AsyncIterator[tuple[SqliteIndex, Turn]]:
    """A turn with a passage of each document, in this order."""
    index = SqliteIndex(folder)
    for doc_id in doc_ids:
        await put_document(index, make_document(doc_id), [TEXTS[doc_id.rstrip("0123456789")]])
    hits = tuple(make_hit(TEXTS[doc_id.rstrip("0123456789")], doc_id) for doc_id in doc_ids)
    yield index, make_turn(QUESTION, hits=hits, **changes)
    await index.close()


def left(turn: Turn) -> list[str]:
    return [hit.chunk.doc_id for hit in turn.evidence.hits]


@pytest.mark.parametrize(
    ("threshold", "kept"),
    [
        (0.0, ["soup1", "soup2", "soup3", "soup4", "soup5", "soup6", "bridge"]),
        (0.4, ["soup1", "soup2", "soup3", "soup4", "soup5", "bridge"]),
        (1.0, ["soup1", "soup2", "soup3", "soup4", "soup5"]),
    ],
)
async def test_a_passage_below_the_threshold_is_dropped_unless_among_the_best_five(
    threshold: float, kept: list[str], tmp_path: Path
) -> None:
    async with found(tmp_path, *(f"soup{at}" for at in range(1, 7)), "bridge") as (index, turn):
        turn = await call_step(verify_passages, turn, FakeDeps(index=index, rag=Rag(similarity_threshold=threshold)))
    assert left(turn) == kept
    relevance = {hit.chunk.doc_id: hit.scores["relevance"] for hit in turn.evidence.hits}
    assert all(0 <= relevance[doc_id] <= 1 for doc_id in kept)
    assert relevance["soup1"] == relevance["soup5"] < relevance.get("bridge", 1.0)


@pytest.mark.parametrize(("threshold", "kept"), [(0.0, ["bridge", "soup"]), (0.4, ["bridge"]), (1.0, [])])
async def test_a_threshold_of_the_request_is_kept_by_all_passages(threshold: float, kept: list[str], tmp_path: Path) -> None:
    async with found(tmp_path, "bridge", "soup", threshold=threshold) as (index, turn):
        turn = await call_step(verify_passages, turn, FakeDeps(index=index, rag=Rag(similarity_threshold=0.5)))
    assert left(turn) == kept
    assert all(threshold <= hit.scores["relevance"] <= 1 for hit in turn.evidence.hits)


async def test_passages_of_other_systems_are_kept(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path)
    hit = make_hit("Soup is served at noon.")
    outside = replace(hit, chunk=replace(hit.chunk, chunk_id="mcp|1"))
    turn = await call_step(verify_passages, make_turn(QUESTION, hits=(outside,)), FakeDeps(index=index, rag=Rag(similarity_threshold=1.0)))
    assert turn.evidence.hits == (outside,)
    await index.close()


async def test_an_answer_is_written_from_what_is_left_and_nothing_is_said_where_nothing_is(tmp_path: Path) -> None:
    model = FakeModel([["It was built in 1894 [1]."]])
    settings = Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False))
    core = Core(settings, models=FakeModels(model))
    for doc_id, text in TEXTS.items():
        await put_document(core.generations, make_document(doc_id), [text])
    verified: Any = {"options": {"verify_passages": True}, "threshold": 0.7}
    turn = await core.answer.finish(core.new_turn(Request("When was the harbour bridge built in the hall?", **verified), LOCAL, PROFILE))
    assert left(turn) == ["bridge"]
    assert "Soup" not in model.sent[0].messages[-1].content
    turn = await core.answer.finish(core.new_turn(Request("Is zirconium in the hall radioactive?", **verified), LOCAL, PROFILE))
    assert turn.outcome == "no_hits"
    await core.close()


async def test_without_a_model_the_tiers_say_that_those_that_stay_do_not_answer(tmp_path: Path) -> None:
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    for doc_id, text in TEXTS.items():
        await put_document(core.generations, make_document(doc_id), [text])
    request = Request("Is zirconium in the hall radioactive?", options={"verify_passages": True})
    turn = await core.answer.finish(core.new_turn(request, LOCAL, PROFILE))
    assert (left(turn), turn.outcome) == (["soup"], "refused")
    await core.close()
