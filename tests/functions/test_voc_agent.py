"""The agent asks customers' voices: the tool is offered where there are some, keeps permissions and checks, and voices are cited."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import ModelUnavailable
from footnote.ports import Clock, Delta
from footnote.settings import LLM, Embedding, Rag, Settings
from footnote.types import Answer, Caller, CollectionSettings, Request, ToolCall, Turn
from tests.fakes import FakeModel, FakeModels, Piece, work_all
from tests.functions.conftest import LOCAL
from tests.turns import LIVE

QUESTION = "What do customers complain about most since March?"
ROWS = [f"2026-03-{n:02},web,1,The delivery of my lamp came {n} days late." for n in range(1, 9)]
ROWS += [f"2026-02-{n:02},mail,5,The lamp number {n} is bright and warm." for n in range(1, 9)]


@pytest.fixture
async def core(tmp_path: Path, clock: Clock) -> AsyncIterator[Core]:
    rag = Rag(forbidden_check_mode="qdrant")
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), rag=rag)
    made = Core(settings, clock=clock)
    await made.collections.create("reviews", CollectionSettings("voices"), title="", description="", by="me")
    await add(made, "reviews.csv", ROWS, ["staff"])
    yield made
    await made.close()


async def add(core: Core, name: str, rows: list[str], groups: list[str]) -> None:
    data = "\n".join(["Date,Channel,Rating,Review", *rows]).encode()
    await core.ingestor.accept(LOCAL, data, file_name=name, collection="reviews", permission_groups=groups)
    await work_all(core)


async def ask(core: Core, caller: Caller, *replies: list[Piece], question: str = QUESTION) -> tuple[Turn, FakeModel]:
    model = FakeModel(list(replies))
    core.models = FakeModels(model)
    return await core.answer.finish(core.new_turn(Request(question, "default", mode="pa"), caller, LIVE)), model


def wish(**arguments: Any) -> list[Piece]:
    return [Delta(tool_calls=(ToolCall("c1", "search_voices", json.dumps(arguments)),))]


STAFF = Caller("kim", frozenset({"staff"}))


async def test_the_agent_gets_counts_themes_and_voices_and_cites_them(core: Core) -> None:
    complaint = wish(query="complaints", since="2026-03-01", rating_to=2)
    turn, model = await ask(core, STAFF, complaint, ["Late delivery, 8 times [1]."])
    offered = [tool.name for tool in model.sent[0].options["tools"]]
    assert offered == ["search_documents", "search_voices"]
    assert "search_voices" in model.sent[0].messages[0].content
    told = model.sent[1].messages[-1].content
    assert "Voices that were chosen: 8, mean rating 1 of 5." in told
    assert re.search(r"Theme “[^”]*delivery[^”]*”: \d voices, mean rating 1 of 5, \d in the latest period and 0 in the one before", told)
    assert 'date="2026-03-' in told
    assert 'rating="1.0" channel="web">\nThe delivery of my lamp came' in told
    assert "bright" not in told
    assert isinstance(turn.answer, Answer)
    (cited,) = turn.answer.citations
    assert turn.evidence.hits[cited.number - 1].chunk.metadata["rating"] == 1.0


async def test_the_tool_is_there_only_for_who_may_read_voices(core: Core) -> None:
    turn, model = await ask(core, Caller("ann"), wish(query="complaints"), ["I don't know."])
    assert [tool.name for tool in model.sent[0].options["tools"]] == ["search_documents"]
    assert "search_voices" not in model.sent[0].messages[0].content
    assert "There is no such tool" in model.sent[1].messages[-1].content
    await add(
        core, "open.csv", ["2026-03-01,web,2,The box was broken.", "2026-03-02,web,2,A broken box.", "2026-03-03,web,1,Box broken!"], ["*"]
    )
    turn, model = await ask(core, Caller("ann"), wish(query="complaints"), ["Boxes [1]."])
    told = model.sent[1].messages[-1].content
    assert "Voices that were chosen: 3, mean rating 1.67 of 5." in told
    assert "delivery" not in told
    assert {hit.chunk.metadata["channel"] for hit in turn.evidence.hits} == {"web"}


@pytest.mark.parametrize("collection", ["reviews", "default"])
async def test_the_filter_of_the_conversation_is_kept(core: Core, collection: str) -> None:
    told = []
    for channel in ("mail", "phone"):
        model = FakeModel([wish(query="the lamp"), ["So [1]."]])
        core.models = FakeModels(model)
        asked = Request("What do customers say?", collection, mode="pa", filters={"channel": (channel,)})
        await core.answer.finish(core.new_turn(asked, STAFF, LIVE))
        told.append(model.sent[1].messages[-1].content)
    assert "is bright and warm" in told[0]
    assert not [word for word in ("delivery", "Theme “", "Voices that were chosen") if word in told[0] + told[1]]
    assert "bright" not in told[1]


async def test_a_model_without_tools_is_given_documents_and_voices(core: Core) -> None:
    turn, model = await ask(core, STAFF, [ModelUnavailable("no tools")], ["Late delivery [1]."])
    assert "Theme “" in model.sent[1].messages[-1].content
    called = {span.name for span in turn.trace.spans if span.name.startswith("tool:")}  # at the same time, so in any order
    assert called == {"tool:search_documents", "tool:search_voices"}


async def test_forbidden_questions_are_not_searched_for(core: Core) -> None:
    await core.terms.save(LOCAL, "lamp")
    turn, model = await ask(core, STAFF, wish(query="the lamp"), ["I may not say."])
    assert "This may not be searched for." in model.sent[1].messages[-1].content
    assert turn.evidence.hits == ()


@pytest.mark.parametrize("wrong", [{"since": "March"}, {"until": "9999-12-31"}, {"since": "0001-01-01"}, {"until": "3000-01-01"}])
async def test_invalid_arguments_are_told_to_the_model(core: Core, wrong: dict[str, str]) -> None:
    _, model = await ask(core, STAFF, wish(query="x", **wrong), ["Sorry."])
    assert "The arguments cannot be used" in model.sent[1].messages[-1].content
