"""The same in OpenSearch: documents that an earlier version made are made again, while they answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.ingest.migrating import Migration, find_outdated
from footnote.ports import VectorScope
from footnote.settings import LLM, Embedding, Ingest, Settings
from tests.conftest import HandClock
from tests.contracts.backends_opensearch import opensearch_index, opensearch_settings
from tests.fakes import FakeEmbedder
from tests.footnote.ingest.spies import Killed, dying
from tests.footnote.ingest.test_ingestor import LOCAL, HereParser, accept, finish, found
from tests.footnote.ingest.test_migrating import cut_smaller, upgrade

FILES = 4


@pytest.fixture
async def core(opensearch_url: str, tmp_path: Path, clock: HandClock) -> AsyncIterator[Core]:
    index = opensearch_settings(opensearch_url, tmp_path)
    settings = Settings(
        footnote_data=tmp_path / "data", opensearch=index, embedding=Embedding(builtin=False), llm=LLM(discover=False), ingest=Ingest()
    )
    async with opensearch_index(index):  # deletes what was made
        made = Core(settings, clock=clock, parser=HereParser())
        made.embedder = FakeEmbedder()
        yield made
        await made.close()


async def fill(core: Core, clock: HandClock) -> None:
    for number in range(FILES):
        await accept(core, f"Tower number{number} was lit in 1874. It still stands.".encode(), f"{number}.txt", ["staff"])
    await finish(core, clock)


async def ask_all(core: Core) -> None:
    for number in range(FILES):
        for _ in range(2):  # its next generation may come between the search and the read
            passages = await core.index.read(LOCAL, await found(core, f"number{number}"))
            if passages:
                break
        assert f"number{number}" in " ".join(chunk.text for chunk in passages)


async def migrate_while_asking(core: Core, clock: HandClock) -> None:
    async def ask() -> None:
        while True:
            await ask_all(core)
            await asyncio.sleep(0.1)

    asking = asyncio.create_task(ask())
    migration = Migration(core.ingestor, core.cache)
    while await migration.step():
        await finish(core, clock)
    assert not asking.done()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


@pytest.mark.parametrize(("version", "generation"), [(upgrade, 1), pytest.param(cut_smaller, 2, marks=pytest.mark.nightly)])
async def test_every_document_answers_while_it_is_made_again(
    core: Core, clock: HandClock, monkeypatch: pytest.MonkeyPatch, version: Any, generation: int
) -> None:
    await fill(core, clock)
    version(monkeypatch)
    await migrate_while_asking(core, clock)
    assert await find_outdated(core.ledger, core.generations) == []
    assert {item.generation async for item in core.generations.inventory()} == {generation}
    assert len(await found(core, "quux")) == (FILES if version is upgrade else 0)
    done, total = await core.vectors.progress(VectorScope("fake-embedder"))
    assert done == total >= FILES


@pytest.mark.nightly
@pytest.mark.parametrize("port", ["generations.stage", "generations.activate", "lifecycle.update", "lifecycle.renew"])
@pytest.mark.parametrize("version", [upgrade, cut_smaller])
async def test_killed_twice_it_goes_on(core: Core, clock: HandClock, monkeypatch: pytest.MonkeyPatch, port: str, version: Any) -> None:
    await fill(core, clock)
    version(monkeypatch)
    for _ in range(2):
        with dying(core.ingestor, port), suppress(Killed):
            await Migration(core.ingestor, core.cache).step()
            await core.ingestor.work_one()
        await ask_all(core)
    await core.ingestor.recover()
    await finish(core, clock)
    await migrate_while_asking(core, clock)
    assert await find_outdated(core.ledger, core.generations) == []
