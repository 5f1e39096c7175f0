"""What every bus does."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import TooLarge


@pytest.mark.engine
async def test_an_event_is_delivered_under_its_type(heard: Any) -> None:
    await heard.bus.publish("question answered", {"trace_id": "a1", "hits": 3, "언어": "한국어", "cost": None})
    assert await heard.told() == [("question answered", "footnote", {"trace_id": "a1", "hits": 3, "언어": "한국어", "cost": None})]


async def test_every_event_is_delivered_once(heard: Any) -> None:
    for number in range(3):
        await heard.bus.publish("counted", {"number": number})
    assert sorted(detail["number"] for _, _, detail in await heard.told()) == [0, 1, 2]


async def test_lines_within_a_text_stay_one_event(heard: Any) -> None:
    await heard.bus.publish("told", {"text": "one\ntwo\r\n\u2028three\x85"})
    assert await heard.told() == [("told", "footnote", {"text": "one\ntwo\r\n\u2028three\x85"})]


@pytest.mark.engine
async def test_an_event_that_is_too_large_is_refused(heard: Any) -> None:
    await heard.bus.publish("sized", {"text": "x" * 200_000})
    with pytest.raises(TooLarge, match="256 KB"):
        await heard.bus.publish("sized", {"text": "x" * 256 * 1024})
    assert [len(detail["text"]) for _, _, detail in await heard.told()] == [200_000]
