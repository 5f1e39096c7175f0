"""What a model writes about sections stands at the levels above passages, where their collection asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.types import Chunk, Chunker, CollectionSettings
from tests.fakes import work_all
from tests.footnote.ingest.test_describe_by_model import ME, PATH, describe_all, says
from tests.openai_server import Server

LONG = "The lighthouse was lit in the year of the great fire, and its keeper lived in the tower. " * 12
TEXT = f"# The tower\n\n{LONG}\n\n# The harbour\n\nThe harbour is small and old, and nobody comes there in winter.\n"
SAID = "The tower was lit in the year of the fire and had a keeper."


async def add(folder: Path, server: Server, chunker: Chunker) -> dict[int, list[Chunk]]:
    llm = LLM(discover=False, base_url=f"{server.url}/v1", model="scribe", retries=0)
    core = Core(
        Settings(footnote_data=folder, llm=llm, embedding=Embedding(builtin=False), ingest=Ingest(chunk_tokens=100, enrichment="patterns"))
    )
    try:
        await core.collections.create("default", CollectionSettings(chunker), title="", description="", by="me")
        document = await core.ingestor.accept(ME, TEXT.encode(), file_name="tower.md", collection="default", permission_groups=["*"])
        await work_all(core)
        await describe_all(core)
        chunks = [f"{document.doc_id}|1|{number}" for number in range(50)]
        levels: dict[int, list[Chunk]] = {0: [], 1: [], 2: []}
        for chunk in await core.index.read(ME, chunks):
            levels[chunk.level].append(chunk)
        return levels
    finally:
        await core.close()


async def test_long_sections_and_the_document_are_summarised(tmp_path: Path, server: Server) -> None:
    server.replies[PATH] = says({"summary": SAID, "topics": [], "type": "other"})
    levels = await add(tmp_path, server, "hierarchical")
    assert [chunk.text for chunk in levels[1]] == [
        f"The tower\n\n{SAID}",
        "The harbour\n\nThe harbour is small and old, and nobody comes there in winter.",
    ]
    assert levels[0][0].text.endswith(SAID)
    assert all(SAID not in chunk.text for chunk in levels[2])
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "reply", ["no JSON", {"summary": "Der Turm wurde im Jahr des großen Brandes angezündet.", "topics": [], "type": "other"}]
)
async def test_without_a_usable_reply_the_text_is_quoted(tmp_path: Path, server: Server, reply: object) -> None:
    server.replies[PATH] = says(reply)
    levels = await add(tmp_path, server, "hierarchical")
    assert levels[1][0].text.startswith("The tower\n\nThe lighthouse was lit")


async def test_other_collections_ask_no_model(tmp_path: Path, server: Server) -> None:
    levels = await add(tmp_path, server, "structure")
    assert levels[1][0].text.startswith("The tower\n\nThe lighthouse was lit")
    assert server.requests == []
