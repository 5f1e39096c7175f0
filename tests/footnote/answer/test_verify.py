"""Passages of little relevance are dropped before an answer is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.answer.verify import verify_passages
from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.settings import LLM, Embedding, Rag, Settings
from footnote.types import Profile, Request
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeModel, FakeModels, make_document, make_hit, put_document
from tests.turns import make_turn

QUESTION = "When was the harbour bridge built?"
TEXTS = {"bridge": "The harbour bridge was built in 1894.", "soup": "Soup is served at noon in the hall."}
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")


@pytest.mark.parametrize(("threshold", "kept"), [(0.0, ["bridge", "soup"]), (0.4, ["bridge"]), (1.0, [])])
async def test_a_passage_below_the_threshold_is_dropped(threshold: float, kept: list[str], tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path)
    hits = []
    for doc_id, text in TEXTS.items():
        await put_document(index, make_document(doc_id), [text])
        hits.append(make_hit(text, doc_id))
    turn = make_turn(QUESTION, hits=tuple(hits))
    turn = await call_step(verify_passages, turn, FakeDeps(index=index, rag=Rag(similarity_threshold=threshold)))
    assert [hit.chunk.doc_id for hit in turn.evidence.hits] == kept
    assert all(threshold <= hit.scores["relevance"] <= 1 for hit in turn.evidence.hits)
    await index.close()


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
        await put_document(core.index, make_document(doc_id), [text])
    request = Request("When was the harbour bridge built in the hall?", options={"verify_passages": True})
    turn = await core.answer.finish(core.new_turn(request, LOCAL, PROFILE))
    assert [hit.chunk.doc_id for hit in turn.evidence.hits] == ["bridge"]
    assert "Soup" not in model.sent[0].messages[0].content
    request = Request("Is zirconium in the hall radioactive?", options={"verify_passages": True})
    assert (await core.answer.finish(core.new_turn(request, LOCAL, PROFILE))).outcome == "no_hits"
    await core.close()
