"""A server whose disk is full: it is not ready, but alive, and questions are answered."""

from __future__ import annotations

from pathlib import Path

import httpx

from footnote_local.server import create_app
from tests.fakes import make_document, put_document
from tests.footnote_local.conftest import open_core
from tests.full_disk import files_of_at_most

FULL = "The database store.db cannot be written. The disk is full. Free disk space."
ASK = {"query_text": "How long is the bridge?", "index_name": "default", "permission_groups": []}


async def test_on_a_full_disk_every_function_is_alive_and_not_ready_until_there_is_space(tmp_path: Path) -> None:
    core = open_core(tmp_path)
    await put_document(core.generations, make_document("bridge", groups=("*",)), ["The bridge is 300 metres long."])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(core)), base_url="http://localhost") as client:
        for function in ("query", "ingest", "feedback", "stats"):
            assert (await client.get(f"/{function}/ready")).status_code == 200
            with files_of_at_most(40_000):
                alive, ready = await client.get(f"/{function}/health"), await client.get(f"/{function}/ready")
            assert (alive.status_code, ready.status_code, ready.json()["parts"]["store"]) == (200, 503, FULL)
        ready = await client.get("/ready")
        assert (ready.status_code, ready.json()["parts"]["store"]) == (200, "ok")
    await core.close()


async def test_on_a_full_disk_a_question_is_answered_and_said_to_be_unsaved(tmp_path: Path) -> None:
    core = open_core(tmp_path)
    await put_document(core.generations, make_document("bridge", groups=("*",)), ["The bridge is 300 metres long."])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(core)), base_url="http://localhost") as client:
        before = (await client.post("/ask", json=ASK)).json()
        with files_of_at_most(40_000):
            full = (await client.post("/ask", json={**ASK, "query_text": "How many metres is the bridge long?"})).json()
        after = (await client.post("/ask", json={**ASK, "query_text": "How long is this bridge?"})).json()
    await core.close()
    assert ["300 metres" in reply["answer"] for reply in (before, full, after)] == [True, True, True]
    assert [reply["persisted"] for reply in (before, full, after)] == [True, False, True]
