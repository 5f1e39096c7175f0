"""The passage that defines something comes first where that is the question."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Profile, Request
from tests.fakes import make_document, put_document

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
QUESTION = "What does ATO mean?"
USES = [f"It {what} an ATO. Each has the ATO of a tool." for what in ("means", "what", "mean", "does")]
MEANS = "Before it goes live, every tool that people outside of the office may use is granted an Authority to Operate (ATO) by the chief."


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    """Four documents that use an abbreviation often, and one that says what it means, for the staff only."""
    made = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    for number, text in enumerate(USES):
        await put_document(made.index, make_document(f"uses-{number}", groups=("all",), metadata={"team": "tools"}), [text])
    await put_document(made.index, make_document("means", groups=("staff",)), [MEANS])
    yield made
    await made.close()


async def first(core: Core, question: str, *groups: str, **options: Any) -> str:
    turn = core.new_turn(Request(question, "default", limit=3, **options), Caller("kim", frozenset(("all", *groups))), PROFILE)
    found = (await core.retrieve.finish(turn)).evidence.hits
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    return found[0].chunk.doc_id


async def test_a_question_for_its_meaning_finds_what_spells_it_out(core: Core) -> None:
    assert await first(core, QUESTION, "staff") == "means"
    assert await first(core, "Which tools have the ATO?", "staff") != "means"  # it asks for something else


async def test_a_question_what_something_is_finds_what_defines_it(core: Core) -> None:
    for number in range(4):
        await put_document(core.index, make_document(f"portlet-{number}"), ["What is there is a portlet. Nobody asks what the portlet is."])
    await put_document(core.index, make_document("glossary"), ["Of all that a page may show, this counts too. A portlet is a part of it."])
    assert await first(core, "What is a portlet?", "staff") == "glossary"
    assert await first(core, "Which portlet is a portlet?", "staff") != "glossary"


async def test_only_passages_that_the_caller_may_read_count(core: Core) -> None:
    assert await first(core, QUESTION) != "means"


@pytest.mark.parametrize("options", [{"retriever": "bm25"}, {"filters": {"team": ("tools",)}}])
async def test_the_order_and_the_conditions_that_were_asked_for_stay(core: Core, options: dict[str, Any]) -> None:
    assert await first(core, QUESTION, "staff", **options) != "means"
