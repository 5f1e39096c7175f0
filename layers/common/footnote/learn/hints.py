"""What a user said of earlier answers to the same question, or a similar one, as hints for the model that answers it again."""

from __future__ import annotations

import re

from footnote.ports import Clock, TurnStore
from footnote.text.agreement import agree
from footnote.text.similarity import bigram_cosine, bigrams
from footnote.types import Feedback, Turn

DAYS = 30
READ = 100
"""Rated turns that are compared, the newest."""
SIMILAR = 0.75
"""Cosine of the bigrams of two questions from which they are similar."""
MAY_AGREE = 0.5
"""… from which they may at least ask the same."""
MOST = 8
"""Tags of good answers, and of bad ones."""
TAG = re.compile(r"\w[\w-]*(?: \w[\w-]*){0,3}")
"""A tag is one to four words. Anything else may be instructions to the model."""
NOTE = "feedback_hints"


async def add_hints(turn: Turn, *, turns: TurnStore, clock: Clock) -> Turn:
    """Notes the tags of the caller's own ratings of the last DAYS as `feedback_hints`: {"good": […], "bad": […]}, the newest first."""
    rated = await turns.rated(turn.caller, clock() - DAYS * 86_400, READ)
    asked = bigrams(turn.asked)
    near = [given for question, given in rated if _is_similar(question, turn, asked)]
    hints = {"good": _tags(near, "up"), "bad": _tags(near, "down")}
    return turn.with_notes(**{NOTE: hints}) if any(hints.values()) else turn


def _is_similar(question: str, turn: Turn, asked: frozenset[str]) -> bool:
    cosine = bigram_cosine(bigrams(question), asked)
    return cosine >= SIMILAR or (cosine >= MAY_AGREE and agree(question, turn.asked, turn.lang))


def _tags(given: list[Feedback], rating: str) -> list[str]:
    tags = dict.fromkeys(tag for each in given if each.rating == rating for tag in each.tags if TAG.fullmatch(tag))
    return list(tags)[:MOST]
