"""Syncing a space of Confluence, which is a server on a socket of this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.responses import JSONResponse

from footnote.adapters.confluence import wiki_client
from footnote.bootstrap import Core
from footnote.bootstrap.sources import make_sync, open_source
from footnote.errors import BadRequest, NotFound, Unavailable
from footnote.ingest.integrity import verify
from footnote.ingest.sync_plan import SyncPlan
from footnote.ingest.sync_record import Wanted, choose_options, save_options
from footnote.ingest.sync_state import Options
from footnote.ingest.wiki import LOADER
from footnote.ingest.wiki_space import SpaceSync
from footnote.ports import read_all
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.settings import Confluence as Mapping
from footnote.types import ADMINS, SYSTEM, Document, StoredName
from tests.confluence_server import API, CONTEXT, TOKEN, Confluence, File, Page, serving
from tests.fakes import HereParser, work_all

MAPPING = Mapping(spaces={"ENG": ["staff", "board"], "OPEN": ["*"]}, groups={"directors": ["board"]})


@dataclass
class World:
    """A Confluence with a space, and what is synced of it."""

    core: Core
    confluence: Confluence
    collection: str = "default"
    deleted: int = 0

    async def plan(self, space: str = "ENG") -> tuple[SpaceSync, SyncPlan]:
        source = open_source(f"confluence:{space}", self.core.wiki_pages)
        sync = make_sync(source, self.core.ingestor, Options(StoredName(self.collection), ()))
        assert isinstance(sync, SpaceSync)
        return sync, await sync.plan()

    async def sync(self, space: str = "ENG") -> tuple[SpaceSync, SyncPlan]:
        sync, plan = await self.plan(space)
        await sync.apply(plan, note=self.note)
        await work_all(self.core)
        return sync, plan

    async def note(self, document: Document) -> None:
        self.deleted += 1

    async def documents(self) -> dict[str, Document]:
        listed = await read_all(lambda after: self.core.ledger.list(SYSTEM, limit=200, after=after))
        return {document.file_name: document for document in listed}

    def text(self, **pages: Page) -> None:
        self.confluence.pages.update({name.removeprefix("p"): page for name, page in pages.items()})


def done(plan: SyncPlan) -> tuple[list[str], list[str], list[str], int]:
    return plan.added, plan.changed, plan.removed, plan.unchanged


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiki_client, "FIRST_RETRY_S", 0.01)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    pages = {
        "p1": Page("Home", "<p>Welcome.</p>"),
        "p2": Page("Harbour", "<p>The lighthouse was lit in 1874.</p>", parent="1", labels=["port"]),
        "p3": Page("Tides", "<p>The tide is high.</p>", parent="2"),
        "p4": Page("News", "<p>A crane arrived.</p>", kind="blogpost"),
        "p5": Page("Elsewhere", "<p>Another space.</p>", space="OPEN"),
    }
    pages["p3"].files = {str(n): File(f"{n}.txt", f"File {n} of the tides.".encode(), "text/plain") for n in range(30, 35)}
    pages["p4"].files = {"40": File("crane.txt", b"It lifts nine tons.", "text/plain"), "41": File("a.png", b"", "image/png")}
    async with serving(**pages) as confluence:
        core = Core(
            Settings(
                footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), ingest=Ingest(max_file_mb=1),
                confluence=MAPPING.model_copy(update={"base_url": confluence.url, "token": SecretStr(TOKEN)}),
            ),
            parser=HereParser(),
        )  # fmt: skip
        yield World(core, confluence)
        await core.close()


@pytest.fixture
async def synced(world: World) -> None:
    """The space was synced once."""
    await world.sync()


ALL = ["1", "2", "3", "3/att30", "3/att31", "3/att32", "3/att33", "3/att34", "4", "4/att40"]


async def test_a_space_becomes_documents_and_a_second_run_requests_no_page(world: World) -> None:
    _, plan = await world.sync()
    assert done(plan) == (ALL, [], [], 0)
    documents = await world.documents()
    assert {document.state for document in documents.values()} == {"READY"}
    assert {document.permission_groups for document in documents.values()} == {frozenset({"staff", "board"})}
    assert documents["Harbour.xml"].metadata["labels"] == ["port"]
    assert documents["News.xml"].metadata["kind"] == "blogpost"
    world.confluence.requests.clear()
    _, again = await world.plan()
    assert done(again) == ([], [], [], len(ALL))
    asked = {path.removeprefix(CONTEXT) for path, _ in world.confluence.requests}
    assert asked == {
        "/rest/api/space/ENG",
        "/rest/api/content",
        "/rest/api/content/3/child/attachment",
        "/rest/api/content/4/child/attachment",
    }


@pytest.mark.usefixtures("synced")
async def test_only_what_changed_is_read_and_documents_keep_their_ids(world: World) -> None:
    before = await world.documents()
    pages = world.confluence.pages
    pages["2"].title, pages["2"].version = "Port", 2
    pages["2"].labels = ["port", "sea"]
    pages["3"].parent = "1"  # moved: neither its text nor its readers change
    pages["3"].files["30"] = File("30.txt", b"File 30, changed.", "text/plain", version=2)
    del pages["3"].files["31"]
    world.text(p6=Page("New", "<p>New.</p>"))
    _, plan = await world.sync()
    assert done(plan) == (["6"], ["2", "3/att30"], ["3/att31"], 7)
    after = await world.documents()
    assert after["Port.xml"].doc_id == before["Harbour.xml"].doc_id
    assert {document.state for document in after.values()} == {"READY"}
    assert after["Port.xml"].metadata["labels"] == ["port", "sea"]
    assert after["30.txt"].doc_id == before["30.txt"].doc_id
    assert after.keys() - before.keys() == {"Port.xml", "New.xml"}
    assert before.keys() - after.keys() == {"Harbour.xml", "31.txt"}
    assert done((await world.plan())[1]) == ([], [], [], 10)


@pytest.mark.usefixtures("synced")
async def test_labels_alone_are_noticed(world: World) -> None:
    world.confluence.pages["4"].labels = ["big"]
    _, plan = await world.sync()
    assert done(plan)[:3] == ([], ["4", "4/att40"], [])
    assert (await world.documents())["crane.txt"].metadata["labels"] == ["big"]


@pytest.mark.usefixtures("synced")
async def test_restrictions_alone_are_noticed_also_those_of_pages_above(world: World) -> None:
    world.confluence.pages["2"].readers = (["directors"], [])
    _, plan = await world.sync()
    assert plan.changed == ["2", "3", "3/att30", "3/att31", "3/att32", "3/att33", "3/att34"]
    assert not plan.is_drastic
    groups = {name: set(document.permission_groups) for name, document in (await world.documents()).items()}
    assert (groups["Harbour.xml"], groups["30.txt"], groups["Home.xml"]) == ({"board"}, {"board"}, {"staff", "board"})
    world.confluence.pages["2"].readers = (["unknown"], [])
    _, plan = await world.sync()
    assert plan.refused.keys() == {"2", "3"}
    documents = await world.documents()
    failed = documents["confluence-3.xml"]
    assert (failed.state, failed.permission_groups) == ("FAILED", frozenset({ADMINS}))
    assert "30.txt" not in documents
    _, plan = await world.plan()
    assert (done(plan)[:3], plan.refused.keys()) == (([], [], []), {"2", "3"})


async def test_lost_rights_to_read_come_before_any_other_work_and_without_consent(world: World) -> None:
    world.confluence.pages["2"].parent = world.confluence.pages["3"].parent = None
    await world.sync()
    world.confluence.pages["3"].readers = (["directors"], [])
    for number in ("1", "2"):
        world.confluence.hidden.add(number)
    sync, plan = await world.plan()
    assert (plan.is_drastic, plan.lost, plan.documents) == (True, 2, 10)
    await sync.withdraw(world.note)
    assert set(await world.documents()) == {"Home.xml", "Harbour.xml", "News.xml", "crane.txt"}
    sync.spare(plan)
    await sync.apply(plan)
    assert {"Home.xml", "Harbour.xml", "Tides.xml", "30.txt"} <= (await world.documents()).keys()


@pytest.mark.usefixtures("synced")
async def test_a_page_restricted_while_losing_an_attachment_goes_without_consent(world: World) -> None:
    page = world.confluence.pages["3"]
    lost = page.files.pop("30")
    page.readers = (["directors"], [])
    sync, plan = await world.plan()
    assert plan.removed == ["3/att30"]
    sync.spare(plan)
    await sync.apply(plan)
    documents = await world.documents()
    assert not [name for name in ("Tides.xml", *(f"{n}.txt" for n in range(30, 35))) if name in documents]
    page.files["30"] = lost
    await world.sync()
    assert (await world.documents())["30.txt"].permission_groups == frozenset({"board"})


@pytest.mark.usefixtures("synced")
async def test_a_page_that_the_list_lacks_is_asked_for_before_it_is_removed(world: World) -> None:
    pages = world.confluence.pages
    moved, lost = pages["4"], pages.pop("2")
    moved.space = "OPEN"

    def reappear() -> None:
        pages["2"] = lost

    pages["3"].parent = "1"
    world.confluence.meanwhile[f"{CONTEXT}/rest/api/content/3/child/attachment"] = reappear
    _, plan = await world.sync()
    assert done(plan)[:3] == ([], ["2"], ["4", "4/att40"])
    assert set(await world.documents()) == {"Home.xml", "Harbour.xml", "Tides.xml", *(f"{n}.txt" for n in range(30, 35))}
    del pages["2"]
    _, plan = await world.sync()
    assert done(plan)[:3] == ([], [], ["2"])
    assert "Harbour.xml" not in await world.documents()


async def test_other_spaces_and_collections_stay_as_they_are(world: World) -> None:
    pages = world.core.wiki_pages
    assert pages is not None
    for page_id, collection in (("5", "default"), ("4", "other"), ("4", "default")):
        await pages.add(LOADER, pages.base_url, page_id, collection, note=world.note)
    _, plan = await world.sync()
    assert (set(plan.added), plan.unchanged) == (set(ALL) - {"4", "4/att40"}, 2)
    world.confluence.pages = {"5": world.confluence.pages["5"], "1": world.confluence.pages["1"]}
    await world.sync()
    listed = await read_all(lambda after: world.core.ledger.list(SYSTEM, limit=200, after=after))
    assert {(document.file_name, document.collection) for document in listed} == {("Home.xml", "default"), ("Elsewhere.xml", "default")}


@pytest.mark.usefixtures("synced")
async def test_a_page_or_file_that_cannot_be_read_leaves_the_others(world: World) -> None:
    pages, replies = world.confluence.pages, world.confluence.replies
    for number in "124":
        pages[number].version, pages[number].body = 2, f"<p>Changed {number}.</p>"
    pages["4"].files["40"] = File("crane.txt", b"It lifts ten tons.", "text/plain", version=2)
    replies[f"{API}/2"] = [JSONResponse({}, 500)] * 4
    replies[f"{CONTEXT}/download/attachments/4/40"] = [JSONResponse({}, 500)] * 4
    sync, _ = await world.sync()
    assert sync.skipped.keys() == {"2", "4/att40"}
    assert (await world.documents())["crane.txt"].generation == 1
    sync, plan = await world.sync()
    assert (done(plan)[:3], sync.skipped) == (([], ["2", "4/att40"], []), {})
    assert (await world.documents())["crane.txt"].generation == 2


@pytest.mark.usefixtures("synced")
async def test_a_page_whose_restrictions_cannot_be_read_stays_as_it_is_with_those_below(world: World) -> None:
    world.confluence.odd["2"] = {"restrictions": {}}
    _, plan = await world.sync()
    assert (plan.skipped.keys(), done(plan)) == ({"2", "3"}, ([], [], [], 3))
    assert len(await world.documents()) == len(ALL)


@pytest.mark.usefixtures("synced")
async def test_attachments_that_cannot_be_listed_stay_and_a_restriction_still_counts(world: World) -> None:
    path = f"{API}/3/child/attachment"
    world.confluence.replies[path] = [JSONResponse({}, 500)] * 4
    _, plan = await world.sync()
    assert (plan.skipped.keys(), done(plan)[:3]) == ({"3/attachments"}, ([], [], []))
    world.confluence.pages["3"].readers = (["directors"], [])
    world.confluence.replies[path] = [JSONResponse({}, 500)] * 8
    sync, plan = await world.sync()
    assert (plan.changed, sync.skipped.keys()) == (["3"], {"3"})
    assert "30.txt" not in await world.documents()
    await world.sync()
    assert (await world.documents())["30.txt"].permission_groups == frozenset({"board"})


async def test_a_wiki_that_goes_away_ends_the_sync_and_one_that_is_busy_is_waited_for(world: World) -> None:
    world.confluence.replies[API] = [JSONResponse({}, 429, {"retry-after": "0"}), JSONResponse({}, 503)]
    sync, plan = await world.plan()
    for number in "1234":
        world.confluence.replies[f"{API}/{number}"] = [JSONResponse({}, 503)] * 9
    with pytest.raises(Unavailable):
        await sync.apply(plan)
    assert len(sync.skipped) == 3
    world.confluence.replies = {API: [JSONResponse({}, 500)] * 4}
    with pytest.raises(Unavailable):
        await world.plan()


@pytest.mark.usefixtures("synced")
async def test_a_document_that_a_user_deleted_comes_back_when_its_page_changes(world: World) -> None:
    await world.core.ingestor.delete(SYSTEM, (await world.documents())["News.xml"].doc_id)
    assert done((await world.sync())[1])[:3] == ([], [], [])
    world.confluence.pages["4"].version = 2
    await world.sync()
    assert "News.xml" in await world.documents()


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("confluence:", "by its key"),
        ("confluence:A/B", "by its key"),
        ("confluence:eng", "is ENG"),
        ("confluence:XX", "no space"),
    ],
)
async def test_a_space_that_does_not_exist_is_an_error(world: World, place: str, told: str) -> None:
    with pytest.raises((BadRequest, NotFound), match=told):
        await make_sync(open_source(place, world.core.wiki_pages), world.core.ingestor, Options(StoredName("default"), ())).plan()


async def test_readers_come_from_the_wiki_and_a_space_is_in_one_collection(world: World) -> None:
    core, source = world.core, open_source("confluence:ENG", world.core.wiki_pages)

    async def choose(**wanted: Any) -> Options:
        return await choose_options(core.records, core.origins, core.collections, source, Wanted(**wanted), core.settings)

    assert source.address == f"{world.confluence.url}/display/ENG" == open_source(source.address, core.wiki_pages).address
    for wrong in ({"groups": ["hr"]}, {"metadata": {"a": "b"}}):
        with pytest.raises(BadRequest, match="come from Confluence"):
            await choose(**wrong)
    options = await choose()
    assert options.collection == "default"
    await save_options(core.records, source.address, options, by="x")
    assert (await choose(collection="other")).collection == "other"
    await world.sync()
    with pytest.raises(BadRequest, match="in one collection only"):
        await choose(collection="other")
    with pytest.raises(BadRequest, match="CONFLUENCE__BASE_URL"):
        open_source("confluence:ENG", None)


async def test_a_page_that_is_refused_for_another_reason_leaves_nothing_behind(world: World) -> None:
    for group in ("unknown", "unheard"):
        world.confluence.pages["3"].readers = ([group], [])
        await world.sync()
    failed = (await world.documents())["confluence-3.xml"]
    assert ("unheard" in (failed.reason or ""), failed.generation) == (True, 2)
    assert (await verify(world.core.bucket, [], None, repair=False, abandoned_s=0)).findings == ()
