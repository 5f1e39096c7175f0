"""`/admin/health` says of each backend whether it answers, and what is wrong with one that does not. `/admin` is a page without data."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import ModelUnavailable
from footnote.guard.identity import LOCAL
from footnote.ingest.vectors import embed_pending
from footnote.types import Caller, CollectionSettings
from tests.fakes import FakeEmbedder, FakeVectorCache
from tests.functions.conftest import OpenSite


async def states(site: Any) -> dict[str, tuple[str, str]]:
    reply = await site.client.get("/admin/health")
    assert reply.status_code == 200, reply.text
    return {row["part"]: (row["state"], row["detail"]) for row in reply.json()["data"]}


async def test_missing_backends_are_distinguished_from_working_ones(open_site: OpenSite) -> None:
    found = await states(await open_site())
    assert {part: state for part, (state, _) in found.items()} == {"model": "missing", "embedder": "missing", "terms": "ok"}


async def test_a_model_that_answers_works_and_one_that_does_not_is_broken_with_the_reason(open_site: OpenSite) -> None:
    site = await open_site("OK")
    assert (await states(site))["model"][0] == "ok"
    site = await open_site(ModelUnavailable("Connection refused."))
    assert (await states(site))["model"] == ("broken", "Connection refused.")


async def test_one_backend_that_is_down_does_not_hide_the_others(open_site: OpenSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site = await open_site("OK")
    site.core.__dict__["embedder"] = Broken()
    found = await states(site)
    assert (found["embedder"], found["model"][0], found["terms"][0]) == (("broken", "No connection."), "ok", "ok")


async def test_an_embedder_that_a_collection_names_is_checked_too(open_site: OpenSite) -> None:
    site = await open_site()
    await site.core.collections.create("own", CollectionSettings(embedder="gone"), title="", description="", by="local")
    rows = (await site.client.get("/admin/health")).json()["data"]
    assert [(row["state"], row["detail"].partition(":")[0]) for row in rows if row["part"] == "embedder"] == [
        ("missing", "Documents are found by their words only."),
        ("broken", "gone"),
    ]


class Broken:
    name = "broken"
    languages = None

    async def embed(self, texts: Any, *, query: bool = False) -> Any:
        raise ModelUnavailable("No connection.")


async def test_documents_that_failed_are_counted_until_they_are_retried(open_site: OpenSite) -> None:
    site = await open_site()
    assert "failed_documents" not in await states(site)
    for failed in (1, 2):
        text, name = f"Text {failed}.".encode(), f"{failed}.txt"
        added = await site.core.ingestor.accept(LOCAL, text, file_name=name, collection="default", permission_groups=["*"])
        await site.core.lifecycle.update(added.doc_id, 1, state="FAILED", reason="Out of luck.", remedy="Try again.")
        said = f"{failed} {'document' if failed == 1 else 'documents'} could not be read."
        assert (await states(site))["failed_documents"] == ("incomplete", said)
    assert await site.core.ingestor.retry_failed(10) == 2
    assert "failed_documents" not in await states(site)


async def test_passages_without_a_vector_are_counted(open_site: OpenSite) -> None:
    site = await open_site()
    assert "vectors" not in await states(site)
    site.core.__dict__["embedder"] = embedder = FakeEmbedder(languages=None)
    count = (await site.client.get("/ready")).json()["vectors"]["pending"]
    assert count > 1
    said = "passages have no vector yet, so that only words are searched there."
    assert (await states(site))["vectors"] == ("incomplete", f"{count} {said}")
    await embed_pending(site.core.vectors, [embedder], FakeVectorCache(), count)
    assert "vectors" not in await states(site)


async def test_forbidden_terms_are_counted_and_not_named(open_site: OpenSite) -> None:
    site = await open_site()
    await site.core.terms.save(LOCAL, "salary")
    reply = await site.client.get("/admin/health")
    assert "salary" not in reply.text
    assert (await states(site))["terms"] == ("ok", "Terms: 1")


async def test_the_page_is_for_everybody_and_its_data_for_admins(open_site: OpenSite) -> None:
    site = await open_site(caller=Caller("ann"))
    page = await site.client.get("/admin")
    assert (page.status_code, page.headers["content-type"], page.headers["cache-control"]) == (200, "text/html; charset=utf-8", "no-cache")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert (await site.client.get("/admin/health")).status_code == 403
