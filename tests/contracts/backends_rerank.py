"""Servers for each format of rerankers, as strict as the real ones. They score a text by the share of the question's words in it, and
send the best first."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from footnote.adapters.aws.reranker import BedrockReranker
from footnote.adapters.http.reranker import HttpReranker
from footnote.ports import Clock, Reranker
from tests.contracts.backends_aws import at
from tests.openai_server import Reply, Server, serving

PATHS = {"jina": "/v1/rerank", "voyage": "/v1/rerank", "tei": "/rerank", "bedrock": "/rerank"}


def ranked(query: str, texts: list[str]) -> list[tuple[int, float]]:
    words = set(query.lower().split())
    scores = [len(words & set(text.lower().split())) / len(words) for text in texts]
    return sorted(enumerate(scores), key=lambda each: -each[1])


def refused(detail: str) -> Reply:
    return Reply(422, (json.dumps({"error": detail}),))


def jina(sent: Any) -> Reply:
    if sent.keys() != {"model", "query", "documents", "top_n"}:
        return refused("fields")
    found = ranked(sent["query"], sent["documents"])[: sent["top_n"]]
    results = [{"index": at, "relevance_score": score, "document": {"text": "…"}} for at, score in found]
    return Reply(body=(json.dumps({"model": sent["model"], "results": results, "usage": {"total_tokens": 1}}),))


def voyage(sent: Any) -> Reply:
    if sent.keys() != {"model", "query", "documents", "top_k"}:
        return refused("fields")
    found = ranked(sent["query"], sent["documents"])[: sent["top_k"]]
    return Reply(body=(json.dumps({"object": "list", "data": [{"index": at, "relevance_score": score} for at, score in found]}),))


def tei(sent: Any) -> Reply:
    if sent.keys() != {"query", "texts", "truncate"} or len(sent["texts"]) > 32:
        return refused("batch size")
    return Reply(body=(json.dumps([{"index": at, "score": score} for at, score in ranked(sent["query"], sent["texts"])]),))


def bedrock(sent: Any) -> Reply:
    wanted = sent["rerankingConfiguration"]["bedrockRerankingConfiguration"]
    texts = [source["inlineDocumentSource"]["textDocument"]["text"] for source in sent["sources"]]
    if wanted["modelConfiguration"]["modelArn"] != "arn:aws:bedrock:us-east-1::foundation-model/cohere.rerank-v3-5:0":
        return Reply(400, (json.dumps({"__type": "ValidationException", "message": "model"}),))
    if not all(1 <= len(text) <= 32_000 for text in texts):
        return Reply(400, (json.dumps({"__type": "ValidationException", "message": "text"}),))
    found = ranked(sent["queries"][0]["textQuery"]["text"], texts)[: wanted["numberOfResults"]]
    return Reply(body=(json.dumps({"results": [{"index": at, "relevanceScore": score} for at, score in found]}),))


REPLIES: dict[str, Callable[[Any], Reply]] = {"jina": jina, "voyage": voyage, "tei": tei, "bedrock": bedrock}


@asynccontextmanager
async def reranking(shape: str, timeout_s: float = 5) -> AsyncIterator[tuple[Server, Reranker]]:
    """A server of this format, and the adapter that asks it."""
    async with serving() as server:
        server.replies[PATHS[shape]] = REPLIES[shape]
        with at(server.url):
            made: Reranker = (
                BedrockReranker("cohere.rerank-v3-5:0", timeout_s)
                if shape == "bedrock"
                else HttpReranker(shape, server.url + PATHS[shape].removesuffix("/rerank"), "m", "secret", timeout_s)
            )
            try:
                yield server, made
            finally:
                await made.close()


@asynccontextmanager
async def make(shape: str, folder: Path, clock: Clock) -> AsyncIterator[Reranker]:
    async with reranking(shape) as (_, made):
        yield made


RERANKERS: dict[str, Callable[[Path, Clock], AbstractAsyncContextManager[Any]]] = {shape: partial(make, shape) for shape in REPLIES}
