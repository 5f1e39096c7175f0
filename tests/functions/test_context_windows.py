"""A model whose context window is smaller than was known answers from what fits, and its next questions keep to that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, Embedding, Settings
from footnote_query.app import create_app
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK
from tests.openai_server import Reply, Server, chunk, serving, sse

CHAT = "/v1/chat/completions"
BLUE = "It is painted blue by hand every ten years. " * 30
PASSAGES = [f"The bridge number {number} was built in {1800 + number}. {BLUE}" for number in range(9)]
ASKED = ASK | {"query_text": "When was bridge number 3 built?", "intelligence_level": "basic"}


def length(sent: Any) -> int:
    return sum(len(message["content"]) for message in sent["messages"])


def fitting(longest: int) -> Any:
    """A model that takes so many characters."""
    said = "This model's maximum context length is 1000 tokens. However, your messages resulted in 5000 tokens."
    refused = Reply(400, ('{"error": {"message": "' + said + '", "code": "context_length_exceeded"}}',))
    return lambda sent: refused if length(sent) > longest else sse(chunk(content="In 1803 [1][^bridge]."))


@pytest.fixture
async def model() -> AsyncIterator[Server]:
    async with serving() as server:
        yield server


@pytest.fixture
async def client(model: Server, tmp_path: Path, clock: Clock) -> AsyncIterator[httpx.AsyncClient]:
    llm = LLM(base_url=f"{model.url}/v1", model="tiny", retries=0)
    core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=llm), clock=clock)
    await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), PASSAGES, page=3)
    transport = httpx.ASGITransport(create_app(lambda: core), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
        yield client
    await core.close()


@pytest.mark.parametrize("path", ["/ask", "/v1/chat/completions"])
async def test_fewer_passages_are_shown_where_all_do_not_fit(path: str, model: Server, client: httpx.AsyncClient) -> None:
    model.replies[CHAT] = fitting(4000)
    asked = ASKED if path == "/ask" else {"model": "footnote", "messages": [{"role": "user", "content": ASKED["query_text"]}]}
    first = (await client.post(path, json=asked)).json()
    assert "In 1803" in str(first)
    sizes = [length(sent) for _, _, sent in model.requests]
    assert (len(sizes), sizes[0] > 4000 >= sizes[1]) == (2, True)
    again = await client.post("/ask", json=ASKED | {"query_text": "When was bridge number 4 built?"})
    assert again.status_code == 200
    assert [length(sent) <= 4000 for _, _, sent in model.requests[2:]] == [True]  # none is refused again


async def test_an_answer_from_what_fits_is_not_degraded(model: Server, client: httpx.AsyncClient) -> None:
    model.replies[CHAT] = fitting(4000)
    reply = (await client.post("/ask", json=ASKED)).json()
    assert (reply["degraded"], reply["model"], reply["notice"]) == (False, "tiny", None)
    assert 1 <= len(reply["hits"]) < 5


async def test_where_no_passage_fits_the_documents_are_quoted_and_the_cause_is_told(model: Server, client: httpx.AsyncClient) -> None:
    model.replies[CHAT] = fitting(0)
    reply = (await client.post("/ask", json=ASKED)).json()
    assert (reply["degraded"], reply["model_failed"], len(model.requests)) == (True, True, 2)
    assert "does not fit into the model's context window of 1000 tokens. Set LLM__CONTEXT_WINDOW." in reply["notice"]


async def test_less_of_a_conversation_is_shown_where_all_does_not_fit(model: Server, client: httpx.AsyncClient) -> None:
    model.replies[CHAT] = fitting(4000)
    talk = [("user", "Why? " * 900), ("assistant", "Because. " * 300), ("user", "And when?")]
    asked = {"messages": [{"role": role, "content": text} for role, text in talk]}
    reply = await client.post("/api/chat", json=asked)
    assert (reply.status_code, reply.json()["message"]) == (200, "In 1803 [1][^bridge].")
    assert [sent["messages"][-1]["content"].endswith("\n\nAnd when?") for _, _, sent in model.requests] == [True, True]
