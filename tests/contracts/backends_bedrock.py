"""A scripted server for Amazon Bedrock, as strict about texts as the real one, for two families of models."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from footnote.adapters.aws.embedder import BedrockEmbedder
from footnote.ports import Clock
from tests.contracts.backends_aws import at
from tests.fakes import FakeEmbedder
from tests.openai_server import Reply, serving

KNOWN = FakeEmbedder(dimension=1024)


def refused(status: int, code: str) -> Reply:
    return Reply(status, (json.dumps({"__type": code, "message": "arn:aws:iam::1:role/x may not"}),))


def titan(sent: Any) -> Reply:
    text = sent["inputText"]
    if not 1 <= len(text) <= 50_000:
        return refused(400, "ValidationException")
    return Reply(body=(json.dumps({"embedding": KNOWN.vector(text).tolist(), "inputTextTokenCount": 1}),))


def cohere(sent: Any) -> Reply:
    if len(sent["texts"]) > 96 or any(len(text) > 2048 for text in sent["texts"]):
        return refused(400, "ValidationException")
    return Reply(body=(json.dumps({"embeddings": {"float": [KNOWN.vector(text).tolist() for text in sent["texts"]]}}),))


@asynccontextmanager
async def make_titan(folder: Path, clock: Clock) -> AsyncIterator[BedrockEmbedder]:
    async with serving() as server:
        server.replies["/model/amazon.titan-embed-text-v2%3A0/invoke"] = titan
        with at(server.url):
            yield BedrockEmbedder("amazon.titan-embed-text-v2:0", 1024)


@asynccontextmanager
async def make_cohere(folder: Path, clock: Clock) -> AsyncIterator[BedrockEmbedder]:
    async with serving() as server:
        server.replies["/model/cohere.embed-multilingual-v3/invoke"] = cohere
        with at(server.url):
            yield BedrockEmbedder("cohere.embed-multilingual-v3", 1024)
