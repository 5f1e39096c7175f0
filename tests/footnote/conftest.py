"""Fixtures of the core's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.openai_server import Server, serving


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """An endpoint that speaks OpenAI's wire format."""
    async with serving() as made:
        yield made
