"""One endpoint with OpenAI's API: its address, key and client.

The SDK is imported at the first call, in a thread, since that takes up to two seconds. Its own retries are
off; `resilience` retries.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from footnote.adapters.openai.gateway import Gateway
from footnote.adapters.openai.quirks import Quirks
from footnote.adapters.openai.served_limits import ServedLimits

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAIEndpoint:
    """The client for one base URL and key, created at first use."""

    def __init__(self, base_url: str | None, api_key: str | None, gateway: Gateway | None = None) -> None:
        self.gateway = gateway or Gateway()
        self.base_url = base_url
        self.quirks: dict[str, Quirks] = {}
        """By model. Only models that rejected something are listed, since callers may name arbitrary models."""
        self.limits = ServedLimits(base_url, self.client)
        self._api_key = api_key
        self._client: AsyncOpenAI | None = None
        self._connecting = asyncio.Lock()

    async def client(self) -> AsyncOpenAI:
        """The SDK's client."""
        async with self._connecting:  # concurrent first calls share one client
            if self._client is None:
                self._client = await asyncio.to_thread(self._connect)
            return self._client

    def _connect(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        # Local servers need no key, but the SDK requires one.
        return AsyncOpenAI(base_url=self.base_url, api_key=self._api_key or "none", max_retries=0)

    async def close(self) -> None:
        """Closes the connections."""
        await self.limits.close()
        if self._client is not None:
            await self._client.close()
            self._client = None
