"""Documents are found by their outlines and sections, and their passages are one more list."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.retrieve.documents import wants_documents_first
from footnote.settings import LLM, Embedding, Settings
from footnote.text.sentences import split_sentences
from footnote.types import Caller, ChunkLevel, OptionName, Profile, RankedList, Request, Turn
from tests.fakes import make_chunk, make_document
from tests.turns import make_turn

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
ALL = Caller("local", sees_all=True)
READER = Caller("bob", frozenset({"blue"}))
QUESTION = "Summarize the harbour report"
ON: Mapping[OptionName, bool] = {"documents_first": True}


async def put(core: Core, doc_id: str, passages: list[str], outline: str, groups: str = "blue", metadata: Any = None) -> None:
    document = make_document(doc_id, groups=[groups], title="", metadata=metadata or {})
    levels: list[tuple[ChunkLevel, str]] = [*((2, text) for text in passages), (0, outline)]
    chunks = [make_chunk(document, text, ordinal, level=level) for ordinal, (level, text) in enumerate(levels)]
    await core.generations.stage(document, chunks, [tuple(split_sentences(chunk.text, "en")) for chunk in chunks])
    await core.generations.activate(doc_id, 1)


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    """A report whose passages do not contain the question's words, a note that does, and a report for others."""
    made = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    await put(made, "report", ["Ships pay ten euros.", "Cranes rest on Sunday."], "Harbour report\nFees\nCranes", metadata={"year": "2025"})
    await put(made, "note", ["Somebody lost the harbour report.", "It rained."], "A note about a walk")
    await put(made, "secret", ["Gold is in the cellar.", "So is silver."], "Harbour report\nHarbour report", groups="red")
    yield made
    await made.close()


async def search(core: Core, options: Mapping[OptionName, bool] = ON, caller: Caller = READER, **changes: Any) -> Turn:
    return await core.retrieve.finish(core.new_turn(Request(QUESTION, "default", options=options, **changes), caller, PROFILE))


def found(turn: Turn) -> list[str]:
    return [hit.chunk.chunk_id for hit in turn.evidence.hits]


def listed(turn: Turn) -> list[RankedList]:
    return [each for each in turn.evidence.lists if each.source == "documents_first"]


async def test_passages_of_a_document_are_found_by_its_outline(core: Core) -> None:
    assert found(await search(core, {})) == ["note|1|0"]
    turn = await search(core)
    assert found(turn) == ["note|1|0", "report|1|0", "report|1|1"]
    assert turn.evidence.hits[1].scores == {"documents_first": 1.0}
    assert not turn.trace.degraded


async def test_documents_that_the_caller_may_not_read_take_no_rank(core: Core) -> None:
    (everything,), (readable,) = listed(await search(core, caller=ALL)), listed(await search(core))
    assert [entry.chunk_id for entry in everything.items][:2] == ["secret|1|0", "secret|1|1"]
    assert [entry.chunk_id for entry in readable.items] == ["report|1|0", "report|1|1"]


async def test_filters_of_the_request_hold(core: Core) -> None:
    assert found(await search(core, filters={"year": ("2024",)})) == []
    assert found(await search(core, filters={"year": ("2025",)})) == ["report|1|0", "report|1|1"]


async def test_the_list_has_half_the_weight_of_another_one(core: Core) -> None:
    turn = await search(core, {**ON, "refine": False})
    scores = {hit.chunk.chunk_id: round(hit.score, 3) for hit in turn.evidence.hits}
    assert scores == {"note|1|0": 1.0, "report|1|0": 0.15, "report|1|1": 0.145}


@pytest.mark.parametrize("changes", [{"retriever": "bm25"}, {"retriever": "knn"}, {"levels": (0, 1)}])
def test_a_search_by_one_list_or_without_passages_searches_no_documents(changes: Any) -> None:
    assert not wants_documents_first(make_turn(**changes))
    assert wants_documents_first(make_turn())


@pytest.mark.parametrize("question", ["Summarize the harbour report", "Fasse den Hafenbericht zusammen", "항구 보고서를 요약해 주세요"])
async def test_a_summary_is_searched_documents_first_at_level_standard(core: Core, question: str) -> None:
    turn = await core.answer.finish(core.new_turn(Request(question, "default"), READER, PROFILE))
    assert turn.plan.choices["documents_first"].because == "strategy HIERARCHICAL: a summary"
    assert turn.plan.wants("documents_first")


async def test_a_fact_is_not(core: Core) -> None:
    turn = await core.answer.finish(core.new_turn(Request("How much does a ship pay in the harbour?", "default"), READER, PROFILE))
    assert not turn.plan.wants("documents_first")
    assert listed(turn) == []
