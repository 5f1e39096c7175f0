"""What models made of a collection goes into an archive and comes out of it: questions, and the vectors of its own embedder."""

from __future__ import annotations

import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.errors import BadRequest
from footnote.guard.identity import LOCAL
from footnote.ingest.vectors import RECIPE
from footnote.settings import LLM
from footnote.types import CollectionSettings, Request
from footnote_local.transfer.archive import EmbedderEntry
from footnote_local.transfer.archive_reader import ArchiveReader
from footnote_local.transfer.collections import NO_QUESTIONS, import_collection, summary
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder
from tests.footnote_local.conftest import open_core
from tests.footnote_local.test_transfer import DOCS, PROFILE, Cores, add, answers, documents, export, silent
from tests.openai_server import chunk, serving, sse


@pytest.fixture
async def cores(tmp_path: Path, clock: HandClock) -> AsyncIterator[Cores]:
    """Opens data folders by name, each once."""
    made: dict[str, Core] = {}

    def open_one(name: str) -> Core:
        if name not in made:
            made[name] = open_core(tmp_path / name, clock=clock)
            made[name].embedder = FakeEmbedder()
        return made[name]

    yield open_one
    for core in made.values():
        await core.close()


async def test_questions_that_a_model_wrote_come_along(cores: Cores, tmp_path: Path) -> None:
    described = {"summary": "Records.", "topics": ["tower"], "type": "report"}
    core = cores("source")
    async with serving() as server:
        server.replies["/v1/chat/completions"] = lambda sent: sse(
            chunk(
                content=json.dumps(
                    {"questions": ["1: When is the vacation?"]} if "document number" in sent["messages"][0]["content"] else described
                )
            )
        )
        core.live.current = core.settings.model_copy(
            update={
                "ingest": core.settings.ingest.model_copy(update={"enrichment": "questions"}),
                "llm": LLM(discover=False, base_url=f"{server.url}/v1", model="scribe", retries=0),
            }
        )
        await add(core, b"# Tower\n\n" + b"The keeper climbed the stairs at dusk and noted the weather. " * 5, "tower.md", ["*"])
        assert await core.descriptions.describe_next()
    target = cores("target")
    target.live.current = target.settings.model_copy(update={"ingest": core.settings.ingest})
    arrived = await import_collection(target, await export(core, tmp_path / "x.zip"), None, silent)
    assert NO_QUESTIONS not in summary(arrived)
    found = []
    for each in (core, target):
        request = Request("When is the vacation?", "handbooks", retriever="bm25")
        turn = await each.retrieve.finish(each.new_turn(request, LOCAL, PROFILE, trace_id="t"))
        found.append([(hit.chunk.chunk_id, hit.score, hit.chunk.questions) for hit in turn.evidence.hits])
    assert (found[0], len(found[1])) == (found[1], 1)
    assert found[1][0][2] == ()
    assert await export(target, tmp_path / "y.zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as one, zipfile.ZipFile(tmp_path / "y.zip") as other:
        assert one.read("documents/1/chunks.jsonl") == other.read("documents/1/chunks.jsonl")


async def test_a_collections_own_embedder_is_that_of_its_archive(cores: Cores, tmp_path: Path) -> None:
    legal = FakeEmbedder("legal-model", dimension=32)
    core = cores("source")
    core.named_embedders = core.ingestor.named = {"legal": legal}
    await core.collections.create("handbooks", CollectionSettings(embedder="legal"), title="", description="", by="me")
    await add(core, (DOCS / "limits.md").read_bytes(), "limits.md", ["*"])
    packed = await export(core, tmp_path / "x.zip")
    assert ArchiveReader(packed, 100).manifest.embedder == EmbedderEntry(name="legal-model", dimension=32, recipe=RECIPE)
    with pytest.raises(BadRequest, match="no embedder “legal” here"):
        await import_collection(cores("without"), packed, None, silent)
    assert await documents(cores("without")) == []
    target = cores("target")
    target.named_embedders = target.ingestor.named = {"legal": FakeEmbedder("legal-model", dimension=32)}
    arrived = await import_collection(target, packed, None, silent)
    assert (arrived.remade, await target.ingestor.embed_some()) == (None, 0)
    assert await answers(target) == await answers(core)
    await cores("without").collections.create("handbooks", CollectionSettings(), title="", description="", by="me")
    arrived = await import_collection(cores("without"), packed, None, silent)
    assert arrived.remade == "Its vectors are of legal-model, here fake-embedder is used: vectors are made anew."
