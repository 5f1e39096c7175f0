"""Rerankers over HTTP, in the three request formats that are in use.

jina:   {model, query, documents, top_n} → {results: [{index, relevance_score}]}, as Cohere v2, vLLM, LiteLLM, Infinity, llama.cpp
voyage: {model, query, documents, top_k} → {data: [{index, relevance_score}]}
tei:    {query, texts, truncate}         → [{index, score}], at most 32 texts a request
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from footnote.adapters.http.json_client import JsonClient
from footnote.adapters.shared.reranker import UNREADABLE, read_scores, scaled
from footnote.errors import Unavailable

REFUSED = {401: "RERANK__KEY", 403: "RERANK__KEY", 404: "RERANK__BASE_URL and RERANK__MODEL", 429: "its rate limit"}
"""Status → what to check."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A request format."""

    request: Callable[[str | None, str, Sequence[str]], dict[str, Any]]
    """(model, query, texts) → body."""
    scores: Callable[[Any], object]
    """Reply → list of scores."""
    texts: int = 1000
    """Most texts in one request."""


def _documents(limit: str) -> Callable[[str | None, str, Sequence[str]], dict[str, Any]]:
    def request(model: str | None, query: str, texts: Sequence[str]) -> dict[str, Any]:
        return {**({"model": model} if model else {}), "query": query, "documents": list(texts), limit: len(texts)}

    return request


SHAPES = {
    "jina": Shape(_documents("top_n"), lambda reply: reply["results"]),
    "voyage": Shape(_documents("top_k"), lambda reply: reply["data"]),
    "tei": Shape(lambda _, query, texts: {"query": query, "texts": list(texts), "truncate": True}, lambda reply: reply, texts=32),
}
"""RERANK__SHAPE → format."""


class HttpReranker:
    """`ports.Reranker` over HTTP. `timeout_s`: time limit of all requests for one question together, in seconds."""

    def __init__(self, shape: str, base_url: str, model: str | None, key: str | None, timeout_s: float) -> None:
        self._shape = SHAPES[shape]
        self._model = model
        self._timeout_s = timeout_s
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._client = JsonClient(base_url.rstrip("/") + "/rerank", "The reranker", "RERANK__BASE_URL", headers)

    async def rerank(self, query: str, texts: Sequence[str]) -> dict[int, float]:
        await self._client.open()  # does not count towards the time limit
        found: list[tuple[int, float]] = []
        try:
            async with asyncio.timeout(self._timeout_s):
                for start in range(0, len(texts), self._shape.texts):
                    part = await self._ask(query, texts[start : start + self._shape.texts])
                    found += [(start + at, score) for at, score in part.items()]
        except TimeoutError as exc:
            raise Unavailable(f"The reranker did not answer within {self._timeout_s:g} s. RERANK__TIMEOUT_S is the limit.") from exc
        return scaled(found)

    async def _ask(self, query: str, texts: Sequence[str]) -> dict[int, float]:
        status, body = await self._client.post(self._shape.request(self._model, query, texts))
        if status != 200:
            raise Unavailable(f"The reranker responded with status {status}. Check {REFUSED.get(status, 'RERANK__SHAPE')}.")
        try:
            return read_scores(self._shape.scores(json.loads(body)), len(texts))
        except (ValueError, LookupError, TypeError, RecursionError) as exc:
            raise Unavailable(UNREADABLE) from exc

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()
