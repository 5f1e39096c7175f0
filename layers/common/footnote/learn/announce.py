"""Who else wants to know? Questions and answers, told to the event bus; nobody's answer waits for that."""

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
"""A turn's end waits at most so long for its own events: AWS Lambda freezes what still runs after a reply."""
DRAIN_S = 5.0
"""Longest wait for events when the process ends."""
AT_ONCE, MOST = 2, 1000
"""Events under way, as a bus that hangs would otherwise take every thread, and turns that wait; what is more is lost."""
LONGEST_TEXT = 100_000
"""Bytes of a question or an answer as JSON; EventBridge takes 256 KB in all."""


class Announcer:
    """Tells a bus in the background: of one turn in order, of all turns at once."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._last: dict[str, asyncio.Task[None]] = {}
        """Trace → what is being told of it."""
        self._failures = 0

    def tell(self, trace_id: str, detail_type: str, detail: Mapping[str, Any]) -> None:
        if len(self._last) >= MOST and trace_id not in self._last:
            self._failed(detail_type, "too many wait")
            return
        task = asyncio.create_task(self._publish(self._last.get(trace_id), detail_type, detail))
        self._last[trace_id] = task
        task.add_done_callback(lambda done: self._forget(trace_id, done))

    async def settle(self, trace_id: str) -> None:
        """Waits until the turn's events are told, at most WAIT_S."""
        if (task := self._last.get(trace_id)) is not None:
            await asyncio.wait({task}, timeout=WAIT_S)

    async def drain(self) -> None:
        """Waits for all events, at most DRAIN_S; the rest is lost."""
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
        except Exception as exc:  # of whatever kind: nobody is there to see it
            self._failed(detail_type, exc.detail if isinstance(exc, FootnoteError) else type(exc).__name__)

    def _failed(self, detail_type: str, why: str) -> None:
        self._failures += 1
        log.warning("event not told", extra={"event": detail_type, "error": why, "failures": self._failures})

    def _forget(self, trace_id: str, done: asyncio.Task[None]) -> None:
        if self._last.get(trace_id) is done:
            del self._last[trace_id]


async def announce_question(turn: Turn, *, announcer: Announcer) -> Turn:
    detail = {
        "query": _cut(turn.request.question),
        "user_id": turn.caller.user_id,
        "session_id": turn.request.room_id or turn.trace_id,
        "model_id": turn.plan.model,
    }
    announcer.tell(turn.trace_id, SUBMITTED, detail)
    return turn


async def announce_answer(turn: Turn, *, announcer: Announcer, clock: Clock) -> Turn:
    """Of turns that have an answer; what is still being told of the others is waited for all the same."""
    answer = turn.answer
    if answer is not None:
        detail = {
            "query": _cut(turn.request.question),
            "response": _cut(answer.text),
            "model_id": answer.model,
            "latency_ms": max(0, round((clock() - turn.record.started_at) * 1000)),
            "citation_count": len(answer.citations),
            "retrieval_count": len(turn.evidence.hits),
            "user_id": turn.caller.user_id,
        }
        announcer.tell(turn.trace_id, GENERATED, detail)
    await announcer.settle(turn.trace_id)
    return turn


def _cut(text: str) -> str:
    """As much of it as LONGEST_TEXT holds: JSON writes up to twelve bytes for a character."""
    while len(json.dumps(text)) > LONGEST_TEXT:
        text = text[: int(len(text) * 0.9)]
    return text
