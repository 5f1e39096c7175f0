"""`RAG__LEAST_SCORE`: what is too far from the question is not found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Rag, Settings
from footnote.types import Caller, Profile, Request
from tests.fakes import make_document, put_document

LOCAL = Caller("local", sees_all=True)
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")


@pytest.mark.parametrize(("least", "expected"), [({}, 2), ({"least_score": 0.9}, 1)])
async def test_a_passage_below_it_is_no_hit(least: dict[str, Any], expected: int, tmp_path: Path) -> None:
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), rag=Rag(**least)))
    await put_document(core.generations, make_document("bridge"), ["The bridge was built in 1894.", "A bridge is blue."])
    request = Request("When was the bridge built?", retriever="bm25")
    turn = await core.retrieve.finish(core.new_turn(request, LOCAL, PROFILE))
    assert len(turn.evidence.hits) == expected
    await core.close()


def test_cached_results_are_not_reused_after_a_change() -> None:
    assert Settings().fingerprints != Settings(rag=Rag(least_score=0.9)).fingerprints
