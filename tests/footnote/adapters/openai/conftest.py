"""Fixtures of the adapters of OpenAI's API."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from tests.openai_server import Server


@pytest.fixture
async def endpoint(server: Server) -> AsyncIterator[OpenAIEndpoint]:
    made = OpenAIEndpoint(f"{server.url}/v1", "hush")
    yield made
    await made.close()
