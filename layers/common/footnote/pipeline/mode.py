"""Which table answers a turn."""

from __future__ import annotations

from typing import Literal

from footnote.answer.small_talk import is_small_talk_by_meaning, may_greet
from footnote.types import Mode, Turn
from footnote.understand.last_answer import needs_no_search


def answering_mode(turn: Turn) -> Literal[Mode, "greeting", "last_answer"]:
    """The key of the switch `mode`."""
    if needs_no_search(turn):
        return "last_answer"
    greets = may_greet(turn) or is_small_talk_by_meaning(turn)
    return "greeting" if greets and not turn.conversation.is_asked_about else turn.request.mode
