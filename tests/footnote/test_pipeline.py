"""The tables of a turn; what whole turns do is in tests/recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.pipeline import ANSWER, LOOK_UP, RETRIEVE
from footnote.ports import ChunkVectors
from footnote.steps import steps_of
from tests.deps import FakeDeps, finish
from tests.fakes import FakeEmbedder, make_document, put_document
from tests.turns import make_turn

BRIDGE = ["The bridge was built in 1894. It is painted blue.", "Ferries cross the river every hour."]
QUESTION = "When was the bridge built?"


async def test_both_lists_are_fused_and_a_hit_keeps_both_scores(tmp_path: Path) -> None:
    index, embedder = SqliteIndex(tmp_path), FakeEmbedder()
    await put_document(index, make_document("bridge", title="Records"), BRIDGE)
    await index.put_vectors(embedder.name, [ChunkVectors(f"bridge|1|{i}", embedder.vector(text)) for i, text in enumerate(BRIDGE)])
    turn = await finish(RETRIEVE, make_turn(QUESTION, retriever="cc"), FakeDeps(index=index, embedder=embedder))
    first, second = turn.evidence.hits
    assert (first.chunk.ordinal, second.chunk.ordinal, first.score) == (0, 1, pytest.approx(0.75))
    assert first.scores["cosine"] == pytest.approx(float(embedder.vector(QUESTION) @ embedder.vector(BRIDGE[0])), abs=1e-5)
    assert ("bm25" in first.scores, "bm25" in second.scores, embedder.embedded) == (True, False, [QUESTION])
    await index.close()


def test_no_step_is_cut_off_sooner_than_a_busy_machine_takes() -> None:
    """What takes milliseconds takes a second there."""
    limits = {step.name: step.timeout_s for step in steps_of((*ANSWER, *LOOK_UP)) if step.timeout_s is not None}
    assert {"open", "find_answer", "save"} < limits.keys()
    assert {name: seconds for name, seconds in limits.items() if seconds < 2} == {}
