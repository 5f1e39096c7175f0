"""Posts JSON to one service."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from footnote.adapters.shared.replies import read_body
from footnote.errors import Unavailable

if TYPE_CHECKING:
    import httpx2

MAX_REPLY_BYTES = 2**22
WAIT_S = 10.0
"""Longest wait for a connection and for the next bytes of a reply. The time limit of a whole call is the caller's."""


class JsonClient:
    """A client of one address, created at first use. `service`: its name at the beginning of a sentence; `setting`: the variable that
    holds the address. Both are for error messages."""

    def __init__(self, url: str, service: str, setting: str, headers: Mapping[str, str] | None = None) -> None:
        self._url = url
        self._service = service
        self._setting = setting
        self._headers = dict(headers or {})
        self._client: httpx2.AsyncClient | None = None
        self._lock = asyncio.Lock()

    async def post(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """(status, body of the reply). Unavailable if the service cannot be reached or sends more than MAX_REPLY_BYTES."""
        import httpx2

        client = await self.open()
        try:
            async with client.stream("POST", self._url, json=dict(body), headers=self._headers) as reply:
                return reply.status_code, await self._read(reply)
        except (httpx2.HTTPError, httpx2.InvalidURL) as exc:
            raise Unavailable(f"{self._service} cannot be reached. Check {self._setting}.") from exc

    async def open(self) -> httpx2.AsyncClient:
        """The client. The first call takes a quarter of a second, mostly to load the certificates."""
        if not self._url.startswith(("http://", "https://")):
            raise Unavailable(f"{self._setting} has to begin with http:// or https://.")
        async with self._lock:
            if self._client is None:
                self._client = await asyncio.to_thread(_connect)
            return self._client

    async def close(self) -> None:
        """Closes the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _read(self, reply: httpx2.Response) -> bytes:
        too_large = Unavailable(f"{self._service} sent a reply larger than {MAX_REPLY_BYTES // 2**20} MiB.")
        return await read_body(reply.aiter_bytes(), MAX_REPLY_BYTES, too_large)


def _connect() -> httpx2.AsyncClient:
    """Uses no proxy, redirects or `.netrc`."""
    import httpx2

    return httpx2.AsyncClient(trust_env=False, timeout=WAIT_S)
