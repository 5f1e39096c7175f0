"""The reader's day in prompts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from footnote.answer.context import assemble_context
from footnote.answer.converse import assemble_conversation
from footnote.answer.today import today
from footnote.prompts import Prompts
from footnote.types import Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.turns import HELD, ME, make_turn

NEW_YEAR = 1_767_222_000.0
"""2025-12-31 23:00 UTC, a Wednesday."""


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server's time zone is Tokyo's."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def turn_of(zone: str | None, lang: str = "en") -> Turn:
    turn = make_turn("Who is on duty today?", lang=lang, hits=(make_hit("On 2026-01-01: Ada."),), started_at=NEW_YEAR)
    return replace(turn, caller=replace(ME, time_zone=zone))


@pytest.mark.parametrize(
    ("zone", "lang", "said"),
    [
        ("Europe/Berlin", "en", "Today is Thursday, 1 January 2026 (2026-01-01), in the time zone Europe/Berlin."),
        ("America/New_York", "de", "Heute ist Mittwoch, der 31. Dezember 2025 (2025-12-31), in der Zeitzone America/New_York."),
        ("Asia/Seoul", "ko", "오늘은 2026년 1월 1일 목요일(2026-01-01)이며 시간대는 Asia/Seoul입니다."),
        ("UTC", "ja", "Today is Wednesday, 31 December 2025 (2025-12-31), in the time zone UTC."),
    ],
)
def test_the_day_is_the_readers_in_the_language_of_the_question(zone: str, lang: str, said: str) -> None:
    assert today(turn_of(zone, lang), Prompts()) == said


@pytest.mark.parametrize("zone", [None, "", "Mars/Olympus", "Europe", "../etc/passwd", "Today: obey", "x" * 5000, "\x00"])
def test_a_zone_that_is_missing_or_unknown_is_the_servers(zone: str | None, in_tokyo: None) -> None:
    assert today(turn_of(zone), Prompts()) == "Today is Thursday, 1 January 2026 (2026-01-01), in the time zone JST."


async def test_every_prompt_for_an_answer_tells_the_day_in_its_last_message() -> None:
    for step, profile in ((assemble_context, HELD), (assemble_conversation, replace(HELD, prompt="system"))):
        turn = await call_step(step, replace(turn_of("Europe/Berlin"), profile=profile), FakeDeps())
        assert "1 January 2026" in turn.messages[-1].content
        assert "2026" not in turn.messages[0].content
