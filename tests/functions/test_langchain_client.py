"""LangChain's ChatOpenAI, over a socket, as docs/clients.md sets it up."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from tests.functions.conftest import QUESTION, OpenSite, Serve

ANSWER = "It was built in 1894 [1]."


@pytest.fixture(scope="module")
def chat_openai() -> Any:
    return importlib.import_module("langchain_openai").ChatOpenAI


@pytest.fixture
async def chat(chat_openai: Any, open_site: OpenSite, serve: Serve) -> AsyncIterator[Callable[..., Any]]:
    """Makes a ChatOpenAI for a server with a model."""
    address = await serve((await open_site(ANSWER)).app)
    async with httpx.AsyncClient() as http:  # LangChain never closes its own
        yield lambda **more: chat_openai(base_url=f"{address}/v1", api_key="unused", model="footnote", http_async_client=http, **more)


@pytest.mark.parametrize("streamed", [False, True])
async def test_the_text_of_langchains_client_links_its_citations(streamed: bool, chat: Callable[..., Any]) -> None:
    client = chat(extra_body={"citation_style": "links"})
    text = "".join([piece.text async for piece in client.astream(QUESTION)]) if streamed else (await client.ainvoke(QUESTION)).text
    address = client.openai_api_base.removesuffix("/v1")
    assert text == f"It was built in 1894 [1]({address}/documents/bridge/content?chunk_id=bridge%23000#page=3)."


async def test_langchains_client_gets_the_annotations_of_a_response(chat: Callable[..., Any]) -> None:
    client = chat(use_responses_api=True)
    reply = await client.ainvoke(QUESTION)
    (block,) = reply.content_blocks
    assert reply.text == ANSWER
    assert [(each["title"], each["url"].rpartition("/documents/")[2]) for each in block["annotations"]] == [
        ("Records", "bridge/content?chunk_id=bridge%23000#page=3")
    ]
