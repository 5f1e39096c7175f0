"""A search service with the API of a KDB: one POST that searches and reranks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from footnote.errors import Unavailable

if TYPE_CHECKING:
    import httpx2

PATH = "/api/v1/document/search_rerank"
MAX_REPLY_BYTES = 2**22
WAIT_S = 10.0
"""Longest wait for a connection and for the next bytes of a reply. The time limit of a search is in its step."""


class HttpKnowledgeBase:
    """`ports.KnowledgeBase` over HTTP."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/") + PATH
        self._client: httpx2.AsyncClient | None = None
        self._lock = asyncio.Lock()

    async def search(self, arguments: Mapping[str, Any]) -> str:
        import httpx2

        if not self._url.startswith(("http://", "https://")):
            raise Unavailable("KDB__URL has to begin with http:// or https://.")
        client = await self._open()
        try:
            async with client.stream("POST", self._url, json=dict(arguments)) as reply:
                if reply.status_code == 404:
                    return "[]"
                if reply.status_code != 200:
                    raise Unavailable(f"The knowledge base responded with status {reply.status_code}. Check KDB__URL.")
                return await _read(reply)
        except (httpx2.HTTPError, httpx2.InvalidURL) as exc:
            raise Unavailable("The knowledge base cannot be reached. Check KDB__URL.") from exc

    async def close(self) -> None:
        """Closes the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _open(self) -> httpx2.AsyncClient:
        async with self._lock:
            if self._client is None:
                self._client = await asyncio.to_thread(_connect)
            return self._client


def _connect() -> httpx2.AsyncClient:
    """Takes a quarter of a second, mostly to load the certificates. Uses no proxy, redirects or `.netrc`."""
    import httpx2

    return httpx2.AsyncClient(trust_env=False, timeout=WAIT_S)


async def _read(reply: httpx2.Response) -> str:
    body = bytearray()
    async with aclosing(reply.aiter_bytes()) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > MAX_REPLY_BYTES:
                raise Unavailable("The knowledge base sent a reply larger than 4 MiB.")
    return body.decode(errors="replace")
