"""A collection names the embedder of its passages and of the questions that it is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from footnote.bootstrap import Core
from footnote.errors import ModelUnavailable
from footnote.ingest.vectors import total_progress
from footnote.settings import LLM, Embedding, Settings
from footnote.settings.embedding import FurtherEmbedder
from footnote.types import Request
from footnote_ingest.app import create_app as create_ingest
from footnote_local.doctor import examine
from tests.fakes import FakeEmbedder, work_all
from tests.functions.conftest import LOCAL, OpenSite, Site
from tests.openai_server import Reply, serving
from tests.turns import LIVE

FERRIES, BRIDGES = "Ferries cross at noon.", "The bridge is closed on Sundays."


async def add(site: Site, text: str, collection: str) -> str:
    document = await site.core.ingestor.accept(
        LOCAL, text.encode(), file_name=f"{collection}.txt", collection=collection, permission_groups=[]
    )  # fmt: skip
    await work_all(site.core)
    return document.doc_id


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    """The default embedder, and one of another dimension with the name `legal`."""
    made = await open_site(filled=False)
    made.core.embedder = FakeEmbedder()
    made.core.named_embedders = {"legal": FakeEmbedder("legal-model", dimension=32)}
    return made


async def hits(site: Site, kind: str, collection: str, question: str = "When do ferries cross?") -> int:
    body = {"query_text": question, "index_name": collection, "permission_groups": []}
    reply = await site.client.post(f"/retrieve-{kind}", json=body)
    assert reply.status_code == 200, reply.text
    return int(reply.json()["hits"]["total"]["value"])


async def waiting(site: Site) -> int:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(create_ingest(lambda: site.core)), base_url="http://footnote.test"
    ) as client:
        return int((await client.get("/ingest/status")).json()["waiting"])


def embedded_by(site: Site) -> tuple[list[str], list[str]]:
    """What each embedder has embedded since the last call."""
    made = []
    for embedder in (site.core.embedder, site.core.named_embedders["legal"]):
        assert isinstance(embedder, FakeEmbedder)
        made.append(list(embedder.embedded))
        embedder.embedded.clear()
    return made[0], made[1]


async def test_passages_and_questions_are_embedded_by_the_collections_embedder(site: Site) -> None:
    for name, settings in (("laws", {"embedder": "legal"}), ("town", {})):
        assert (await site.client.post("/collections", json={"name": name, "settings": settings})).status_code == 201
        await add(site, FERRIES if name == "laws" else BRIDGES, name)
    assert await waiting(site) == 2
    assert await site.core.ingestor.embed_some() == 2
    assert await waiting(site) == 0
    default, legal = embedded_by(site)
    assert (any("bridge" in text for text in default), any("Ferries" in text for text in default)) == (True, False)
    assert (any("bridge" in text for text in legal), any("Ferries" in text for text in legal)) == (False, True)
    assert await hits(site, "knn", "laws") == 1
    assert embedded_by(site) == ([], ["When do ferries cross?"])
    assert await hits(site, "knn", "town", "Is the bridge closed?") == 1
    assert embedded_by(site) == (["Is the bridge closed?"], [])
    assert (await site.client.get("/collections/laws")).json()["vectors"] == {"done": 1, "total": 1}
    assert await total_progress(site.core.vectors, site.core.embedders) == (2, 2)


async def test_after_a_change_of_embedder_search_stays_whole_until_all_is_embedded(site: Site) -> None:
    await add(site, FERRIES, "town")
    assert await site.core.ingestor.embed_some() == 1
    changed = await site.client.patch("/collections/town", json={"settings": {"embedder": "legal"}})
    assert "at once" in changed.json()["notes"][0]
    assert changed.json()["vectors"] == {"done": 0, "total": 1}
    assert {kind: await hits(site, kind, "town") for kind in ("bm25", "cc", "knn")} == {"bm25": 1, "cc": 1, "knn": 0}
    assert await site.core.ingestor.embed_some() == 1
    assert {kind: await hits(site, kind, "town") for kind in ("bm25", "cc", "knn")} == {"bm25": 1, "cc": 1, "knn": 1}
    embedded_by(site)
    await site.client.patch("/collections/town", json={"settings": {"embedder": None}})
    assert await site.core.ingestor.embed_some() == 1
    assert embedded_by(site) == ([], [])  # from the cache
    assert await hits(site, "knn", "town") == 1


async def test_an_embedder_that_nothing_here_is_called_is_refused(site: Site) -> None:
    reply = await site.client.post("/collections", json={"name": "laws", "settings": {"embedder": "leagl"}})
    assert reply.status_code == 422
    assert "Choose one of none, legal" in reply.text
    await site.client.post("/collections", json={"name": "laws"})
    assert (await site.client.patch("/collections/laws", json={"settings": {"embedder": "default"}})).status_code == 422


async def test_without_the_configured_embedder_words_are_found_and_the_doctor_says_why(site: Site) -> None:
    await site.client.post("/collections", json={"name": "laws", "settings": {"embedder": "legal"}})
    await add(site, FERRIES, "laws")
    assert await site.core.ingestor.embed_some() == 1
    site.core.named_embedders = site.core.ingestor.named = {}
    assert {kind: await hits(site, kind, "laws") for kind in ("bm25", "cc", "knn")} == {"bm25": 1, "cc": 1, "knn": 0}
    assert await site.core.ingestor.embed_some() == 0
    found = {finding.part: finding for finding in await examine(site.core)}
    assert found["embedder legal"].state == "broken"
    assert "laws is searched by words only" in found["embedder legal"].found
    assert "EMBEDDING__OTHERS" in found["embedder legal"].remedy


async def test_an_embedder_that_fails_keeps_no_other_from_its_work(site: Site) -> None:
    class Down(FakeEmbedder):
        async def embed(self, texts: Any, *, query: bool = False) -> Any:
            raise ModelUnavailable("It is down.")

    site.core.ingestor.embedder = Down()
    await site.client.post("/collections", json={"name": "laws", "settings": {"embedder": "legal"}})
    await add(site, FERRIES, "laws")
    await add(site, BRIDGES, "town")
    assert await site.core.ingestor.embed_some() == 1
    assert await hits(site, "knn", "laws") == 1
    with pytest.raises(ModelUnavailable):
        await site.core.ingestor.embed_some()


async def test_forbidden_terms_are_compared_by_the_default_embedder_in_every_collection(site: Site) -> None:
    await site.core.terms.save(LOCAL, "salary of the harbour master")
    await site.client.post("/collections", json={"name": "laws", "settings": {"embedder": "legal"}})
    await add(site, FERRIES, "laws")
    await site.core.ingestor.embed_some()
    embedded_by(site)
    question = "What is the salary of the harbour master?"
    asked = await site.client.post("/ask", json={"query_text": question, "index_name": "laws", "permission_groups": []})
    assert asked.json()["outcome"] == "forbidden"
    assert question in embedded_by(site)[0]
    allowed = {"query_text": "When do ferries cross?", "index_name": "laws", "permission_groups": []}
    assert (await site.client.post("/ask", json=allowed)).json()["outcome"] != "forbidden"
    assert embedded_by(site)[1].count("When do ferries cross?") == 1


async def test_a_turns_search_of_another_collection_uses_that_ones_embedder(site: Site) -> None:
    await site.client.post("/collections", json={"name": "laws", "settings": {"embedder": "legal"}})
    await add(site, FERRIES, "laws")
    await site.core.ingestor.embed_some()
    await site.core.collections.directory()
    embedded_by(site)
    deps = site.core.turn_deps(site.core.new_turn(Request("When?", "default"), LOCAL, LIVE))
    assert deps.embedder is site.core.embedder
    found = await deps.searcher(site.core.new_turn(Request("When do ferries cross?", "laws", retriever="knn"), LOCAL, LIVE))
    assert (len(found.evidence.hits), embedded_by(site)) == (1, ([], ["When do ferries cross?"]))


async def test_embedders_are_configured_by_name(tmp_path: Path) -> None:
    vectors = [{"embedding": [1.0, 0.0, 0.0, 0.0], "index": 0, "object": "embedding"}]
    async with serving() as server:
        server.replies["/v1/embeddings"] = Reply(200, [json.dumps({"object": "list", "data": vectors, "model": "law-embed"})])
        legal = FurtherEmbedder(base_url=f"{server.url}/v1", model="law-embed", dimension=4, api_key=SecretStr("hush"))
        cohere = FurtherEmbedder(provider="bedrock", model="cohere.embed-v4:0", dimension=1024)
        wanted = Embedding(builtin=False, others={"legal": legal, "cohere": cohere})
        core = Core(Settings(footnote_data=tmp_path, embedding=wanted, llm=LLM(discover=False)))
        names = {name: embedder.name for name, embedder in core.named_embedders.items() if name != "builtin"}
        assert names == {"legal": "law-embed", "cohere": "cohere.embed-v4:0/1024"}
        assert (await core.named_embedders["legal"].embed(["x"])).shape == (1, 4)
        assert server.requests[-1][1]["authorization"] == "Bearer hush"
        await core.close()


def test_settings_of_embedders_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING__OTHERS", '{"legal": {"base_url": "http://x/v1", "model": "m", "dimension": 8, "api_key": "s3cret"}}')
    legal = Settings().embedding.others["legal"]
    assert (legal.model, legal.dimension, "s3cret" in repr(legal)) == ("m", 8, False)


@pytest.mark.parametrize(
    ("others", "why"),
    [
        ({"none": {"provider": "bedrock", "model": "m"}}, "means something else"),
        ({"A b": {"provider": "bedrock", "model": "m"}}, "match pattern"),
        ({"legal": {"model": "m"}}, "base_url is missing"),
        ({"legal": {"provider": "bedrock"}}, "model"),
        ({"legal": {"provider": "bedrock", "model": "m", "dimensions": 3}}, "not permitted"),
    ],
)
def test_settings_of_embedders_that_cannot_work_are_refused(others: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Embedding(others=others)  # type: ignore[arg-type]
