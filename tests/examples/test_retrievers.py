"""The retrievers for LangChain and LlamaIndex, by the libraries' own calls."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

import httpx
import pytest

from tests.examples.conftest import GUEST, STAFF, Served

QUESTION = "When was the bridge built?"
TOLL = "What is the bridge's toll?"


@pytest.fixture(scope="module")
def langchain() -> Any:
    return importlib.import_module("footnote_langchain").FootnoteRetriever


@pytest.fixture(scope="module")
def llamaindex() -> Any:
    return importlib.import_module("footnote_llamaindex").FootnoteRetriever


async def test_a_langchain_document_names_its_source_title_url_page_and_score(langchain: Any, served: Served) -> None:
    retriever = langchain(base_url=served.address + "/", token=STAFF, k=1)
    (document,) = await retriever.ainvoke(TOLL)
    url = f"{served.address}/documents/toll/content?chunk_id=toll%23000#page=3"
    assert (document.id, document.page_content) == ("toll#000", "The bridge's toll is 2 euros.")
    assert {name: document.metadata[name] for name in ("source", "title", "url", "page", "chunk_id")} == {
        "source": "toll", "title": "Toll", "url": url, "page": 3, "chunk_id": "toll#000",
    }  # fmt: skip
    assert 0 < document.metadata["score"] <= 1
    assert await asyncio.to_thread(retriever.invoke, TOLL) == [document]


async def test_a_langchain_chain_uses_the_retriever_and_hides_the_token(langchain: Any, served: Served) -> None:
    retriever = langchain(base_url=served.address, token=STAFF)
    chain = retriever | (lambda documents: [document.metadata.get("year") for document in documents])
    assert await chain.ainvoke(QUESTION) == [1894, None]
    assert await retriever.abatch([QUESTION, TOLL]) == [await retriever.ainvoke(QUESTION), await retriever.ainvoke(TOLL)]
    assert STAFF not in repr(retriever)


async def test_a_llamaindex_node_has_its_document_page_and_score(llamaindex: Any, served: Served) -> None:
    retriever = llamaindex(served.address + "/", token=STAFF, similarity_top_k=1)
    (found,) = await retriever.aretrieve(TOLL)
    assert (found.node_id, found.text, found.node.ref_doc_id) == ("toll#000", "The bridge's toll is 2 euros.", "toll")
    assert 0 < found.score <= 1
    assert found.metadata["url"] == f"{served.address}/documents/toll/content?chunk_id=toll%23000#page=3"
    assert [each.node_id for each in await asyncio.to_thread(retriever.retrieve, TOLL)] == ["toll#000"]


async def test_a_llamaindex_engine_shows_a_model_the_text_title_and_page(llamaindex: Any, served: Served) -> None:
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    engine = RetrieverQueryEngine.from_args(llamaindex(served.address, token=STAFF, similarity_top_k=1), llm=MockLLM())
    reply = await engine.aquery(TOLL)  # a MockLLM answers with its prompt
    assert "page: 3\nheadings: []\ntitle: Toll\n\nThe bridge's toll is 2 euros." in str(reply)
    assert "toll#000" not in str(reply)
    assert [found.node_id for found in reply.source_nodes] == ["toll#000"]


async def test_both_find_only_what_the_owner_of_the_token_may_read(langchain: Any, llamaindex: Any, served: Served) -> None:
    titles = [document.metadata["title"] for document in await langchain(base_url=served.address, token=GUEST).ainvoke(TOLL)]
    nodes = await llamaindex(served.address, token=GUEST).aretrieve(TOLL)
    assert titles == [found.metadata["title"] for found in nodes] == ["bridge"]


async def proxy(scope: Any, receive: Any, send: Any) -> None:
    """What stands before a server that is down."""
    await send({"type": "http.response.start", "status": 502, "headers": [(b"content-type", b"text/html")]})
    await send({"type": "http.response.body", "body": b"<h1>Bad gateway</h1>"})


@pytest.mark.parametrize(
    ("token", "collection", "question", "status", "reason"),
    [
        (None, "default", QUESTION, 401, "Footnote: Sign in first"),
        (STAFF, "none", QUESTION, 404, "Footnote: There is no such knowledge base. Its id must be the name of a collection. (404)"),
        (STAFF, "default", " ", 422, "Footnote: The question is empty. Write what you want to know. (422)"),
        (STAFF, "proxy", QUESTION, 502, "Footnote: Bad Gateway (502)"),
    ],
)
async def test_a_refused_search_raises_an_error_with_the_reason(
    token: str | None, collection: str, question: str, status: int, reason: str, langchain: Any, llamaindex: Any, served: Served
) -> None:
    served.instead = proxy if collection == "proxy" else None
    for search in (
        langchain(base_url=served.address, token=token, collection=collection).ainvoke,
        llamaindex(served.address, token=token, collection=collection).aretrieve,
    ):
        with pytest.raises(httpx.HTTPStatusError) as caught:
            await search(question)
        assert caught.value.response.status_code == status
        assert str(caught.value).startswith(reason)


async def test_a_retriever_works_in_several_event_loops(langchain: Any, llamaindex: Any, served: Served) -> None:
    for search in (langchain(base_url=served.address, token=STAFF).ainvoke, llamaindex(served.address, token=STAFF).aretrieve):
        counts = [len(await asyncio.to_thread(asyncio.run, search(QUESTION))) for _ in range(2)]
        assert counts == [2, 2]
