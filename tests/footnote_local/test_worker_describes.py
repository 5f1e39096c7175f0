"""On one machine a model describes documents and builds knowledge only while nobody asks and nothing else is to be done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.events import Done
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.types import Caller, Document, Request
from footnote_query.dialects.trd.ask import HELD
from tests.fakes import FakeModel, FakeModels, switch_on
from tests.footnote_local.conftest import working

LOCAL = Caller("local", sees_all=True)
REPLY = json.dumps({"summary": "The history of the lighthouse of Hagen.", "topics": ["Hagen"], "type": "article"})
TEXT = "The lighthouse of Hagen was lit in 1874. Its keeper lived in the tower until 1931."


class Scribe(FakeModel):
    """Describes when it is told to, and says how often it began and was interrupted."""

    def __init__(self) -> None:
        super().__init__([])
        self.may, self.began, self.given_up, self.reply = asyncio.Event(), asyncio.Event(), 0, REPLY

    async def stream(self, messages: Any, **options: Any) -> AsyncIterator[Any]:
        if "schema" not in options:
            self.replies.append(["It was lit in 1874 [1]."])
        else:
            self.began.set()
            try:
                await self.may.wait()
            except asyncio.CancelledError:
                self.given_up += 1
                raise
            self.replies.append([self.reply])
        async for delta in super().stream(messages, **options):
            yield delta

    async def is_given_up(self) -> None:
        async with asyncio.timeout(30):
            while not self.given_up:
                await asyncio.sleep(0.01)


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


@pytest.fixture
async def core(tmp_path: Path, scribe: Scribe, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Core]:
    monkeypatch.setattr("footnote.library.worker.QUIET_S", 0.05)
    monkeypatch.setattr("footnote.library.worker.IDLE_S", 0.01)
    llm = LLM(discover=False, base_url="http://model.test/v1", model="scribe")
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=llm, ingest=Ingest(enrichment="descriptions"))
    core = Core(settings)
    core.models = FakeModels(scribe)
    async with working(core):
        yield core


async def add(core: Core, name: str = "tower.txt") -> Document:
    return await core.ingestor.accept(LOCAL, (TEXT + name).encode(), file_name=name, collection="default", permission_groups=["*"])


async def wait_until(core: Core, document: Document, **fields: Any) -> None:
    async with asyncio.timeout(30):
        while True:
            now = await core.ledger.get(LOCAL, document.doc_id)
            if all(getattr(now, name) == value for name, value in fields.items()):
                return
            await asyncio.sleep(0.01)


async def test_a_question_interrupts_a_description_which_is_made_afterwards(core: Core, scribe: Scribe) -> None:
    document = await add(core)
    await asyncio.wait_for(scribe.began.wait(), 30)
    assert (await core.ledger.get(LOCAL, document.doc_id)).state == "READY"
    turn = core.new_turn(Request("When was the lighthouse of Hagen lit?", "default"), LOCAL, HELD)
    events = core.answer.run(turn)
    await anext(events)
    await scribe.is_given_up()
    (done,) = [event async for event in events if isinstance(event, Done)]
    assert "1874" in done.turn.answer.text
    scribe.may.set()
    await wait_until(core, document, described_by="model")
    assert scribe.given_up == 1


async def test_a_question_interrupts_a_model_that_builds_knowledge(core: Core, scribe: Scribe) -> None:
    scribe.may.set()
    await wait_until(core, await add(core), described_by="model")
    scribe.may.clear()
    scribe.began.clear()
    scribe.reply = json.dumps({"entities": ["1 | Hagen | place"], "relations": []})
    await switch_on(core, "graph", maker="model")
    await asyncio.wait_for(scribe.began.wait(), 30)
    turn = core.new_turn(Request("When was the lighthouse of Hagen lit?", "default"), LOCAL, HELD)
    assert [event async for event in core.answer.run(turn) if isinstance(event, Done)]
    assert scribe.given_up == 1
    scribe.may.set()
    async with asyncio.timeout(30):
        while not (graph := (await core.knowledge_builder.states("default"))[0]).built:
            await asyncio.sleep(0.01)
    assert (graph.kind, graph.built, graph.total) == ("graph", 1, 1)


async def test_what_needs_no_model_is_built_while_one_is_busy(core: Core, scribe: Scribe) -> None:
    await switch_on(core, "graph")
    await add(core)
    await asyncio.wait_for(scribe.began.wait(), 30)
    async with asyncio.timeout(30):
        while not (await core.knowledge_builder.states("default"))[0].built:
            await asyncio.sleep(0.01)
    assert not scribe.may.is_set()


async def test_a_new_file_is_ready_while_a_model_that_hangs_describes_another(core: Core, scribe: Scribe) -> None:
    first = await add(core)
    await asyncio.wait_for(scribe.began.wait(), 30)
    second = await add(core, "harbour.txt")
    await wait_until(core, second, state="READY")
    await scribe.is_given_up()
    scribe.may.set()
    for document in (first, second):
        await wait_until(core, document, described_by="model", state="READY")


async def test_no_document_is_described_while_vectors_are_made(core: Core, scribe: Scribe, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes to make some."""
    left, made = 3, asyncio.Event()

    async def embed_some(*given: Any) -> int:
        nonlocal left
        if not left:
            made.set()
            return 0
        await asyncio.sleep(0.3)
        assert not scribe.began.is_set()
        left -= 1
        return 8

    monkeypatch.setattr(type(core.ingestor), "embed_some", embed_some)
    await add(core)
    await asyncio.wait_for(scribe.began.wait(), 30)
    assert made.is_set()
