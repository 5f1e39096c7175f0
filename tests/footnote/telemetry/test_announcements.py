"""Events of questions and answers: what they say, in which order, and that nobody waits for them."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

import pytest

from footnote.adapters.shared.bus import encode_detail
from footnote.errors import Unavailable
from footnote.telemetry.announcements import (
    AT_ONCE,
    DRAIN_S,
    GENERATED,
    MOST,
    SUBMITTED,
    WAIT_S,
    Announcer,
    announce_answer,
    announce_question,
)
from footnote.types import Answer, Citation, Turn
from tests.conftest import HandClock
from tests.deps import FakeDeps, call_step
from tests.fakes import LoopClock, make_hit
from tests.turns import make_turn

HIT = make_hit("Built in 1894.")
ANSWERED = make_turn(
    "When?", model="big", room_id="r1", hits=(HIT, HIT), answer=Answer("In 1894 [1].", (Citation(1, HIT, "1894"),), model="small"),
    started_at=HandClock().now - 2,
)  # fmt: skip


class FakeBus:
    """`ports.Bus`: remembers, raises, or waits until it is let go."""

    def __init__(self, error: Exception | None = None, *, hangs: bool = False) -> None:
        self.told: list[tuple[str, Mapping[str, Any]]] = []
        self.begun = 0
        self.go = asyncio.Event()
        self._error = error
        if not hangs:
            self.go.set()

    async def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        self.begun += 1
        await self.go.wait()
        if self._error is not None:
            raise self._error
        self.told.append((detail_type, detail))


async def finish(announcer: Announcer, turn: Turn) -> float:
    """Seconds that the end of the turn waits."""
    now = asyncio.get_running_loop().time
    started = now()
    assert await call_step(announce_answer, turn, FakeDeps(announcer=announcer)) is turn
    return now() - started


async def test_a_question_and_its_answer_are_told_in_this_order() -> None:
    bus = FakeBus()
    announcer = Announcer(bus)
    assert await call_step(announce_question, ANSWERED, FakeDeps(announcer=announcer)) is ANSWERED
    await finish(announcer, ANSWERED)
    assert bus.told == [
        ("analytics.query.submitted", {"query": "When?", "user_id": "me", "session_id": "r1", "model_id": "big"}),
        (
            "analytics.response.generated",
            {
                "query": "When?",
                "response": "In 1894 [1].",
                "model_id": "small",
                "latency_ms": 2000,
                "citation_count": 1,
                "retrieval_count": 2,
                "user_id": "me",
            },
        ),
    ]


async def test_a_turn_without_a_room_is_its_own_session() -> None:
    bus = FakeBus()
    announcer = Announcer(bus)
    await call_step(announce_question, make_turn(), FakeDeps(announcer=announcer))
    await announcer.drain()
    assert bus.told[0][1]["session_id"] == "t1"


async def test_a_turn_that_failed_has_no_answer_to_tell_of() -> None:
    bus = FakeBus()
    announcer = Announcer(bus)
    await call_step(announce_question, make_turn(), FakeDeps(announcer=announcer))
    await finish(announcer, make_turn())
    assert [kind for kind, _ in bus.told] == [SUBMITTED]


async def test_a_bus_that_hangs_costs_an_answer_fifty_milliseconds() -> None:
    bus = FakeBus(hangs=True)
    announcer = Announcer(bus)
    await call_step(announce_question, ANSWERED, FakeDeps(announcer=announcer))
    waited = await finish(announcer, ANSWERED)
    assert WAIT_S - 0.005 <= waited < WAIT_S + 0.15
    assert bus.begun == 1  # the answer does not overtake its question
    bus.go.set()
    await announcer.drain()
    assert [kind for kind, _ in bus.told] == [SUBMITTED, GENERATED]


async def test_a_bus_that_is_well_is_not_waited_for_longer_than_it_takes() -> None:
    announcer = Announcer(FakeBus())
    await call_step(announce_question, ANSWERED, FakeDeps(announcer=announcer))
    assert await finish(announcer, ANSWERED) < WAIT_S


@pytest.mark.parametrize("error", [Unavailable("The event bus cannot be reached."), RuntimeError("hush-canary")])
async def test_a_bus_that_fails_is_a_line_of_the_log_without_words(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    announcer = Announcer(FakeBus(error))
    with caplog.at_level(logging.WARNING, "footnote"):
        await call_step(announce_question, make_turn("zebra-canary"), FakeDeps(announcer=announcer))
        await finish(announcer, ANSWERED)
    assert [vars(record)["failures"] for record in caplog.records] == [1, 2]
    written = "".join(str(vars(record)) for record in caplog.records)
    assert "zebra-canary" not in written
    assert "hush-canary" not in written


async def test_a_bus_that_hangs_is_told_few_events_at_once_and_the_flood_is_lost(caplog: pytest.LogCaptureFixture) -> None:
    bus = FakeBus(hangs=True)
    announcer = Announcer(bus)
    for number in range(MOST + 2):
        announcer.announce(f"t{number}", SUBMITTED, {})
    await asyncio.sleep(0)
    assert bus.begun == AT_ONCE
    assert [vars(record)["error"] for record in caplog.records] == ["too many events are waiting"] * 2
    bus.go.set()
    await announcer.drain()
    assert len(bus.told) == MOST


async def test_the_end_of_a_process_waits_for_events_and_not_for_ever() -> None:
    clock, bus = LoopClock(), FakeBus(hangs=True)
    announcer = Announcer(bus)
    announcer.announce("t1", SUBMITTED, {})
    ending = asyncio.create_task(announcer.drain())
    await asyncio.sleep(0)
    clock.advance(DRAIN_S + 1)
    await ending
    await Announcer(bus).drain()  # nothing was announced: nothing to wait for
    bus.go.set()
    assert bus.told == []


@pytest.mark.parametrize("text", ["x" * 300_000, "🙂" * 40_000, '"' * 200_000, "다" * 60_000])
async def test_long_texts_are_cut_until_a_bus_takes_them(text: str) -> None:
    bus = FakeBus()
    announcer = Announcer(bus)
    turn = make_turn(text, answer=Answer(text))
    await call_step(announce_question, turn, FakeDeps(announcer=announcer))
    await finish(announcer, turn)
    for kind, detail in bus.told:
        assert len(encode_detail(kind, detail)) < 256 * 1024
    response = bus.told[1][1]["response"]
    assert text.startswith(response)
    assert 85_000 < len(json.dumps(response)) <= 100_000
