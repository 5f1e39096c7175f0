"""`POST /ingest/confluence`, with a Confluence on a socket of this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import JSONResponse

from footnote.adapters.confluence import wiki_client
from footnote.bootstrap import Core
from footnote.ingest import wiki
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.settings import Confluence as Mapping
from footnote.types import Caller
from footnote_ingest.app import create_app
from footnote_query.app import create_app as create_query
from tests.confluence_server import API, CONTEXT, TOKEN, Confluence, File, Page, serving
from tests.conftest import HandClock
from tests.fakes import work_all
from tests.functions.conftest import LOCAL, as_caller
from tests.functions.test_ingest import found
from tests.functions.test_query_bad_input import detail_of

MAPPING: dict[str, Any] = {
    "spaces": {"ENG": ["staff", "board"], "OPEN": ["*"]},
    "groups": {"everyone": ["staff", "board"], "directors": ["board"], "guests": ["guests"], "all": ["*"]},
    "users": {"jdoe": ["user:john"], "boss": ["board"]},
}
ANN, BEN, DAN = Caller("ann", frozenset({"staff", "*"})), Caller("ben", frozenset({"board", "*"})), Caller("dan", frozenset({"*"}))
UNKNOWN = "There is no such page, or you may not read it. If it exists, administrators may find the reason among the FAILED documents."
BODY = "<h1>Harbour</h1><p>The lighthouse was lit in 1874.</p>"
OpenAs = Callable[[Caller], Awaitable[httpx.AsyncClient]]


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiki_client, "FIRST_RETRY_S", 0.01)


@pytest.fixture
async def confluence() -> AsyncIterator[Confluence]:
    async with serving(p1=Page("Home", ""), p2=Page("Harbour guide", BODY, parent="1", labels=["port"])) as made:
        yield made


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock, confluence: Confluence) -> AsyncIterator[Core]:
    made = Core(
        Settings(
            footnote_data=tmp_path,
            embedding=Embedding(builtin=False),
            llm=LLM(discover=False),
            ingest=Ingest(max_file_mb=1),
            confluence=Mapping(**MAPPING, base_url=confluence.url + "/", token=TOKEN),
        ),
        clock=clock,
    )
    yield made
    await made.close()


@pytest.fixture
async def open_as(core: Core) -> AsyncIterator[OpenAs]:
    """A client of both functions, signed in as this caller."""
    async with AsyncExitStack() as stack:

        async def open_(caller: Caller) -> httpx.AsyncClient:
            app = as_caller(caller, create_app)(lambda: core)
            app.router.routes += as_caller(caller, create_query)(lambda: core).router.routes
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test"))

        yield open_


@pytest.fixture
async def admin(open_as: OpenAs) -> httpx.AsyncClient:
    return await open_as(LOCAL)


async def send(client: httpx.AsyncClient, confluence: Confluence, page_id: str = "2", collection: str = "default") -> httpx.Response:
    return await client.post("/ingest/confluence", json={"base_url": confluence.url, "page_id": page_id, "index_name": collection})


async def add(client: httpx.AsyncClient, confluence: Confluence, core: Core, page_id: str = "2", **options: Any) -> dict[str, Any]:
    """Adds a page and waits until its documents are processed; returns the reply."""
    reply = await send(client, confluence, page_id, **options)
    assert reply.status_code == 202, reply.text
    await work_all(core)
    return reply.json()


async def shown(client: httpx.AsyncClient) -> dict[str, tuple[str, list[str]]]:
    """File name → (state, groups) of the documents that the client sees."""
    listed = (await client.get("/documents", params={"limit": 200})).json()["data"]
    return {each["file_name"]: (each["state"], each["permission_groups"]) for each in listed}


# --- a page's life -----------------------------------------------------------------------------


async def test_a_page_and_its_attachments_become_documents_for_its_readers(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, open_as: OpenAs
) -> None:
    confluence.pages["2"].files = {
        "10": File("tides.csv", b"day,tide\nMonday,3.1\n", "text/csv"),
        "11": File("map.png", b"\x89PNG", "image/png"),
        "12": File("notes.txt", b"The crane lifts nine tons.", "text/plain"),
    }
    added = await add(admin, confluence, core)
    assert {name: added["page"][name] for name in ("title", "file_name", "state", "permission_groups")} == {
        "title": "Harbour guide.xml",
        "file_name": "Harbour guide.xml",
        "state": "RECEIVED",
        "permission_groups": ["board", "staff"],
    }
    url = f"{confluence.url}/pages/viewpage.action?pageId=2"
    assert added["page"]["metadata"] == {"url": url, "space": "ENG", "kind": "page", "labels": ["port"]}
    assert [each["file_name"] for each in added["attachments"]] == ["tides.csv", "notes.txt"]
    assert added["attachments"][0]["metadata"] == added["page"]["metadata"] | {"page_title": "Harbour guide"}
    assert added["skipped"] == ["map.png"]
    one = (await admin.get(f"/documents/{added['page']['doc_id']}")).json()
    assert (one["state"], one["title"], one["format"]) == ("READY", "Harbour guide", "confluence")
    ann, dan = await open_as(ANN), await open_as(DAN)
    assert await found(ann, "lighthouse") == ["Harbour\n\nThe lighthouse was lit in 1874."]
    assert await found(ann, "crane") == ["The crane lifts nine tons."]
    assert (await found(dan, "lighthouse"), await shown(dan)) == ([], {})


async def test_an_unchanged_page_is_not_read_again_and_a_changed_one_is_a_generation(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient
) -> None:
    page = confluence.pages["2"]
    page.files = {"10": File("notes.txt", b"The crane lifts nine tons.", "text/plain")}
    first = await add(admin, confluence, core)
    again = await add(admin, confluence, core)
    assert again["page"]["doc_id"] == first["page"]["doc_id"]
    assert [again["page"]["state"], again["attachments"][0]["state"]] == ["READY", "READY"]
    assert confluence.asked(f"{CONTEXT}/download/attachments/2/10") == 1
    assert (await core.ledger.get(LOCAL, first["page"]["doc_id"])).generation == 1
    page.body, page.version = BODY.replace("1874", "1902"), 2
    page.files["10"] = File("notes.txt", b"The crane lifts ten tons.", "text/plain", version=2)
    changed = await add(admin, confluence, core)
    assert changed["page"]["doc_id"] == first["page"]["doc_id"]
    assert (await core.ledger.get(LOCAL, first["page"]["doc_id"])).generation == 2
    assert await found(admin, "lighthouse") == ["Harbour\n\nThe lighthouse was lit in 1902."]
    assert await found(admin, "crane") == ["The crane lifts ten tons."]
    page.labels = ["port", "history"]  # no new version in Confluence
    await add(admin, confluence, core)
    documents = (await admin.get("/documents")).json()["data"]
    assert [each["metadata"]["labels"] for each in documents] == [["port", "history"]] * 2


async def test_pages_removed_from_confluence_are_deleted(core: Core, confluence: Confluence, admin: httpx.AsyncClient) -> None:
    confluence.pages["2"].files = {"10": File("a.txt", b"First.", "text/plain"), "11": File("b.txt", b"Second.", "text/plain")}
    await add(admin, confluence, core)
    del confluence.pages["2"].files["10"]
    await add(admin, confluence, core)
    assert set(await shown(admin)) == {"Harbour guide.xml", "b.txt"}
    confluence.hidden = {"2"}  # as a deleted page looks
    assert detail_of(await send(admin, confluence), 404) == UNKNOWN
    assert await shown(admin) == {}
    assert await found(admin, "lighthouse") == []
    entries = (await admin.get("/audit")).json()["data"]
    assert [entry["action"] for entry in entries] == ["document.delete"] * 3
    confluence.hidden = set()
    await add(admin, confluence, core)
    assert set(await shown(admin)) == {"Harbour guide.xml", "b.txt"}


async def test_a_document_that_was_deleted_here_is_added_again(core: Core, confluence: Confluence, admin: httpx.AsyncClient) -> None:
    confluence.pages["2"].files = {"10": File("a.txt", b"First.", "text/plain")}
    for document in (added := await add(admin, confluence, core))["page"], *added["attachments"]:
        assert (await admin.delete(f"/documents/{document['doc_id']}")).status_code == 200
    await add(admin, confluence, core)
    assert {state for state, _ in (await shown(admin)).values()} == {"READY"}


async def test_pages_with_the_same_text_are_documents_of_their_own(core: Core, confluence: Confluence, admin: httpx.AsyncClient) -> None:
    confluence.pages["3"] = replace(confluence.pages["2"], space="OPEN", parent=None)
    confluence.pages["4"] = replace(confluence.pages["2"])
    ids = [(await add(admin, confluence, core, page_id))["page"]["doc_id"] for page_id in ("2", "3", "4")]
    assert len(set(ids)) == 3


async def test_a_title_may_hold_any_character(core: Core, confluence: Confluence, admin: httpx.AsyncClient) -> None:
    confluence.pages["2"].title = "Q1/Q2 <plan> & 예산"
    doc_id = (await add(admin, confluence, core))["page"]["doc_id"]
    one = (await admin.get(f"/documents/{doc_id}")).json()
    assert (one["title"], one["file_name"]) == ("Q1/Q2 <plan> & 예산", "Q1-Q2 <plan> & 예산.xml")


# --- restrictions ------------------------------------------------------------------------------


async def test_a_page_that_became_restricted_is_narrowed_at_once_in_every_collection(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, open_as: OpenAs
) -> None:
    confluence.pages["2"].files = {"10": File("notes.txt", b"The crane lifts nine tons.", "text/plain")}
    await add(admin, confluence, core)
    await add(admin, confluence, core, collection="side")
    ann, ben = await open_as(ANN), await open_as(BEN)
    assert len(await found(ann, "lighthouse crane")) == 2
    confluence.pages["1"].readers = (["directors"], [])  # inherited by the page below it
    assert (await send(admin, confluence)).status_code == 202
    assert (await found(ann, "lighthouse crane"), await shown(ann)) == ([], {})  # before anything is processed
    assert await found(ben, "lighthouse") == []
    await work_all(core)
    assert len(await found(ben, "lighthouse crane")) == 2
    assert await shown(ben) == {"Harbour guide.xml": ("READY", ["board"]), "notes.txt": ("READY", ["board"])}
    assert (await ben.get("/documents", params={"collection": "side"})).json()["data"] == []
    confluence.pages["1"].readers = None
    await add(admin, confluence, core)
    assert len(await found(ann, "lighthouse crane")) == 2


@pytest.mark.parametrize(
    ("space", "own", "above", "groups"),
    [
        ("ENG", None, None, ["board", "staff"]),
        ("OPEN", None, None, ["*"]),
        ("OPEN", (["guests"], []), None, ["guests"]),
        ("OPEN", ([], ["jdoe"]), None, ["user:john"]),
        ("OPEN", (["guests", "unknown"], ["jdoe"]), None, ["guests", "user:john"]),
        ("OPEN", (["guests"], ["boss"]), (["directors"], []), ["board"]),
        ("ENG", (["all"], []), (["everyone"], []), ["board", "staff"]),
        ("ENG", (["directors"], []), (["everyone"], []), ["board"]),
    ],
)
async def test_a_reader_satisfies_the_space_and_every_restriction(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, space: str, own: Any, above: Any, groups: list[str]
) -> None:
    confluence.pages["2"].space, confluence.pages["2"].readers, confluence.pages["1"].readers = space, own, above
    assert (await add(admin, confluence, core))["page"]["permission_groups"] == groups


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("space", "own", "above", "reason", "remedy"),
    [
        ("HR", None, None, "No permission group is configured for the Confluence space HR.", "CONFLUENCE__SPACES"),
        ("ENG", (["unknown"], ["eve"]), None, "Groups of Confluence: unknown. Users: eve.", "CONFLUENCE__GROUPS or CONFLUENCE__USERS"),
        ("ENG", None, (["unknown"], []), "The page, or one above it, is restricted", "CONFLUENCE__GROUPS"),
        ("ENG", (["guests"], []), None, "one of board, staff; and one of guests", "CONFLUENCE__SPACES for the space"),
        ("OPEN", (["guests"], []), (["directors"], []), "one of guests; and one of board", "CONFLUENCE__GROUPS"),
    ],
)
async def test_a_restriction_that_cannot_be_mapped_is_failed_without_title_and_text(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, space: str, own: Any, above: Any, reason: str, remedy: str
) -> None:
    page = confluence.pages["2"]
    page.files = {"10": File("notes.txt", b"The crane lifts nine tons.", "text/plain")}
    await add(admin, confluence, core)
    page.space, page.readers, confluence.pages["1"].readers = space, own, above
    reply = await send(admin, confluence)
    assert await found(admin, "lighthouse crane") == []
    await work_all(core)
    failed = reply.json()["page"]
    assert (failed["state"], failed["permission_groups"], failed["title"]) == ("FAILED", ["role:admin"], "confluence-2.xml")
    assert reason in failed["reason"]
    assert remedy in failed["remedy"]
    assert reply.json()["attachments"] == []
    assert await shown(admin) == {"confluence-2.xml": ("FAILED", ["role:admin"])}
    assert (await admin.get(f"/documents/{failed['doc_id']}/content")).content == b""
    assert "Harbour" not in reply.text
    page.space, page.readers, confluence.pages["1"].readers = "ENG", None, None
    await add(admin, confluence, core)
    assert {state for state, _ in (await shown(admin)).values()} == {"READY"}


async def test_who_may_not_read_a_page_is_told_what_a_missing_page_tells(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, open_as: OpenAs
) -> None:
    confluence.pages["3"] = Page("Secret plan", "<p>Buy the port.</p>", readers=(["directors"], []))
    confluence.pages["4"] = Page("Secret list", "<p>Names.</p>", readers=(["unknown"], []))
    ann = await open_as(ANN)
    replies = [await send(ann, confluence, page_id) for page_id in ("3", "4", "999")]
    assert [detail_of(reply, 404) for reply in replies] == [UNKNOWN] * 3
    assert len({str({**reply.json(), "trace_id": ""}) for reply in replies}) == 1
    await work_all(core)
    assert await shown(ann) == {}
    assert await shown(admin) == {"confluence-4.xml": ("FAILED", ["role:admin"])}
    assert (await send(ann, confluence, "2")).status_code == 202


async def test_an_admin_adds_a_page_without_learning_what_it_says(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, open_as: OpenAs
) -> None:
    confluence.pages["2"].files = {
        "10": File("notes.txt", b"The crane lifts nine tons.", "text/plain"),
        "11": File("a.png", b"", "image/png"),
    }
    eve = await open_as(Caller("eve", frozenset({"role:admin", "*"}), role="admin"))
    reply = await send(eve, confluence)
    assert (reply.status_code, reply.json()) == (202, {"page": None, "attachments": [], "skipped": [], "failed": []})
    await work_all(core)
    assert (await shown(eve), set(await shown(admin))) == ({}, {"Harbour guide.xml", "notes.txt"})


async def test_permissions_that_change_while_a_page_is_read_are_those_that_count(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, open_as: OpenAs
) -> None:
    confluence.pages["2"].files = {"10": File("notes.txt", b"The crane lifts nine tons.", "text/plain")}

    def restrict() -> None:
        confluence.pages["2"].readers = (["directors"], [])

    for place in (f"{API}/1", f"{API}/2/child/attachment", f"{CONTEXT}/download/attachments/2/10"):
        confluence.pages["2"].readers = None
        confluence.pages["2"].files["10"].version += 1
        confluence.meanwhile[place] = restrict
        assert (await send(admin, confluence)).json()["page"]["permission_groups"] == ["board"]
        await work_all(core)
        assert await shown(await open_as(ANN)) == {}
        assert len(await found(admin, "lighthouse crane")) == 2


@pytest.mark.sample
@pytest.mark.parametrize("place", [f"{API}/1", f"{API}/2/child/attachment", f"{CONTEXT}/download/attachments/2/10"])
@pytest.mark.parametrize("hides", [True, False], ids=["hidden", "deleted"])
async def test_a_page_that_disappears_while_it_is_read_is_removed(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, place: str, hides: bool
) -> None:
    page = confluence.pages["2"]
    page.files = {"10": File("notes.txt", b"The crane lifts nine tons.", "text/plain")}
    await add(admin, confluence, core)
    page.version = page.files["10"].version = 2
    confluence.meanwhile[place] = lambda: confluence.hidden.add("2") if hides else confluence.pages.clear()
    assert detail_of(await send(admin, confluence), 404) == UNKNOWN
    await work_all(core)
    assert (await shown(admin), await found(admin, "lighthouse crane")) == ({}, [])


# --- what fails --------------------------------------------------------------------------------


async def test_an_attachment_that_cannot_be_read_fails_alone(core: Core, confluence: Confluence, admin: httpx.AsyncClient) -> None:
    confluence.pages["2"].files = {
        "10": File("large.txt", b"", "text/plain", size=2 * 2**20),
        "11": File("larger.txt", b"x" * (2**20 + 1), "text/plain", size=5),
        "12": File("lost.txt", b"", "text/plain"),
        "13": File("elsewhere.txt", b"", "text/plain", link="https://files.example.org/download/13"),
        "14": File("program.bin", b"\x7fELF"),
        "15": File("..", b"Good.", "text/plain"),
    }
    confluence.replies[f"{CONTEXT}/download/attachments/2/12"] = [JSONResponse({}, 404)]
    await add(admin, confluence, core)
    documents = {each["file_name"]: each for each in (await admin.get("/documents")).json()["data"]}
    assert {name: each["state"] for name, each in documents.items()} == {
        "Harbour guide.xml": "READY",
        "large.txt": "FAILED",
        "larger.txt": "FAILED",
        "lost.txt": "FAILED",
        "elsewhere.txt": "FAILED",
        "program.bin": "FAILED",
        "unnamed": "READY",
    }
    assert documents["large.txt"]["reason"] == "The file has 2.0 MB; 1 MB are allowed."
    assert "another host" in documents["elsewhere.txt"]["reason"]
    confluence.pages["2"].files["12"].data = b"Found."
    await add(admin, confluence, core)
    assert (await shown(admin))["lost.txt"] == ("READY", ["board", "staff"])


@pytest.mark.sample(1)
@pytest.mark.parametrize("status", [401, 500, 503])
async def test_an_attachment_that_is_not_delivered_stays_as_it_is_and_leaves_the_others(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, status: int
) -> None:
    path, page = f"{CONTEXT}/download/attachments/2/10", confluence.pages["2"]
    page.files = {"10": File("notes.txt", b"The crane lifts nine tons.", "text/plain"), "11": File("b.txt", b"Second.", "text/plain")}
    confluence.replies[path] = [JSONResponse({}, status)] * 4
    added = await add(admin, confluence, core)
    (failed,) = added["failed"]
    assert (failed["file_name"], "Confluence" in failed["reason"]) == ("notes.txt", True)
    assert set(await shown(admin)) == {"Harbour guide.xml", "b.txt"}
    confluence.replies.clear()
    await add(admin, confluence, core)
    page.files["10"] = File("notes.txt", b"The crane lifts ten tons.", "text/plain", version=2)
    confluence.replies[path] = [JSONResponse({}, status)] * 4
    assert [each["file_name"] for each in (await add(admin, confluence, core))["failed"]] == ["notes.txt"]
    assert await found(admin, "crane") == ["The crane lifts nine tons."]
    confluence.replies.clear()
    assert (await add(admin, confluence, core))["failed"] == []
    assert await found(admin, "crane") == ["The crane lifts ten tons."]


async def test_a_page_with_too_much_to_read_is_finished_by_the_next_request(
    core: Core, confluence: Confluence, admin: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    confluence.pages["2"].files = {"10": File("a.txt", b"First.", "text/plain"), "11": File("b.txt", b"Second.", "text/plain")}
    confluence.replies[f"{CONTEXT}/download/attachments/2/11"] = [30.0]
    monkeypatch.setattr(wiki, "LIMIT_S", 2.0)
    assert "send the request again" in detail_of(await send(admin, confluence), 503)
    assert set(await shown(admin)) == {"Harbour guide.xml", "a.txt"}
    await add(admin, confluence, core)
    assert set(await shown(admin)) == {"Harbour guide.xml", "a.txt", "b.txt"}


async def test_a_confluence_that_is_down_is_a_503_and_changes_nothing(core: Core, confluence: Confluence, admin: httpx.AsyncClient) -> None:
    await add(admin, confluence, core)
    confluence.replies[f"{API}/1"] = [JSONResponse({}, 500)] * 4
    assert "status 500" in detail_of(await send(admin, confluence), 503)
    assert await found(admin, "lighthouse") == ["Harbour\n\nThe lighthouse was lit in 1874."]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"base_url": "https://wiki.example.org"}, "not the Confluence that is configured"),
        ({"base_url": "http://169.254.169.254/confluence"}, "not the Confluence that is configured"),
        ({"page_id": "2/../3"}, "page_id"),
        ({"page_id": ""}, "page_id"),
        ({"index_name": "../x"}, "index name"),
    ],
)
async def test_a_bad_request_says_what_is_wrong(confluence: Confluence, admin: httpx.AsyncClient, body: dict[str, str], told: str) -> None:
    good = {"base_url": confluence.url, "page_id": "2", "index_name": "default"}
    assert told in detail_of(await admin.post("/ingest/confluence", json=good | body), 422)
    assert confluence.requests == []


async def test_without_an_address_and_a_token_the_settings_are_named(tmp_path: Path) -> None:
    core = Core(Settings(footnote_data=tmp_path, confluence=Mapping(base_url="https://wiki.example.org")))
    transport = httpx.ASGITransport(create_app(lambda: core))
    async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
        reply = await client.post("/ingest/confluence", json={"base_url": "https://wiki.example.org", "page_id": "2", "index_name": "a"})
    assert "Set CONFLUENCE__BASE_URL and CONFLUENCE__TOKEN." in detail_of(reply, 422)
    await core.close()
