"""Fixtures of ingest's tests: a core on a folder, and its parser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.ports import Embedder
from footnote.settings import LLM, Embedding, Settings
from tests.conftest import HandClock
from tests.fakes import FakeModels, FakeTokenEmbedder
from tests.footnote.ingest.knowledge_cores import Open
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


@pytest.fixture
async def open_builder(tmp_path: Path, clock: HandClock) -> AsyncIterator[Open]:
    """Opens cores that build knowledge on one folder, each as a process of its own."""
    opened: list[Core] = []

    def open_(model: Any = None, embedder: Embedder | None = None) -> Core:
        settings = Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False))
        made = Core(settings, clock=clock, models=FakeModels(model))
        made.embedder = embedder or FakeTokenEmbedder(dimension=64)
        opened.append(made)
        return made

    yield open_
    for made in opened:
        await made.close()
