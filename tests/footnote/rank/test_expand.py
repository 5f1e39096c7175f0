"""Further passages of the best documents are read through the permission gate, for a model alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.rank.expand import expand_documents, may_be_expanded
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Condition, Conditions, Evidence, Expansion, Hit, Request, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeModel, FakeModels, make_chunk, make_document, make_hit, put_document
from tests.turns import HELD, make_turn, with_

STAFF = Caller("me", frozenset({"staff"}))


async def expanded(core: Core, hits: tuple[Hit, ...], caller: Caller = STAFF, **changes: Any) -> list[str]:
    """The ids of what is added to these hits."""
    turn = make_turn(hits=hits)
    turn = replace(turn, caller=caller, request=replace(turn.request, expansion=Expansion(**changes)))
    turn = await call_step(expand_documents, turn, FakeDeps(index=core.index))
    assert turn.evidence.hits == hits
    assert {hit.score for hit in turn.evidence.added} <= {0.0}
    return [hit.chunk.chunk_id for hit in turn.evidence.added]


@pytest.fixture
async def core(tmp_path: Path) -> Any:
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    for name in ("plan", "house", "boat", "tree"):
        await put_document(core.generations, make_document(name), [f"{name} {number}" for number in range(60)])
    yield core
    await core.close()


async def test_the_nearest_passages_of_the_best_three_documents_are_added(core: Core) -> None:
    hits = tuple(make_hit("x", name, 30, score=score) for name, score in (("plan", 0.9), ("house", 0.8), ("boat", 0.7), ("tree", 0.6)))
    added = await expanded(core, hits)
    assert {chunk_id.split("|")[0] for chunk_id in added} == {"plan", "house", "boat"}
    assert sorted(int(chunk_id.rpartition("|")[2]) for chunk_id in added[:20]) == [*range(20, 30), *range(31, 41)]
    assert len(added) == 60


async def test_a_request_says_how_much_is_added_and_from_which_score_on(core: Core) -> None:
    hits = make_hit("x", "plan", 0, score=0.29), make_hit("x", "house", 59, score=0.3)
    assert await expanded(core, hits, chunks=2) == ["house|1|58", "house|1|57"]
    assert await expanded(core, hits, chunks=1, least_score=0.1) == ["plan|1|1", "house|1|58"]
    assert await expanded(core, hits, chunks=1, least_score=0.1, documents=1) == ["plan|1|1"]
    assert await expanded(core, hits, least_score=0.5) == []


async def test_passages_of_other_systems_take_no_documents_place(core: Core) -> None:
    """The index holds nothing that is around them."""
    outside = [make_hit("x", f"page{at}", score=0.9) for at in range(3)]
    outside = [replace(hit, chunk=replace(hit.chunk, chunk_id=f"kdb|{hit.chunk.doc_id}")) for hit in outside]
    assert await expanded(core, (*outside, make_hit("x", "plan", 0, score=0.5)), chunks=1) == ["plan|1|1"]


async def test_hits_are_not_added_again(core: Core) -> None:
    hits = make_hit("x", "plan", 0), make_hit("x", "plan", 1)
    assert await expanded(core, hits, chunks=2) == ["plan|1|2", "plan|1|3"]


async def test_outlines_and_openings_are_not_added(core: Core) -> None:
    document = make_document("deep")
    chunks = [make_chunk(document, f"t{at}", at, level=2 if at < 3 else 0) for at in range(5)]
    await core.generations.stage(document, chunks, [((0, 2),)] * 5)
    await core.generations.activate("deep", 1)
    assert await expanded(core, (make_hit("t0", "deep", 0),)) == ["deep|1|1", "deep|1|2"]


async def test_excluded_passages_are_not_added_for_the_model(core: Core) -> None:
    """Rows of one file have values of their own."""
    table = make_document("table")
    rows = [make_chunk(table, f"row {at}", at, metadata={"site": "Oslo" if at % 2 else "Bergen"}) for at in range(6)]
    await core.generations.stage(table, rows, [((0, 5),)] * 6)
    await core.generations.activate("table", 1)
    turn = make_turn(hits=(make_hit("row 1", "table", 1),), conditions=Conditions((Condition("site", "is", ("Oslo",)),)))
    turn = await call_step(expand_documents, replace(turn, caller=STAFF), FakeDeps(index=core.index))
    assert [hit.chunk.text for hit in turn.evidence.added] == ["row 3", "row 5"]


async def test_nothing_is_added_that_the_caller_may_not_read_now(core: Core) -> None:
    hits = (make_hit("x", "plan", 3),)
    assert await expanded(core, hits, Caller("guest", frozenset({"guests"}))) == []
    await core.generations.remove("plan", 1)
    assert await expanded(core, hits) == []


@pytest.mark.parametrize(("model", "found", "expected"), [("m", True, True), (None, True, False), ("m", False, False)])
def test_documents_are_expanded_for_a_model_only(model: str | None, found: bool, expected: bool) -> None:
    turn: Turn = replace(make_turn(), plan=replace(make_turn().plan, model=model))
    assert may_be_expanded(replace(turn, evidence=Evidence(hits=(make_hit("x"),) if found else ()))) is expected


async def test_the_model_reads_them_after_the_hits_if_that_is_asked_for(tmp_path: Path) -> None:
    models = FakeModels(FakeModel([["It was built in 1894 [1]."]]))
    core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False)), models=models)
    texts = ["The bridge was built.", "It has nine arches.", "The toll is two euros."]
    await put_document(core.generations, make_document("plan", groups=["*"]), texts)
    request = Request("When was the bridge built?", "default", limit=1, options={"expand_documents": True})
    turn = await core.answer.finish(core.new_turn(request, Caller("local", sees_all=True), HELD))
    said = turn.messages[-1].content
    assert [said.find(text) > 0 for text in texts] == [True, True, True]
    assert [hit.chunk.ordinal for hit in turn.evidence.hits] == [0]
    assert with_(turn).evidence.added[0].chunk.text in texts[1:]
    await core.close()
