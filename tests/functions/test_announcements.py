"""Questions and answers are announced on the event bus without delaying or costing an answer; what is announced: tests/recordings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from footnote.errors import Unavailable
from tests.functions.conftest import ASK, OpenSite, read_events

KINDS = ["analytics.query.submitted", "analytics.response.generated"]


FOOTNOTED = "It was built in 1894 [^bridge]."


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
