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
from tests.fakes import LoopClock, make_document, put_document
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
    clock: LoopClock
    never: asyncio.Event
    silent: int = 0
    answered: int = 0
    """Calls that were not answered, and calls for an answer."""

    def reply(self, sent: Any) -> Reply:
        """Answers, and is silent where an object is asked for."""
        if "response_format" in sent:
            self.silent += 1
            return sse(self.never)
        self.answered += 1
        return sse(chunk(content=ANSWER))

    async def ask(self, path: str, body: dict[str, Any]) -> httpx.Response:
        """Asks; whenever the model is silent, its time passes."""
        passed = self.silent
        asking = asyncio.create_task(self.client.post(path, json=body))
        while not asking.done():
            if self.silent > passed:
                passed = self.silent
                self.clock.advance(16)
            await asyncio.sleep(0.01)
        return await asking


@pytest.fixture
async def site(tmp_path: Path, clock: Clock) -> AsyncIterator[Site]:
    async with serving() as model:
        llm = LLM(base_url=f"{model.url}/v1", model="gpt-4o", retries=0)
        core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=llm), clock=clock)
        await put_document(core.index, make_document("bridge", title="Records", groups=("*",)), BRIDGE, page=3)
        transport = httpx.ASGITransport(create_app(lambda: core), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
            site = Site(core, client, model, LoopClock(), asyncio.Event())
            model.replies[CHAT] = site.reply
            yield site
            site.never.set()
        await core.close()


async def test_at_level_maximum_the_answer_is_asked_for_however_many_others_are_silent(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.adapters.resilience.models.WITHIN_S", 1e9)  # however slow the machine is
    for question in ("bridge paint", "ferries river", "bridge built"):
        reply = (await site.ask("/v1/chat", {"message": question, "intelligence_level": "maximum", "enable_verification": False})).json()
        assert (reply["content"], reply["tier"], "model_failed" in reply["warnings"]) == (ANSWER, "answer", False)
    assert site.silent > FAILURES
    assert site.answered >= 9


@pytest.mark.parametrize("lang", FOLLOW_UPS)
async def test_a_follow_up_whose_rewrite_is_late_is_searched_with_the_words_before_it(lang: str, site: Site) -> None:
    first = {"en": QUESTION, "de": "Wann wurde die Brücke Bridge gebaut?", "ko": "bridge 다리는 언제 지어졌나요?"}[lang]
    room = ASK | {"room_id": "r", "mode": "rag", "search": "always"}
    await site.ask("/ask", room | {"query_text": first})
    reply = (await site.ask("/ask", room | {"query_text": FOLLOW_UPS[lang]})).json()
    (query,) = reply["searched_for"]
    assert query.startswith(FOLLOW_UPS[lang])
    assert "bridge" in query.lower()
    assert reply["degraded"]
