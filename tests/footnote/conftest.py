"""Fixtures of the core's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.store import open_store
from tests.conftest import HandClock
from tests.openai_server import Server, serving


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """An endpoint that speaks OpenAI's wire format."""
    async with serving() as made:
        yield made


@pytest.fixture
def cache(tmp_path: Path, clock: HandClock) -> Iterator[SqliteCache]:
    store = open_store(tmp_path)
    yield SqliteCache(store, clock)
    store.close()
