"""Which table answers a turn."""

from __future__ import annotations

from typing import Literal

from footnote.answer.small_talk import may_greet
from footnote.types import Mode, Turn
from footnote.understand.last_answer import needs_no_search


def answering_mode(turn: Turn) -> Literal[Mode, "greeting", "last_answer"]:
    """The key of the switch `mode`."""
    if needs_no_search(turn):
        return "last_answer"
    return "greeting" if may_greet(turn) and not turn.conversation.is_asked_about else turn.request.mode
