"""Words of the field find what the question's own words do not, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Profile, Request
from tests.fakes import FakeModel, FakeModels, make_document, put_document

LOCAL = Caller("local", sees_all=True)
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")


async def test_a_passage_that_shares_words_with_the_terms_alone_is_cited(tmp_path: Path) -> None:
    model = FakeModel([["masons viaduct completed"], ["Masons completed it in 1894 [1]."]])
    settings = Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False))
    core = Core(settings, models=FakeModels(model))
    await put_document(core.generations, make_document("records"), ["Masons completed the viaduct in 1894."])
    request = Request("How old is that bridge?", options={"terms": True})
    turn = await core.answer.finish(core.new_turn(request, LOCAL, PROFILE))
    assert [(query.kind, query.text) for query in turn.queries] == [
        ("original", "How old is that bridge?"), ("paraphrase", "masons viaduct completed"),
    ]  # fmt: skip
    assert turn.asked == "How old is that bridge?"
    assert turn.answer is not None
    assert [citation.hit.chunk.doc_id for citation in turn.answer.citations] == ["records"]
    assert [span.status for span in turn.trace.spans if span.name == "terms"] == ["ok"]
    await core.close()


async def test_without_being_wanted_it_does_not_run(tmp_path: Path) -> None:
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False)), models=FakeModels(FakeModel([["It was built in 1894 [1]."]])))
    await put_document(core.generations, make_document("bridge"), ["The bridge was built in 1894."])
    turn = await core.answer.finish(core.new_turn(Request("When was the bridge built?"), LOCAL, PROFILE))
    assert "terms" not in {span.name for span in turn.trace.spans}
    await core.close()
