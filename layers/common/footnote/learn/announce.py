"""Who else wants to know? Questions and answers, told to the event bus; nobody's answer waits for that."""

from __future__ import annotations

from footnote.types import Turn


async def announce_question(turn: Turn) -> Turn:
    return turn


async def announce_answer(turn: Turn) -> Turn:
    return turn
