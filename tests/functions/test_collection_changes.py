"""Admins create, describe, change, rename, delete and restore collections."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.collections import RESTORABLE_S
from footnote.errors import Conflict
from footnote.ingest.collections import check_chosen
from footnote.types import Caller
from footnote_ingest.app import create_app as create_ingest
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder, work_all
from tests.functions.conftest import LOCAL, OpenSite, Site, as_caller

PLAIN: dict[str, Any] = {"chunker": "structure", "embedder": None, "languages": [], "permission_groups": [], "columns": {}}


async def add(site: Site, name: str, collection: str, groups: list[str] | None = None, text: str = "Ferries cross at noon.") -> str:
    document = await site.core.ingestor.accept(
        LOCAL, text.encode(), file_name=name, collection=collection, permission_groups=groups or []
    )  # fmt: skip
    await work_all(site.core)
    return document.doc_id


async def actions(site: Site) -> list[tuple[str, str]]:
    return [(entry["action"], entry["object_id"]) for entry in (await site.client.get("/audit")).json()["data"]]


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site(filled=False)


async def test_a_collection_is_created_and_described(site: Site) -> None:
    settings = {"chunker": "table", "embedder": "none", "languages": ["de"], "permission_groups": ["hr"], "columns": {"date": "Erstellt"}}
    body = {"name": "staff", "title": "Staff", "description": "Rules", "settings": settings}
    made = await site.client.post("/collections", json=body)
    assert made.status_code == 201
    assert made.json() | {"created_at": 0, "changed_at": 0} == {
        "name": "staff", "title": "Staff", "description": "Rules", "aliases": [], "state": "ACTIVE", "settings": settings, "documents": {},
        "chunks": 0, "languages": {}, "vectors": None, "created_at": 0, "changed_at": 0, "deleted_at": None, "restorable_until": None,
        "notes": [],
    }  # fmt: skip
    assert (await site.client.post("/collections", json=body)).status_code == 409
    await add(site, "a.txt", "staff")
    found = (await site.client.get("/collections/staff")).json()
    assert (found["documents"], found["chunks"], found["languages"]) == ({"READY": 1}, 1, {"de": 1})
    assert await actions(site) == [("collection.create", "staff")]


async def test_a_collection_without_a_record_is_described_and_its_name_is_taken(site: Site) -> None:
    site.core.embedder = FakeEmbedder()
    await add(site, "a.txt", "town")
    await add(site, "b.txt", "hall")
    found = (await site.client.get("/collections/town")).json()
    assert (found["settings"], found["created_at"], found["vectors"]) == (PLAIN, None, {"done": 0, "total": 1})
    assert (await site.client.post("/collections", json={"name": "town"})).status_code == 409
    assert (await site.client.patch("/collections/hall", json={"name": "town"})).status_code == 409
    assert (await site.client.put("/collections/hall/aliases/town")).status_code == 409
    assert (await site.client.get("/collections/village")).status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/collections?all=true"),
        ("POST", "/collections"),
        ("GET", "/collections/town"),
        ("PATCH", "/collections/town"),
        ("DELETE", "/collections/town"),
        ("POST", "/collections/town/restore"),
        ("PUT", "/collections/town/aliases/a"),
        ("DELETE", "/collections/town/aliases/a"),
    ],
)
async def test_only_admins_may(method: str, path: str, open_site: OpenSite) -> None:
    site = await open_site(caller=Caller("ann", frozenset({"hr"})), filled=False)
    assert (await site.client.request(method, path, json={"name": "x"})).status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        {"name": "a b"},
        {"name": "~"},
        {"name": "a", "settings": {"chunker": "guess"}},
        {"name": "a", "settings": {"embedder": "x"}},
        {"name": "a", "settings": {"languages": ["Deutsch"]}},
        {"name": "a", "settings": {"permission_groups": ["a b"]}},
    ],
)
async def test_bad_input_is_refused(body: dict[str, Any], site: Site) -> None:
    assert (await site.client.post("/collections", json=body)).status_code == 422
    assert await actions(site) == []


async def test_a_change_says_when_it_takes_effect(site: Site) -> None:
    await add(site, "a.txt", "town")
    changed = (await site.client.patch("/collections/town", json={"title": "Town", "settings": {"chunker": "table"}})).json()
    assert (changed["title"], changed["settings"]["chunker"]) == ("Town", "table")
    assert "chunker" in changed["notes"][0]
    assert "add them again" in changed["notes"][0]
    changed = (await site.client.patch("/collections/town", json={"settings": {"embedder": "none"}})).json()
    assert (changed["settings"]["chunker"], changed["settings"]["embedder"]) == ("table", "none")
    assert "at once" in changed["notes"][0]
    assert (await site.client.patch("/collections/town", json={"settings": {"embedder": "none"}})).json()["notes"] == []


async def test_without_an_embedder_there_are_no_vectors_and_words_are_found(site: Site) -> None:
    site.core.embedder = FakeEmbedder()
    await site.client.post("/collections", json={"name": "town", "settings": {"embedder": "none"}})
    await add(site, "a.txt", "town")
    assert await site.core.ingestor.embed_some() == 0
    body = {"query_text": "ferries", "index_name": "town", "permission_groups": []}
    found = {kind: (await site.client.post(f"/retrieve-{kind}", json=body)).json() for kind in ("bm25", "cc", "knn")}
    assert {kind: reply["hits"]["total"]["value"] for kind, reply in found.items()} == {"bm25": 1, "cc": 1, "knn": 0}
    await site.client.patch("/collections/town", json={"settings": {"embedder": None}})
    assert await site.core.ingestor.embed_some() == 1
    assert (await site.client.post("/retrieve-knn", json=body)).json()["hits"]["total"]["value"] == 1


async def test_documents_without_groups_get_those_of_their_collection(open_site: OpenSite, site: Site) -> None:
    await site.client.post("/collections", json={"name": "staff", "settings": {"permission_groups": ["hr"]}})
    doc_id = await add(site, "a.txt", "staff")
    assert (await site.core.ledger.get(LOCAL, doc_id)).permission_groups == {"hr"}
    other = await add(site, "b.txt", "staff", ["*"])
    assert (await site.core.ledger.get(LOCAL, other)).permission_groups == {"*"}
    for caller, allowed in ((Caller("ann", frozenset({"hr"})), True), (Caller("bob", frozenset({"eng"})), False)):
        site_of = await open_site(caller=caller, filled=False)
        ingest = as_caller(caller, create_ingest)(lambda core=site_of.core: core)  # type: ignore[misc]
        site_of.app.router.routes += ingest.router.routes
        reply = await site_of.client.post("/uploads", json={"file_name": "c.txt", "size": 3, "index_name": "staff"})
        assert (reply.status_code == 201) == allowed, reply.text
        assert allowed or "hr" not in reply.text


async def test_a_renamed_collection_is_found_by_both_names(site: Site) -> None:
    doc_id = await add(site, "a.txt", "town")
    renamed = (await site.client.patch("/collections/town", json={"name": "city"})).json()
    assert (renamed["name"], renamed["aliases"]) == ("city", ["town"])
    for name in ("town", "city"):
        body = {"query_text": "ferries", "index_name": name, "permission_groups": []}
        assert (await site.client.post("/retrieve-bm25", json=body)).json()["hits"]["total"]["value"] == 1
        again = await add(site, "a.txt", name)
        assert again == doc_id
    assert [each["name"] for each in (await site.client.get("/collections")).json()["data"]] == ["city"]
    assert (await site.client.delete("/collections/city/aliases/town")).json()["aliases"] == []
    other = await add(site, "a.txt", "town")  # a new collection, although the first one is stored under this name
    assert other != doc_id
    counts = {each["name"]: each["documents"] for each in (await site.client.get("/collections")).json()["data"]}
    assert counts == {"city": 1, "town": 1}
    assert (await site.client.delete("/collections/city/aliases/town")).status_code == 404


async def test_a_collection_is_deleted_and_restored_within_an_hour(site: Site, clock: HandClock) -> None:
    await add(site, "a.txt", "town")
    gone = (await site.client.delete("/collections/town")).json()
    assert (gone["state"], gone["documents"]) == ("DELETED", {"READY": 1})
    assert gone["restorable_until"] == gone["deleted_at"] + RESTORABLE_S
    assert (await site.client.delete("/collections/town")).json() == gone
    assert (await site.client.get("/collections")).json()["data"] == []
    (listed,) = (await site.client.get("/collections", params={"all": True})).json()["data"]
    assert (listed["state"], listed["restorable_until"]) == ("DELETED", gone["restorable_until"])
    restored = (await site.client.post("/collections/town/restore")).json()
    assert (restored["state"], restored["deleted_at"], restored["documents"]) == ("ACTIVE", None, {"READY": 1})
    assert (await site.client.post("/collections/town/restore")).status_code == 409
    assert sorted(await actions(site)) == [("collection.delete", "town"), ("collection.restore", "town")]
    await site.client.delete("/collections/town")
    clock.advance(RESTORABLE_S)
    late = await site.client.post("/collections/town/restore")
    assert (late.status_code, "more than an hour" in late.text) == (409, True)


async def test_a_deleted_collection_whose_name_is_taken_is_not_restored(site: Site) -> None:
    await add(site, "a.txt", "town")
    await site.client.delete("/collections/town")
    assert (await site.client.post("/collections", json={"name": "town"})).status_code == 201
    assert (await site.client.get("/collections/town")).json()["documents"] == {}
    refused = await site.client.post("/collections/town/restore")
    assert (refused.status_code, "“town”" in refused.json()["detail"]) == (409, True)
    await site.client.patch("/collections/town", json={"name": "new"})
    await site.client.delete("/collections/new/aliases/town")
    assert (await site.client.post("/collections/town/restore")).json()["documents"] == {"READY": 1}


async def test_the_default_collection_stays(site: Site) -> None:
    await add(site, "a.txt", "default")
    refused = await site.client.delete("/collections/default")
    assert (refused.status_code, "INDEX_NAME" in refused.text) == (409, True)
    await site.client.patch("/collections/default", json={"name": "main"})
    assert (await site.client.delete("/collections/main/aliases/default")).status_code == 409
    assert (await site.client.delete("/collections/main")).status_code == 409
    asked = await site.client.post("/retrieve-bm25", json={"query_text": "ferries", "index_name": "default", "permission_groups": []})
    assert asked.json()["hits"]["total"]["value"] == 1


async def test_a_document_that_is_retried_is_shown_with_its_collections_name(site: Site) -> None:
    site.app.router.routes += as_caller(LOCAL, create_ingest)(lambda: site.core).router.routes
    doc_id = await add(site, "a.txt", "docs")
    await add(site, "b.txt", "reports", text="Boats moor here.")
    for name, new in (("reports", "former"), ("docs", "reports")):  # so what “docs” is called now is where “former” is stored
        await site.core.collections.edit(name, lambda each, new=new: replace(each, name=new), by="ann")  # type: ignore[misc]
        await site.core.collections.edit(new, lambda each: replace(each, aliases=()), by="ann")
    assert (await site.client.post(f"/documents/{doc_id}/retry")).json()["collection"] == "reports"


async def test_only_admins_are_told_that_an_id_is_in_a_deleted_collection(site: Site) -> None:
    doc_id = await add(site, "a.txt", "town", ["staff"])
    await site.client.delete("/collections/town")
    core = site.core
    for caller, told in ((Caller("bob", frozenset({"staff"})), False), (Caller("root", frozenset({"staff"}), role="admin"), True)):
        with pytest.raises(Conflict) as caught:
            await check_chosen(core.collections, core.ledger, caller, doc_id, "hall")
        assert ("deleted" in caught.value.detail) == told
