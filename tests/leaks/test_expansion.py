"""Derived queries tell a user nothing of documents that they may not read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, OptionName, Profile, Request, Turn
from tests.fakes import FakeModels, SameModel, make_document, put_document

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
READER = Caller("bob", frozenset({"blue"}))
WORDS = "heat transfer laminar boundary layer flat plate"
CANARY = "zqcanary"
EXPANDED: tuple[OptionName, ...] = ("paraphrases", "step_back", "feedback_query")


async def ask(folder: Path, *, hidden: bool, caller: Caller = READER) -> tuple[Turn, SameModel]:
    """The turn of a list of keywords, with all derived queries, where the best passages are hidden from the reader, or do not exist."""
    model = SameModel('{"queries": ["plate in a stream"], "query": "boundary layers", "text": "Heat moves."}')
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False)), models=FakeModels(model))
    await put_document(core.generations, make_document("open", groups=("blue",)), [f"{WORDS} nusselt", "prandtl of a plate"])
    if hidden:
        for number in range(6):
            await put_document(core.generations, make_document(f"closed{number}", groups=("red",)), [f"{WORDS} {CANARY} {WORDS}"])
    turn = await core.answer.finish(core.new_turn(Request(WORDS, options=dict.fromkeys(EXPANDED, True)), caller, PROFILE))
    await core.close()
    return turn, model


@pytest.mark.parametrize("caller", [READER, replace(READER, groups=frozenset({"blue", "green"}))], ids=["a reader", "of two groups"])
async def test_queries_and_hits_are_the_same_whether_or_not_hidden_documents_exist(tmp_path: Path, caller: Caller) -> None:
    (with_them, _), (without, _) = [await ask(tmp_path / str(hidden), hidden=hidden, caller=caller) for hidden in (True, False)]
    assert [query.kind for query in with_them.queries] == ["original", "paraphrase", "step_back", "feedback"]
    assert "nusselt" in with_them.queries[-1].text
    assert [set(query.text.split()) for query in with_them.queries] == [set(query.text.split()) for query in without.queries]
    assert {hit.chunk.chunk_id for hit in with_them.evidence.hits} == {hit.chunk.chunk_id for hit in without.evidence.hits}


async def test_who_may_read_them_gets_their_words(tmp_path: Path) -> None:
    turn, _ = await ask(tmp_path, hidden=True, caller=LOCAL)
    assert CANARY in turn.queries[-1].text
