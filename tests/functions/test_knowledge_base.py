"""`/v2/rag/query` and `/v2/pa/query` with another system's search service, on a loopback socket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.answer.messages import message
from footnote.bootstrap import Core
from footnote.ports import Clock, Delta
from footnote.settings import KDB, LLM, Embedding, Settings
from footnote.types import Caller, ToolCall
from footnote_query.app import create_app
from tests.fakes import FakeModel, FakeModels, make_document, put_document
from tests.functions.conftest import BRIDGE, LOCAL, QUESTION, as_caller, read_events
from tests.openai_server import Reply, Server, serving

PATH = "/api/v1/document/search_rerank"
FOUND = json.dumps(
    [{"p_id": "law-7", "context": "The bridge was built in 1895.", "score": 0.85, "metadatas": {"file_name": "law.pdf", "class": "Law"}}]
)
ANN = Caller("ann", frozenset({"law"}))


@asynccontextmanager
async def asking(
    folder: Path, clock: Clock, reply: Reply, *, caller: Caller = LOCAL, model: FakeModel | None = None
) -> AsyncIterator[tuple[httpx.AsyncClient, Server]]:
    async with serving() as server:
        server.replies[PATH] = reply
        kdb = KDB(url=server.url, groups=["law"])
        settings = Settings(footnote_data=folder, embedding=Embedding(builtin=False), llm=LLM(discover=False), kdb=kdb)
        core = Core(settings, clock=clock, models=FakeModels(model))
        await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE, page=3)
        transport = httpx.ASGITransport(as_caller(caller, create_app)(lambda: core))
        try:
            async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
                yield client, server
        finally:
            await core.close()


def says() -> FakeModel:
    return FakeModel([["As it says.\nSOURCES_USED: 1"]])


async def ask(client: httpx.AsyncClient, **changes: Any) -> list[dict[str, Any]]:
    reply = await client.post("/v2/rag/query", json={"query": QUESTION, "room_id": "r", "collection_name": "default"} | changes)
    assert reply.status_code == 200, reply.text
    return read_events(reply.text)


async def test_passages_of_the_knowledge_base_are_answered_from_and_cited(tmp_path: Path, clock: Clock) -> None:
    async with asking(tmp_path, clock, Reply(200, (FOUND,)), caller=ANN, model=says()) as (client, server):
        events = await ask(client, metadata_filter_key="class", metadata_filter_values=["Law"], top_k=7, use_paragraph=True)
        (room,) = (await client.get("/conversations")).json()["data"]
        (turn,) = (await client.get(f"/conversations/{room['room_id']}")).json()["data"]
    ((_, headers, sent),) = server.requests
    assert sent == {
        "query": QUESTION, "collection_name": "default", "metadata_filter_key": "class", "match_values": ["Law"], "top_k": 7,
        "use_paragraph": True,
    }  # fmt: skip
    assert not {"authorization", "cookie"} & headers.keys()
    assert [event["type"] for event in events] == ["step", "debug", "step", "step", "token", "done"]
    (reference,) = events[-1]["references"]
    assert (reference["p_id"], reference["file_name"], reference["score"]) == ("law-7", "law.pdf", 0.85)
    assert reference["metadatas"]["class"] == "Law"
    assert not events[-1]["degraded"]
    assert turn["answer"] == "As it says."


async def test_without_a_model_its_sentences_are_quoted(tmp_path: Path, clock: Clock) -> None:
    async with asking(tmp_path, clock, Reply(200, (FOUND,))) as (client, _):
        done = (await ask(client))[-1]
        nothing = (await ask(client, query="Who paints the ferries?"))[-1]
    assert (done["final_response"], [each["p_id"] for each in done["references"]]) == (
        "**law.pdf**\n\nThe bridge was built in 1895.",
        ["law-7"],
    )
    assert nothing["references"] == []


@pytest.mark.parametrize(
    ("reply", "caller", "degraded"),
    [
        (Reply(500, ("{}",)), LOCAL, True),
        (Reply(200, ("no JSON",)), LOCAL, True),
        (Reply(200, ("[]",)), LOCAL, False),
        (Reply(200, (FOUND,)), Caller("bob", frozenset({"tax"})), False),
    ],
)
async def test_the_index_is_searched_if_the_knowledge_base_is_down_empty_or_forbidden(
    tmp_path: Path, clock: Clock, reply: Reply, caller: Caller, degraded: bool
) -> None:
    async with asking(tmp_path, clock, reply, caller=caller, model=says()) as (client, _):
        done = (await ask(client))[-1]
    assert (done["type"], [each["p_id"] for each in done["references"]]) == ("done", ["bridge#000"])
    assert done["degraded"] is degraded


@pytest.mark.parametrize("path", ["/v2/rag/query", "/v2/pa/query"])
async def test_a_collection_that_it_does_not_know_has_an_empty_result(path: str, tmp_path: Path, clock: Clock) -> None:
    agent = FakeModel([[Delta(tool_calls=(ToolCall("1", "search_documents", json.dumps({"query": QUESTION})),))], ["I don't know."]])
    model = agent if "pa" in path else says()
    async with asking(tmp_path, clock, Reply(404, ("{}",)), model=model) as (client, server):
        done = read_events((await client.post(path, json={"query": QUESTION, "collection_name": "default"})).text)[-1]
        spans = (await client.get(f"/traces/{done['trace_id']}")).json()["spans"]
    assert (done["type"], done["references"], done["nearest"], done["degraded"], len(server.requests)) == ("done", [], [], False, 1)
    assert not {"search", "read", "paraphrases"} & {span["name"] for span in spans}
    if model is not agent:
        assert (done["final_response"], done["tier"]) == (message("no_hits", "en"), "nothing")
    else:
        assert BRIDGE[0] not in str(agent.sent[-1].messages)


async def test_other_apis_search_only_the_index(tmp_path: Path, clock: Clock) -> None:
    async with asking(tmp_path, clock, Reply(200, (FOUND,)), model=says()) as (client, server):
        reply = await client.post("/chat", json={"query": QUESTION})
    assert (reply.status_code, server.requests) == (200, [])
