"""Codes among look-alikes: order numbers, versions, standards, errors, rooms and addresses are found and answered by words alone.

The sets lie beside this file in BEIR's format. Many codes have the same parts as others, in another order.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.bootstrap import backends
from footnote.learn.golden import load_golden
from footnote.settings import LLM, Settings
from footnote.text.codes import codes_in
from footnote_local.evaluate import build_index, evaluate
from tests.quality.vectors import HERE, say_nothing

CERTAIN = {"en": 0.9, "de": 0.9, "ko": 0.3}
"""The least share of the questions that get a certain answer; an end of a Korean word counts as a word that is missing."""


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
async def test_a_code_is_found_before_its_look_alikes(lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "default_embedder", lambda _: None)
    golden = load_golden(HERE / f"codes_{lang}")
    core, _ = await build_index(golden, Settings(llm=LLM(discover=False)), tmp_path, say_nothing)
    report = await evaluate(core, golden, retriever="bm25", answers=True, foreign=None, progress=say_nothing)
    await core.close()
    assert (report["ndcg@10"], report["answer_shown"]) == (1.0, 1.0)
    assert float(str(report["answered_right"])) >= CERTAIN[lang]
    assert report["unanswerable_first_tier"] == 0.0


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_the_codes_of_a_question_tell_whether_a_document_has_them(lang: str) -> None:
    golden = load_golden(HERE / f"codes_{lang}")
    held = {document.doc_id: codes_in(document.text) for document in golden.documents}
    having = {query.text: {doc_id for doc_id, codes in held.items() if codes_in(query.text) <= codes} for query in golden.queries}
    assert having == {query.text: set(query.relevance) for query in golden.queries}
    assert [query.text for query in golden.unanswerable if any(codes_in(query.text) <= codes for codes in held.values())] == []
