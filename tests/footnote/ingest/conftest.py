"""Fixtures of ingest's tests: a core on a folder, and its parser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from footnote.bootstrap import Core
from tests.conftest import HandClock
from tests.footnote.ingest.test_ingestor import HereParser, open_core


@pytest.fixture
def parser() -> HereParser:
    return HereParser()


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock, parser: HereParser) -> AsyncIterator[Core]:
    made = open_core(tmp_path / "data", clock, parser)
    yield made
    await made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder to sync."""
    (tmp_path / "docs" / "hr").mkdir(parents=True)
    return tmp_path / "docs"
