"""Documents are added, changed and deleted during thousands of questions: no answer cites a version removed before the question."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.bootstrap.suggestions import UNSAVED
from footnote.guard.identity import LOCAL
from footnote.settings import LLM, Embedding, OpenSearch, Settings
from footnote.types import Request
from tests.fakes import FakeEmbedder
from tests.footnote.ingest.test_ingestor import HereParser
from tests.nightly import DEEP

QUESTIONS = 2_000 if DEEP else 200
READERS = 4
NAMES = [f"tower{number}" for number in range(12)]


@dataclass(slots=True)
class Truth:
    """Acknowledged changes: name → the lowest version that may be cited. A deleted name may not be cited."""

    least: dict[str, int] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    version: int = 0


@pytest.fixture(params=["sqlite", pytest.param("opensearch", marks=pytest.mark.nightly)])
async def core(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Core]:
    url = request.getfixturevalue("opensearch_url") if request.param == "opensearch" else None
    prefix = f"l{abs(hash(tmp_path)):x}"[:20]
    settings = Settings(
        footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), opensearch=OpenSearch(url=url, prefix=prefix)
    )
    made = Core(settings, parser=HereParser())
    made.embedder = FakeEmbedder()
    yield made
    await made.close()
    if url:
        from tests.faults.aws_world import forget_indexes

        forget_indexes(url, prefix)


async def put(core: Core, truth: Truth, name: str) -> None:
    truth.version += 1
    version = truth.version
    text = f"The {name} is painted version{version}. " * 3
    await core.ingestor.accept(LOCAL, text.encode(), file_name=f"{name}.txt", collection="default", permission_groups=[])
    while await core.ingestor.work_one():
        pass
    await core.ingestor.embed_some()
    truth.least[name] = version
    truth.deleted.discard(name)


async def delete(core: Core, truth: Truth, name: str) -> None:
    for document in (await core.ledger.list(LOCAL, limit=200)).data:
        if document.file_name == f"{name}.txt":
            await core.ingestor.delete(LOCAL, document.doc_id)
    truth.deleted.add(name)


async def test_no_answer_cites_what_was_deleted_or_replaced_before_it_was_asked(core: Core, seed: str) -> None:
    truth, chance = Truth(), random.Random(seed)
    for name in NAMES:
        await put(core, truth, name)
    asked, cited, over = 0, 0, asyncio.Event()

    async def ask() -> None:
        nonlocal asked, cited
        while asked < QUESTIONS:
            asked += 1
            name = chance.choice(NAMES)
            deleted, least = set(truth.deleted), dict(truth.least)
            turn: Any = await core.retrieve.finish(
                core.new_turn(Request(f"How is the {name} painted?", "default", limit=10), LOCAL, UNSAVED)
            )
            for hit in turn.evidence.hits:
                words = hit.chunk.text.replace(".", "").split()
                # Of a deleted document only a later version, which may be found before it is acknowledged.
                assert int(words[4].removeprefix("version")) >= least[words[1]] + (words[1] in deleted), hit.chunk.chunk_id
                cited += 1
        over.set()

    async def change() -> None:
        while not over.is_set():
            name = chance.choice(NAMES)
            if name in truth.deleted or chance.random() < 0.5:
                await put(core, truth, name)
            else:
                await delete(core, truth, name)
            await asyncio.sleep(0)

    await asyncio.gather(change(), *(ask() for _ in range(READERS)))
    assert cited > QUESTIONS
