"""Opening a source: the file, its text, and the position of a citation."""

from __future__ import annotations

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.types import Caller
from footnote_http.callers import caller_of
from footnote_ingest.app import create_app
from tests.fakes import work_all
from tests.functions.conftest import LOCAL, OpenClient

TEXT = "# 등대\n\nThe lighthouse 🗼 was lit in 1874.\n\n| year | keeper |\n|---|---|\n| 1874 | Anna |\n"


@pytest.fixture
async def client(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(create_app)


async def add(core: Core, text: str = TEXT, name: str = "tower.md") -> str:
    document = await core.ingestor.accept(LOCAL, text.encode(), file_name=name, collection="default", permission_groups=["staff"])
    await work_all(core)
    return document.doc_id


@pytest.fixture
async def doc_id(core: Core) -> str:
    return await add(core)


async def test_the_file_comes_back_as_it_was_added_and_is_not_run(core: Core, client: httpx.AsyncClient) -> None:
    doc_id = await add(core, "<html><script>alert(1)</script><p>Lit in 1874.", "house/등대 tower.html")
    reply = await client.get(f"/documents/{doc_id}/content")
    assert reply.status_code == 200
    assert reply.content == b"<html><script>alert(1)</script><p>Lit in 1874."
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"] == "attachment; filename*=UTF-8''%EB%93%B1%EB%8C%80%20tower.html"
    assert reply.headers["x-content-type-options"] == "nosniff"


async def test_browsers_are_redirected_to_the_page_and_programs_are_not(doc_id: str, client: httpx.AsyncClient) -> None:
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    for name in (doc_id, "none"):
        reply = await client.get(f"/documents/{name}/content", params={"chunk_id": f"{name}#000"}, headers=browser)
        assert (reply.status_code, reply.headers["location"]) == (303, f"../../?doc_id={name}&chunk_id={name}%23000")
        assert (reply.headers["cache-control"], reply.content) == ("no-store", b"")
    assert (await client.get(f"/documents/{doc_id}/content", headers=browser)).headers["location"] == f"../../?doc_id={doc_id}"
    for asked in ({"save": "true"}, {"as": "blocks"}):
        assert (await client.get(f"/documents/{doc_id}/content", params=asked, headers=browser)).status_code == 200
    missing = await client.get("/documents/none/content", headers={"accept": "*/*"})
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")


async def test_its_text_comes_block_by_block(doc_id: str, client: httpx.AsyncClient) -> None:
    body = (await client.get(f"/documents/{doc_id}/content", params={"as": "blocks"})).json()
    assert (body["doc_id"], body["title"], body["file_name"], body["format"]) == (doc_id, "등대", "tower.md", "markdown")
    assert body["blocks"][:2] == [
        {"kind": "heading", "text": "등대", "level": 1, "page": None},
        {"kind": "paragraph", "text": "The lighthouse 🗼 was lit in 1874.", "level": 0, "page": None},
    ]
    assert (body["marks"], body["boxes"], body["quote"]) == ([], [], "")


async def test_a_citation_is_marked_by_code_points(doc_id: str, client: httpx.AsyncClient) -> None:
    params = [("as", "marks"), ("chunk_id", f"{doc_id}#000"), ("bounds", "4-18"), ("bounds", "21-37")]
    body = (await client.get(f"/documents/{doc_id}/content", params=params)).json()
    assert body["quote"] == "The lighthouse was lit in 1874."
    assert body["marks"] == [{"block": 1, "start": 0, "end": 14, "bound": 0}, {"block": 1, "start": 17, "end": 33, "bound": 1}]
    assert body["blocks"] == []


@pytest.mark.parametrize("query", ["as=picture", "as=marks&bounds=x", "as=marks&bounds=1", "as=marks&bounds=1-9999999999"])
async def test_an_invalid_request_is_refused(doc_id: str, client: httpx.AsyncClient, query: str) -> None:
    assert (await client.get(f"/documents/{doc_id}/content?{query}")).status_code == 422


@pytest.mark.parametrize("view", ["original", "blocks", "marks"])
async def test_an_unreadable_document_looks_like_a_missing_one(doc_id: str, client: httpx.AsyncClient, view: str) -> None:
    app = client._transport.app  # type: ignore[attr-defined]
    app.dependency_overrides[caller_of] = lambda: Caller("guest", frozenset({"guests"}))
    hidden = await client.get(f"/documents/{doc_id}/content", params={"as": view})
    absent = await client.get("/documents/none/content", params={"as": view})
    assert hidden.status_code == absent.status_code == 404
    assert hidden.json() | {"trace_id": ""} == absent.json() | {"trace_id": ""}


async def test_a_passage_that_is_gone_is_a_404_that_says_so(doc_id: str, client: httpx.AsyncClient) -> None:
    reply = await client.get(f"/documents/{doc_id}/content", params={"as": "marks", "chunk_id": f"{doc_id}#007"})
    assert (reply.status_code, reply.json()["detail"]) == (404, "This passage is no longer in the document.")
