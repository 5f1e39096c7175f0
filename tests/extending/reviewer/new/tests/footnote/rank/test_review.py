"""A reviewer sees more passages than are asked for, and its best ones are the hits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote.settings.review import Review
from footnote.types import Caller, Profile, Request
from tests.fakes import make_document, put_document

LOCAL = Caller("local", sees_all=True)
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")


@pytest.mark.parametrize(("configured", "expected"), [({}, ["b"]), ({"engine": "words"}, ["a"])])
async def test_the_first_passage_is_the_one_that_it_scores_best(configured: Any, expected: list[str], tmp_path: Path) -> None:
    settings = Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False), review=Review(**configured))
    core = Core(settings)
    await put_document(core.generations, make_document("a"), ["A bridge, which took nine long years and very many masons, was built."])
    await put_document(core.generations, make_document("b"), ["Bridge, bridge, bridge."])
    for number in range(8):
        await put_document(core.generations, make_document(f"house{number}"), ["The house was built of stone."])
    turn = await core.retrieve.finish(core.new_turn(Request("bridge built", retriever="bm25", limit=1), LOCAL, PROFILE))
    assert [hit.chunk.doc_id for hit in turn.evidence.hits] == expected
    assert [span.status for span in turn.trace.spans if span.name == "review"] == ["ok"] * len(configured)
    await core.close()
