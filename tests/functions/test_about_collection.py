"""Questions about a collection as a whole, with and without a language model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Request
from footnote_query.app import create_app
from footnote_query.dialects.trd.ask import HELD
from tests.fakes import FakeModel, FakeModels, work_all
from tests.functions.conftest import ASK, LOCAL, as_caller, read_events

NEEDS_MODEL = {
    "en": "A summary in other words needs a language model.",
    "de": "Eine Zusammenfassung in anderen Worten braucht ein Sprachmodell.",
    "ko": "다른 말로 요약하려면 언어 모델이 필요합니다.",
}
FILES = {
    "ferry.md": ("# Ferry\n\nThe ferry to the island takes 40 minutes. It sails at eight.", ["*"]),
    "wages.md": ("# Wages\n\nA secret keeper earns 900 crowns. He is paid in May.", ["board"]),
    "handbook.md": (
        "# Handbook\n\nVersion: 3 Approved by: The harbour office\n\n"
        "This handbook tells new keepers of their work. It begins with the lamp.",
        ["*"],
    ),
    "lamp.py": ("# The lamp's program turns at night.\nlamp = 1\n", ["*"]),
}
READER = Caller("ann", frozenset({"*"}))


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)))
    for name, (text, groups) in FILES.items():
        await made.ingestor.accept(LOCAL, text.encode(), file_name=name, collection="default", permission_groups=groups)
    await work_all(made)
    yield made
    await made.close()


async def ask(core: Core, question: str, caller: Caller = READER, **fields: Any) -> dict[str, Any]:
    transport = httpx.ASGITransport(as_caller(caller, create_app)(lambda: core))
    async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
        reply = await client.post("/ask", json=ASK | {"query_text": question, **fields})
    return dict(reply.json())


def names(reply: dict[str, Any]) -> list[str]:
    return [hit["doc_id"].rpartition("-")[0] for hit in reply["hits"]]


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("What are these documents about?", "en"),
        ("what can i ask", "en"),
        ("Worum geht es in den Dokumenten?", "de"),
        ("이 문서들은 무엇에 대한 것인가요?", "ko"),
    ],
)
async def test_some_documents_are_introduced_with_their_first_sentences(core: Core, question: str, lang: str) -> None:
    reply = await ask(core, question)
    assert reply["outcome"] == "answered"
    for part in ("This handbook tells new keepers of their work.", "The ferry to the island takes 40 minutes.", NEEDS_MODEL[lang]):
        assert part in reply["answer"]
    assert "secret" not in str(reply)
    assert "Version: 3" not in reply["answer"]
    assert names(reply) == ["handbook", "ferry", "lamp"]  # written for newcomers; the longest; code comes last


async def test_who_may_read_more_is_told_of_more(core: Core) -> None:
    assert "A secret keeper earns 900 crowns." in (await ask(core, "What is in here?", Caller("bob", frozenset({"*", "board"}))))["answer"]
    assert names(await ask(core, "What is in here?", Caller("eve", frozenset({"eve"})), permission_groups=["eve"])) == names(
        await ask(core, "What is in here?")
    )


async def test_where_nothing_can_be_read_there_is_no_overview(core: Core) -> None:
    reply = await ask(core, "What is in here?", index_name="empty")
    assert (reply["hits"], reply["outcome"] == "answered") == ([], False)


async def test_a_filter_holds(core: Core) -> None:
    request = Request("What is in here?", "default", filters={"file_name": ("ferry.md",)})
    turn = await core.answer.finish(core.new_turn(request, READER, HELD))
    assert {hit.chunk.title for hit in turn.evidence.hits} == {"Ferry"}


async def test_asked_again_it_is_answered_again_though_its_passages_are_cached(core: Core) -> None:
    transport = httpx.ASGITransport(as_caller(READER, create_app)(lambda: core))
    async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
        for room_id in ("r1", "r2"):
            body = {"query": "What are these documents about?", "room_id": room_id, "user_id": "ann"}
            reply = await client.post("/v2/rag/query", json=body)
            assert "The ferry to the island takes 40 minutes." in read_events(reply.text)[-1]["final_response"]


async def test_a_search_without_an_answer_searches(core: Core) -> None:
    turn = await core.retrieve.finish(core.new_turn(Request("What are these documents about?", "default"), READER, HELD))
    assert not turn.reading.scope.collection


async def test_a_question_about_something_is_searched_for(core: Core) -> None:
    reply = await ask(core, "How long does the ferry take?")
    assert "40 minutes" in reply["answer"]
    assert NEEDS_MODEL["en"] not in reply["answer"]


async def test_a_model_gets_the_passages_of_these_documents(core: Core) -> None:
    model = FakeModel([("The ferry to the island takes 40 minutes.",)])
    core.models = FakeModels(model)
    reply = await ask(core, "What are these documents about?")
    assert reply["answer"].startswith("The ferry to the island takes 40 minutes. [^ferry-")
    prompt = str(model.sent[-1].messages)
    assert all(part in prompt for part in ("tells new keepers", "takes 40 minutes"))
    assert "secret" not in prompt
