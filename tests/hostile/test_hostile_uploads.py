"""Hostile uploads do not affect the server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, Embedding, Settings
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from tests.functions.conftest import ASK, BRIDGE, LOCAL
from tests.hostile.packages import LAUGHS, docx, padded, paragraph
from tests.hostile.pdfs import encrypted
from tests.hostile.texts import rtf


@pytest.fixture
async def core(tmp_path: Path, clock: Clock) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)), clock=clock)
    yield made
    await made.close()


@pytest.fixture
async def ingest(core: Core) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_ingest(lambda: core)), base_url="http://footnote.test") as client:
        yield client


@pytest.fixture
async def query(core: Core) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_query(lambda: core)), base_url="http://footnote.test") as client:
        yield client


async def upload(client: httpx.AsyncClient, name: str, data: bytes) -> str:
    reply = await client.post("/ingest/file", files={"file": (name, data)}, data={"index_name": "default"})
    assert reply.status_code == 202
    return str(reply.json()["doc_id"])


async def test_hostile_files_fail_with_a_remedy_and_a_valid_one_is_found(
    core: Core, ingest: httpx.AsyncClient, query: httpx.AsyncClient
) -> None:
    files = {
        "bomb.docx": padded(60 << 20),
        "laughs.docx": docx(paragraph("&a8;"), LAUGHS),
        "bridge.txt": " ".join(BRIDGE).encode(),
        "secret.pdf": encrypted(),
        "deep.rtf": rtf("{" * 100_000),
    }
    doc_ids = {name: await upload(ingest, name, data) for name, data in files.items()}
    while await core.ingestor.work_one():
        pass
    documents = {name: (await ingest.get(f"/documents/{doc_id}")).json() for name, doc_id in doc_ids.items()}
    assert {name: document["state"] for name, document in documents.items()} == {
        "bomb.docx": "FAILED",
        "laughs.docx": "FAILED",
        "bridge.txt": "READY",
        "secret.pdf": "FAILED",
        "deep.rtf": "FAILED",
    }
    assert all(document["reason"] and document["remedy"] for document in documents.values() if document["state"] == "FAILED")
    answer = (await query.post("/ask", json=ASK)).json()
    assert answer["citations"][0]["doc_id"] == doc_ids["bridge.txt"]


async def test_a_long_text_is_prepared_outside_of_the_event_loop_thread(core: Core) -> None:
    data = "\n\n".join(f"Bridge {n} was built in {n}, and ferries cross the river every hour. " * 20 for n in range(1500, 1800)).encode()
    document = await core.ingestor.accept(LOCAL, data, file_name="long.txt", collection="default", permission_groups=[])
    here, everywhere = time.thread_time(), time.process_time()
    await core.ingestor.work_one()
    here, everywhere = time.thread_time() - here, time.process_time() - everywhere
    assert (await core.ledger.get(LOCAL, document.doc_id)).chunks > 100
    assert here < everywhere / 4
