"""A search service with the API of a KDB: one POST that searches and reranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from footnote.adapters.http.json_client import JsonClient
from footnote.errors import Unavailable

PATH = "/api/v1/document/search_rerank"


class HttpKnowledgeBase:
    """`ports.KnowledgeBase` over HTTP."""

    def __init__(self, url: str) -> None:
        self._client = JsonClient(url.rstrip("/") + PATH, "The knowledge base", "KDB__URL")

    async def search(self, arguments: Mapping[str, Any]) -> str | None:
        status, body = await self._client.post(arguments)
        if status == 404:
            return None
        if status != 200:
            raise Unavailable(f"The knowledge base responded with status {status}. Check KDB__URL.")
        return body.decode(errors="replace")

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()
