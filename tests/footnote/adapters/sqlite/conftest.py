"""Embedded indexes that are closed when a test ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.index import SqliteIndex


@pytest.fixture
async def open_index(tmp_path: Path) -> AsyncIterator[Any]:
    """Opens the index of a folder, by default the test's own, as often as it is called."""
    opened: list[SqliteIndex] = []

    def make(folder: Path = tmp_path) -> SqliteIndex:
        opened.append(SqliteIndex(folder))
        return opened[-1]

    yield make
    for index in opened:
        await index.close()
