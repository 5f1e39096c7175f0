"""Publishes questions and answers on the event bus, in the background."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

from footnote.errors import FootnoteError
from footnote.ports import Bus, Clock
from footnote.types import Turn

log = logging.getLogger(__name__)

SUBMITTED, GENERATED = "analytics.query.submitted", "analytics.response.generated"
WAIT_S = 0.05
"""How long the end of a turn waits for its events: AWS Lambda freezes the process after the reply."""
DRAIN_S = 5.0
"""How long the end of the process waits for all events."""
AT_ONCE, MOST = 2, 1000
"""Limits: events published at once, so that a bus that hangs does not occupy every thread, and turns with pending events. Events of
further turns are dropped."""
LONGEST_TEXT = 100_000
"""Bytes of a question or an answer as JSON; EventBridge takes 256 KB in total."""


class Announcer:
    """Publishes events in the background: those of one turn in order, those of several turns at the same time."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._last: dict[str, asyncio.Task[None]] = {}
        """Trace id → its last event that is still being published."""
        self._failures = 0

    def announce(self, trace_id: str, detail_type: str, detail: Mapping[str, Any]) -> None:
        """Publishes an event of a turn, without waiting for it."""
        if len(self._last) >= MOST and trace_id not in self._last:
            self._failed(detail_type, "too many events are waiting")
            return
        task = asyncio.create_task(self._publish(self._last.get(trace_id), detail_type, detail))
        self._last[trace_id] = task
        task.add_done_callback(lambda done: self._forget(trace_id, done))

    async def settle(self, trace_id: str) -> None:
        """Waits until the turn's events are published, at most WAIT_S."""
        if (task := self._last.get(trace_id)) is not None:
            await asyncio.wait({task}, timeout=WAIT_S)

    async def drain(self) -> None:
        """Waits for all events, at most DRAIN_S; later ones are dropped."""
        if self._last:
            _, late = await asyncio.wait(self._last.values(), timeout=DRAIN_S)
            for task in late:
                task.cancel()

    async def _publish(self, before: asyncio.Task[None] | None, detail_type: str, detail: Mapping[str, Any]) -> None:
        if before is not None:
            await asyncio.wait({before})
        try:
            async with self._at_once:
                await self._bus.publish(detail_type, detail)
        except Exception as exc:  # of any type: no caller is left to handle it
            self._failed(detail_type, exc.detail if isinstance(exc, FootnoteError) else type(exc).__name__)

    def _failed(self, detail_type: str, why: str) -> None:
        self._failures += 1
        log.warning("event not published", extra={"event": detail_type, "error": why, "failures": self._failures})

    def _forget(self, trace_id: str, done: asyncio.Task[None]) -> None:
        if self._last.get(trace_id) is done:
            del self._last[trace_id]


async def announce_question(turn: Turn, *, announcer: Announcer) -> Turn:
    """Publishes the question; returns the turn unchanged."""
    detail = {
        "query": _cut(turn.request.question),
        "user_id": turn.caller.user_id,
        "session_id": turn.room_id,
        "model_id": turn.plan.model,
    }
    announcer.announce(turn.trace_id, SUBMITTED, detail)
    return turn


async def announce_answer(turn: Turn, *, announcer: Announcer, clock: Clock) -> Turn:
    """Publishes the answer, if there is one, and waits for the turn's events; returns the turn unchanged."""
    answer = turn.answer
    if answer is not None:
        detail = {
            "query": _cut(turn.request.question),
            "response": _cut(answer.text),
            "model_id": answer.model,
            "latency_ms": max(0, round((clock() - turn.trace.started_at) * 1000)),
            "citation_count": len(answer.citations),
            "retrieval_count": len(turn.evidence.hits),
            "user_id": turn.caller.user_id,
        }
        announcer.announce(turn.trace_id, GENERATED, detail)
    await announcer.settle(turn.trace_id)
    return turn


def _cut(text: str) -> str:
    """The text, truncated to LONGEST_TEXT. A character takes up to twelve bytes in JSON."""
    while len(json.dumps(text)) > LONGEST_TEXT:
        text = text[: int(len(text) * 0.9)]
    return text
