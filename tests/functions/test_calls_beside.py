"""Calls of the model beside the answer, such as a rewrite, that are never answered: the answer is written all the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.adapters.resilience.models import FAILURES
from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, Embedding, Settings
from footnote_query.app import create_app
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, QUESTION
from tests.openai_server import Reply, Server, chunk, serving, sse

CHAT = "/v1/chat/completions"
ANSWER = "The bridge was built in 1894 [Source 1]."
FOLLOW_UPS = {"en": "And who painted it?", "de": "Und wer hat sie gestrichen?", "ko": "그것은 누가 칠했나요?"}


@dataclass
class Site:
    core: Core
    client: httpx.AsyncClient
    model: Server
    never: asyncio.Event
    answered: int = 0
    """Calls for an answer."""

    def reply(self, sent: Any) -> Reply:
        """Answers, and is silent where an object is asked for."""
        if "response_format" in sent:
            return sse(self.never)
        self.answered += 1
        return sse(chunk(content=ANSWER))


@pytest.fixture
async def site(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    for module in ("retrieve.derived", "understand.rewrite"):
        monkeypatch.setattr(f"footnote.{module}.LIMIT_S", 0.1)
    async with serving() as model:
        llm = LLM(base_url=f"{model.url}/v1", model="gpt-4o", retries=0)
        core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=llm), clock=clock)
        await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE, page=3)
        transport = httpx.ASGITransport(create_app(lambda: core), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
            site = Site(core, client, model, asyncio.Event())
            model.replies[CHAT] = site.reply
            yield site
            site.never.set()
        await core.close()


async def test_at_level_maximum_the_answer_is_asked_for_however_many_others_are_silent(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.adapters.resilience.models.WITHIN_S", 1e9)  # however slow the machine is
    for number in range(1, FAILURES // 2 + 2):
        body = {"message": f"bridge paint {number}", "intelligence_level": "maximum"}
        reply = (await site.client.post("/v1/chat", json=body)).json()
        assert (reply["content"], reply["tier"], "model_failed" in reply["warnings"]) == (ANSWER, "answer", False)
        assert site.answered >= 3 * number


@pytest.mark.parametrize("lang", FOLLOW_UPS)
async def test_a_follow_up_whose_rewrite_is_late_is_searched_with_the_words_before_it(lang: str, site: Site) -> None:
    first = {"en": QUESTION, "de": "Wann wurde die Brücke Bridge gebaut?", "ko": "bridge 다리는 언제 지어졌나요?"}[lang]
    room = ASK | {"room_id": "r", "mode": "rag", "search": "always"}
    await site.client.post("/ask", json=room | {"query_text": first})
    reply = (await site.client.post("/ask", json=room | {"query_text": FOLLOW_UPS[lang]})).json()
    (query,) = reply["searched_for"]
    assert query.startswith(FOLLOW_UPS[lang])
    assert "bridge" in query.lower()
    assert reply["degraded"]
