"""The schedule of sources: what is synced, what is left out, and what is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import JSONResponse

from footnote.adapters.confluence import wiki_client
from footnote.bootstrap import Core
from footnote.bootstrap.sources import open_source
from footnote.errors import Conflict
from footnote.ingest.source_lease import leased
from footnote.ingest.sync_record import LastRun, read_record, save_options
from footnote.ingest.sync_state import Options
from footnote.ports import read_all
from footnote.settings import LLM, Embedding, Settings
from footnote.settings import Confluence as Mapping
from footnote.types import SYSTEM, Caller, StoredName
from footnote_ingest.app import create_app, create_handler
from footnote_ingest.source_schedule import sync_sources
from footnote_query.app import create_app as create_query
from tests.confluence_server import API, TOKEN, Confluence, File, Page, serving
from tests.conftest import HandClock
from tests.functions.conftest import as_caller, sample_event


@pytest.fixture
async def confluence(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Confluence]:
    monkeypatch.setattr(wiki_client, "FIRST_RETRY_S", 0.01)
    async with serving(**{f"p{number}": Page(f"Page {number}", f"<p>Text {number}.</p>") for number in range(1, 6)}) as made:
        yield made


def make_core(folder: Path, clock: HandClock, url: str | None = None) -> Core:
    return Core(
        Settings(
            footnote_data=folder, embedding=Embedding(builtin=False), llm=LLM(discover=False),
            confluence=Mapping(spaces={"ENG": ["staff"]}, base_url=url, token=TOKEN if url else None),  # type: ignore[arg-type]
        ),
        clock=clock,
    )  # fmt: skip


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock, confluence: Confluence) -> AsyncIterator[Core]:
    made = make_core(tmp_path, clock, confluence.url)
    await save_options(made.records, address_of(confluence), Options(StoredName("default"), ()), by="x")
    await save_options(made.records, "file:///handbooks", Options(StoredName("default"), ()), by="x")
    yield made
    await made.close()


def address_of(confluence: Confluence) -> str:
    return f"{confluence.url}/display/ENG"


async def last_run(core: Core, address: str) -> LastRun | None:
    record = await core.records.get("source", address)
    return read_record(record.value).last_run


async def names(core: Core) -> set[str]:
    return {each.file_name for each in await read_all(lambda after: core.ledger.list(SYSTEM, limit=200, after=after))}


async def test_a_source_is_synced_and_every_run_is_recorded(core: Core, confluence: Confluence, clock: HandClock) -> None:
    assert await sync_sources(core) == {"done": 1}
    assert await names(core) == {f"Page {number}.xml" for number in range(1, 6)}
    first = await last_run(core, address_of(confluence))
    assert (first.state, first.added, first.failed) == ("done", 5, 0)
    clock.now += 3600
    assert await sync_sources(core) == {"done": 1}
    second = await last_run(core, address_of(confluence))
    assert (second.at - first.at, second.added, second.unchanged) == (3600, 0, 5)
    assert await last_run(core, "file:///handbooks") is None


async def test_more_deletions_than_a_tenth_wait_for_consent_and_all_else_is_done(core: Core, confluence: Confluence) -> None:
    await sync_sources(core)
    del confluence.pages["1"]
    confluence.pages["2"].version, confluence.pages["2"].title = 2, "Changed"
    confluence.pages["3"].readers = (["unknown"], [])
    assert await sync_sources(core) == {"needs_consent": 1}
    run = await last_run(core, address_of(confluence))
    assert (run.state, run.lost, run.documents, run.removed, run.changed) == ("needs_consent", 1, 5, 0, 2)
    assert await names(core) == {"Page 1.xml", "Changed.xml", "confluence-3.xml", "Page 4.xml", "Page 5.xml"}


async def test_a_run_that_takes_too_long_is_continued_by_the_next(core: Core, confluence: Confluence) -> None:
    confluence.replies[f"{API}/3"] = [30.0]
    assert await sync_sources(core, 2.0) == {"unfinished": 1}
    run = await last_run(core, address_of(confluence))
    assert (run.state, run.added) == ("unfinished", len(await names(core)))
    assert await sync_sources(core) == {"done": 1}
    assert len(await names(core)) == 5


async def test_a_source_that_cannot_be_reached_is_recorded_and_leaves_the_others(core: Core, confluence: Confluence) -> None:
    await save_options(core.records, "http://127.0.0.1/sitemap.xml", Options(StoredName("default"), ("*",)), by="x")
    confluence.replies[API] = [JSONResponse({}, 500)] * 4
    assert await sync_sources(core) == {"failed": 2}
    run = await last_run(core, address_of(confluence))
    assert "status 500" in run.detail
    assert await sync_sources(core) == {"failed": 1, "done": 1}


async def test_a_defect_is_recorded_and_leaves_the_others(
    core: Core, confluence: Confluence, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = "http://127.0.0.1/sitemap.xml"

    class Broken:
        address = broken

        async def close(self) -> None:
            raise ZeroDivisionError("a secret")

    def open_(place: str, pages: Any) -> Any:
        return Broken() if place == broken else open_source(place, pages)

    monkeypatch.setattr("footnote_ingest.source_schedule.open_source", open_)
    await save_options(core.records, broken, Options(StoredName("default"), ("*",)), by="x")
    clock.now += 100
    assert await sync_sources(core) == {"failed": 1, "done": 1}
    run = await last_run(core, broken)
    assert (run.state, run.detail) == ("failed", "An unexpected error occurred. The log says more; report it if it happens again.")
    assert run.at == clock.now


async def test_admins_learn_no_name_of_an_attachment_that_they_may_not_read(core: Core, confluence: Confluence) -> None:
    confluence.pages["2"].files = {"20": File("merger.pdf", b"%PDF-1.7", "application/pdf")}
    for group, sees_it in (("it", False), ("staff", True)):
        app = as_caller(Caller("ann", frozenset({group}), role="admin"), create_query)(lambda: core)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
            for _ in range(2):  # what fails after the run, and what has failed before it
                await sync_sources(core)
                reply = await client.get("/sources")
                (run,) = [each["last_run"] for each in reply.json()["data"] if each["last_run"]]
                ((name, doc_id),) = [(each["name"], each["doc_id"]) for each in run["failures"]]
                assert (run["failed"], name) == (1, "2/att20")
                assert ("merger" in reply.text, doc_id is not None) == (sees_it, sees_it)


async def test_one_sync_of_a_source_runs_at_a_time(core: Core, confluence: Confluence, clock: HandClock) -> None:
    async with leased(core.records, address_of(confluence), core.clock):
        assert await sync_sources(core) == {"busy": 1}
        with pytest.raises(Conflict, match="Another sync"):
            async with leased(core.records, address_of(confluence), core.clock):
                pass
        clock.now += 121  # as if its process had died
        assert await sync_sources(core) == {"done": 1}
    assert await sync_sources(core) == {"done": 1}


def test_the_event_reaches_it(tmp_path: Path, clock: HandClock) -> None:
    core = make_core(tmp_path, clock)
    assert create_handler(create_app(lambda: core))(sample_event("ingest_sync"), None) == {}
    with asyncio.Runner() as runner:
        runner.run(core.close())
