"""Every API publishes each question and answer on the event bus, without delaying the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from footnote.errors import Unavailable
from footnote.types import Caller
from tests.functions.conftest import ASK, QUESTION, OpenSite, read_events

KINDS = ["analytics.query.submitted", "analytics.response.generated"]
CHAT = {"query": QUESTION, "session_id": "r1"}
COMPLETION = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
CORE = {"query": QUESTION, "room_id": "r1"}
FOOTNOTED, NUMBERED, MARKED = "It was built in 1894 [^bridge].", "It was built in 1894 [1].", "It was built in 1894.\nSOURCES_USED: 1"
ANN = Caller("ann", frozenset({"*"}))


class HangingBus:
    """`ports.Bus` that never answers, or fails at once."""

    def __init__(self, error: Exception | None = None) -> None:
        self.published: list[str] = []
        self.go = asyncio.Event()
        self._error = error

    async def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        self.published.append(detail_type)
        if self._error is not None:
            raise self._error
        await self.go.wait()


def events(folder: Path) -> list[dict[str, Any]]:
    path = folder / "events.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize(
    ("path", "body", "says", "room"),
    [
        ("/ask", ASK, FOOTNOTED, None),
        ("/ask/stream", ASK, FOOTNOTED, None),
        ("/chat", CHAT, NUMBERED, "r1"),
        ("/v2/rag/query", CORE, MARKED, "r1"),
        ("/v2/gpt/query", CORE, MARKED, "r1"),
        ("/v1/chat/completions", COMPLETION, NUMBERED, None),
        ("/v1/chat/completions", COMPLETION | {"stream": True}, NUMBERED, None),
    ],
)
async def test_every_api_publishes_the_question_and_its_answer(
    open_site: OpenSite, tmp_path: Path, path: str, body: dict[str, Any], says: str, room: str | None
) -> None:
    site = await open_site(says, caller=ANN)
    site.core.models.model.replies *= 3  # type: ignore[attr-defined]  # it may be asked to rewrite the question first, and once more
    assert (await site.client.post(path, json=body)).status_code == 200
    await site.core.close()
    asked, answered = events(tmp_path)
    assert [asked["detail-type"], answered["detail-type"]] == KINDS
    assert (asked["source"], answered["source"]) == ("footnote", "footnote")
    assert (asked["detail"]["query"], asked["detail"]["user_id"]) == (QUESTION, "ann")
    assert asked["detail"]["session_id"] == room or room is None
    detail = answered["detail"]
    assert set(detail) == {"query", "response", "model_id", "latency_ms", "citation_count", "retrieval_count", "user_id"}
    assert detail["response"].startswith("It was built in 1894")
    found = 0 if path == "/v2/gpt/query" else 1
    assert (detail["model_id"], detail["citation_count"], detail["retrieval_count"], detail["user_id"]) == ("fake", found, found, "ann")


async def test_a_test_question_is_not_published(open_site: OpenSite, tmp_path: Path) -> None:
    site = await open_site(MARKED)
    assert (await site.client.post("/v2/rag/query", json=CORE | {"is_test": True})).status_code == 200
    await site.core.close()
    assert events(tmp_path) == []


async def test_searches_publish_nothing(open_site: OpenSite, tmp_path: Path) -> None:
    site = await open_site()
    search = {"index_name": "default", "permission_groups": [], "query_text": QUESTION, "num_result_doc": 5}
    assert (await site.client.post("/retrieve-rrf", json=search)).status_code == 200
    await site.core.close()
    assert events(tmp_path) == []


async def test_an_invalid_question_is_not_published(open_site: OpenSite, tmp_path: Path) -> None:
    site = await open_site(FOOTNOTED)
    assert (await site.client.post("/ask", json=ASK | {"query_text": "?!"})).status_code == 422
    await site.core.close()
    assert events(tmp_path) == []


async def test_a_model_that_fails_in_a_held_answer_publishes_the_quoted_answer(open_site: OpenSite, tmp_path: Path) -> None:
    site = await open_site(Unavailable("down"))
    await site.client.post("/ask", json=ASK)
    await site.core.close()
    asked, answered = events(tmp_path)
    assert (asked["detail-type"], answered["detail"]["model_id"]) == (KINDS[0], None)


async def test_a_bus_that_hangs_costs_an_answer_some_fifty_milliseconds(open_site: OpenSite) -> None:
    bus = HangingBus()
    site = await open_site(FOOTNOTED)
    site.core.bus = bus
    messages = read_events((await site.client.post("/ask/stream", json=ASK)).text)
    assert (messages[-1]["type"], messages[-1]["answer"]) == ("done", "It was built in 1894 [^bridge].")
    (ended,) = [message for message in messages if message["type"] == "node" and message["name"] == "announce_answer"]
    assert 49 <= ended["ms"] < 200  # 51 on an idle machine
    assert bus.published == KINDS[:1]
    bus.go.set()
    await site.core.announcer.drain()
    assert bus.published == KINDS


async def test_a_bus_that_is_down_costs_no_answer(open_site: OpenSite) -> None:
    bus = HangingBus(Unavailable("The event bus cannot be reached."))
    site = await open_site(FOOTNOTED)
    site.core.bus = bus
    reply = (await site.client.post("/ask", json=ASK)).json()
    assert (reply["answer"], reply["degraded"]) == ("It was built in 1894 [^bridge].", False)
    assert bus.published == KINDS
