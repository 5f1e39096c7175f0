"""What kind of question it is, its route and its filters depend on nothing that the caller may not read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Chunk, Profile, Request
from tests.fakes import make_document, put_document

EVE = Caller("eve", frozenset({"blue"}))
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
QUESTIONS = (
    "Which contracts since 2024 name the bridge?",
    "Compare the contracts of Anna and Bert",
    "Warum steht die Brücke in den Verträgen vom März?",
    "2024년 이후 계약서의 다리는 무엇인가요?",
)


async def told(folder: Path, *, secrets: bool) -> list[Any]:
    """All that a caller can see of the plan, the notes and the hits, with or without documents of others in the collection."""
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False)), clock=lambda: 1_779_235_200.0)
    await put_document(core.generations, make_document("open", groups=["blue"]), ["The contract names the bridge."])
    for number in range(20 if secrets else 0):
        secret = make_document(f"secret-{number}", groups=["red"], metadata={"created_time": "2025-03-01"})
        await put_document(core.generations, secret, ["The contract of Anna names the bridge."])
    try:
        seen = []
        for question in QUESTIONS:
            request = Request(question, "default", options={"question_filters": True})
            turn = await core.answer.finish(core.new_turn(request, EVE, PROFILE, trace_id="t"))
            notes = {name: turn.trace.notes.get(name) for name in ("classification", "question_filter")}
            hits = [hit.chunk.doc_id for hit in turn.evidence.hits]
            seen.append((turn.reading.classification, turn.plan.strategy, turn.plan.strategy_because, notes, hits))
        return seen
    finally:
        await core.close()


async def test_documents_of_others_change_neither_kind_nor_route_nor_filter(tmp_path: Path) -> None:
    assert await told(tmp_path / "with", secrets=True) == await told(tmp_path / "without", secrets=False)


async def test_the_test_notices_a_sample_without_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = SqliteIndex.sample

    async def sample_all(self: SqliteIndex, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        return await sample(self, Caller("any", sees_all=True), collection, limit)

    monkeypatch.setattr(SqliteIndex, "sample", sample_all)
    assert await told(tmp_path / "with", secrets=True) != await told(tmp_path / "without", secrets=False)
