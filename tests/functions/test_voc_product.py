"""`POST /voc/search` of the product's own voices: by words and by meaning, with vectors that are made once, of masked texts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core, voice_search
from footnote.errors import ModelUnavailable
from footnote.ports import Embedder
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Feedback
from footnote_query.app import create_app
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder
from tests.functions.conftest import LOCAL, as_caller
from tests.turns import make_turn, stored

ASKED = {
    "How do I reset my password?": "no_hits",
    "Where is the canteen?": "no_hits",
    "Which trains leave on Sunday?": "closest",
    "비밀번호를 어떻게 바꾸나요?": "no_hits",
}


@dataclass(frozen=True)
class Site:
    core: Core
    client: httpx.AsyncClient

    async def find(self, query: str, **body: Any) -> dict[str, Any]:
        reply = await self.client.post("/voc/search", json={"source": "product", "query": query, **body})
        assert reply.status_code == 200, reply.text
        return reply.json()

    async def texts(self, query: str, **body: Any) -> list[str]:
        return [voice["text"] for voice in (await self.find(query, **body))["data"]]


@asynccontextmanager
async def site(folder: Path, embedder: Embedder | None, caller: Caller = LOCAL) -> AsyncIterator[Site]:
    """The query function on a folder, which stays."""
    settings = Settings(footnote_data=folder, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    core = Core(settings, clock=HandClock())
    core.embedder = embedder
    transport = httpx.ASGITransport(as_caller(caller, create_app)(lambda: core), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
        yield Site(core, client)
    await core.close()


async def keep(core: Core, asked: Mapping[str, str], user: str = "local") -> None:
    """Stored turns that ended so, a second apart."""
    for number, (question, outcome) in enumerate(asked.items()):
        at = core.clock() - len(asked) + number
        lang = "ko" if ord(question[0]) > 0x1000 else "en"
        turn = make_turn(question, trace_id=f"{user}{number}", caller=Caller(user), lang=lang, started_at=at)
        await core.turns.save({**stored(turn), "outcome": outcome})


async def test_own_voices_are_found_by_meaning_with_an_embedder_and_by_words_without(tmp_path: Path) -> None:
    from footnote.adapters.e5.embedder import E5

    async with site(tmp_path, E5()) as here:
        await keep(here.core, ASKED)
        found = await here.texts("I forgot my login credentials")
        assert set(found[:2]) == {"How do I reset my password?", "비밀번호를 어떻게 바꾸나요?"}
        assert (await here.texts("In which room is lunch served?"))[0] == "Where is the canteen?"
        assert (await here.texts("trains on Sunday"))[0] == "Which trains leave on Sunday?"
    async with site(tmp_path, None) as here:
        assert await here.texts("I forgot my login credentials") == []
        assert await here.texts("reset password") == ["How do I reset my password?"]


async def test_words_decide_in_a_language_that_the_embedder_does_not_speak(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    async with site(tmp_path, embedder) as here:
        await keep(here.core, ASKED)
        found = await here.find("비밀번호 변경")
        assert ([voice["text"] for voice in found["data"]], found["vectors_pending"]) == (["비밀번호를 어떻게 바꾸나요?"], False)
        assert embedder.embedded == []
        await here.texts("password")
        assert "비밀번호를 어떻게 바꾸나요?" not in embedder.embedded


async def test_nothing_is_embedded_twice_not_even_by_another_process(tmp_path: Path) -> None:
    first, second = FakeEmbedder(), FakeEmbedder()
    async with site(tmp_path, first) as here:
        await keep(here.core, ASKED | {"How do I reset my  password?": "no_hits"})
        found = await here.texts("password")
        assert sorted(first.embedded) == sorted(
            ["password", *(each for each in ASKED if ord(each[0]) < 0x1000), "How do I reset my  password?"]
        )
        assert await here.texts("password") == found
        assert first.embedded.count("password") == 2
        assert len(first.embedded) == 6
    async with site(tmp_path, second) as here:
        assert await here.texts("password") == found
        assert second.embedded == ["password"]


async def test_a_search_embeds_a_few_voices_and_the_next_ones_follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice_search, "EMBEDDED_AT_ONCE", 2)
    embedder = FakeEmbedder()
    async with site(tmp_path, embedder) as here:
        await keep(here.core, {f"Where is lamp {number}?": "no_hits" for number in range(5)})
        found = await here.find("lamp", limit=2)
        assert embedder.embedded == ["lamp", "Where is lamp 4?", "Where is lamp 3?"]
        assert found["vectors_pending"]
        seen = [voice["text"] for voice in found["data"]]
        while found["has_more"]:
            found = await here.find("lamp", limit=2, after=found["last_id"])
            seen += [voice["text"] for voice in found["data"]]
        assert sorted(seen) == [f"Where is lamp {number}?" for number in range(5)]
        assert len(embedder.embedded) == 5, "a later page made vectors, which changes the ranks"
        assert [(await here.find("lamp"))["vectors_pending"] for _ in range(3)] == [True, False, False]
        assert embedder.embedded.count("Where is lamp 0?") == 1


async def test_the_embedder_gets_masked_texts_of_voices_that_the_admin_sees_alone(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    async with site(tmp_path, embedder) as here:
        await keep(here.core, {"Who has the number of ann@example.org?": "no_hits", "What does Kim earn?": "forbidden"})
        given = Feedback("local0", "local", "down", "old", comment="Call +49 30 1234567 or ben@example.org", created_at=here.core.clock())
        await here.core.feedback.put(Caller("local"), given)
        assert len(await here.texts("number")) == 2
    said = "\n".join(embedder.embedded)
    assert "Who has the number of [e-mail]?" in embedder.embedded
    assert not [word for word in ("ann@", "ben@", "1234567", "earn") if word in said]
    async with site(tmp_path, other := FakeEmbedder(), Caller("eve")) as here:
        assert (await here.client.post("/voc/search", json={"source": "product", "query": "number"})).status_code == 403
        assert other.embedded == []


async def test_an_embedder_that_fails_leaves_the_search_by_words(tmp_path: Path) -> None:
    class Broken(FakeEmbedder):
        async def embed(self, texts: Any, *, query: bool = False) -> Any:
            raise ModelUnavailable("The embedder does not answer.")

    class BrokenForPassages(FakeEmbedder):
        async def embed(self, texts: Any, *, query: bool = False) -> Any:
            if not query:
                raise ModelUnavailable("The embedder does not answer.")
            return await FakeEmbedder.embed(self, texts, query=query)

    for embedder in (Broken(), BrokenForPassages()):
        async with site(tmp_path, embedder) as here:
            await keep(here.core, ASKED)
            assert await here.texts("password of mine") == ["How do I reset my password?"]


async def test_the_vectors_of_what_a_user_said_are_deleted_with_their_data(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    async with site(tmp_path, embedder) as here:
        await keep(here.core, {"How do I reset my password?": "no_hits"}, "ann")
        await here.core.feedback.put(Caller("ann"), Feedback("ann0", "ann", "down", "old", created_at=here.core.clock()))
        await keep(here.core, {"Where is the canteen?": "no_hits"})
        assert len(await here.texts("password")) == 3
    async with site(tmp_path, embedder, Caller("ann")) as here:
        assert (await here.client.delete("/me/data")).status_code == 204
    embedder.embedded.clear()
    async with site(tmp_path, embedder) as here:
        assert await here.texts("password") == ["Where is the canteen?"]
        await keep(here.core, {"How do I reset my password?": "no_hits"}, "ann")
        await here.texts("password")
    assert embedder.embedded == ["password", "password", "How do I reset my password?"]
