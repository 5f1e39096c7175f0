"""`GET /sources`: what is kept in sync, and how the last runs ended."""

from __future__ import annotations

from dataclasses import asdict

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.ingest.sync_record import Failure, LastRun, save_options, save_run
from footnote.ingest.sync_state import Options
from footnote.types import StoredName
from footnote_query.app import create_app as create_query
from tests.functions.conftest import LOCAL, OpenClient, as_caller


@pytest.fixture
async def admin(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(as_caller(LOCAL, create_query))


async def add(core: Core, address: str, run: LastRun | None = None) -> None:
    await save_options(core.records, address, Options(StoredName("law"), ("hr",)), by="x")
    if run is not None:
        await save_run(core.records, core.ledger, address, run, by="x")


async def test_sources_are_listed_with_their_last_runs(core: Core, admin: httpx.AsyncClient) -> None:
    assert (await admin.get("/sources")).json()["data"] == []
    run = LastRun(5.0, "needs_consent", added=1, failed=1, documents=9, lost=4, failures=(Failure("a.md", "It is locked.", "Unlock it."),))
    await add(core, "file:///handbooks", run)
    await add(core, "s3://bucket/a/")
    first = (await admin.get("/sources", params={"limit": 1})).json()
    (one,) = first["data"]
    assert (one["address"], one["collection"], one["permission_groups"]) == ("file:///handbooks", "law", ["hr"])
    told = {name: one["last_run"][name] for name in ("ended_at", "state", "added", "failed", "documents", "lost")}
    assert told == {"ended_at": 5.0, "state": "needs_consent", "added": 1, "failed": 1, "documents": 9, "lost": 4}
    assert one["last_run"]["failures"] == [asdict(run.failures[0])]
    (rest,) = (await admin.get("/sources", params={"after": first["last_id"]})).json()["data"]
    assert (rest["address"], rest["last_run"]) == ("s3://bucket/a/", None)


async def test_a_key_in_an_address_is_not_shown(core: Core, admin: httpx.AsyncClient) -> None:
    await add(core, "https://example.com/sitemap.xml?key=secret")
    reply = await admin.get("/sources")
    assert reply.json()["data"][0]["address"] == "https://example.com/sitemap.xml?…"
    assert "secret" not in reply.text
