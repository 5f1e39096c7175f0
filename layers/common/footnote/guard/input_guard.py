"""May this be asked? Length and characters; what is left is the question as everyone after sees it."""

from __future__ import annotations

import re
import unicodedata

from footnote.errors import Rejected
from footnote.types import Turn

LONGEST = 2000
"""Characters. Questions are short; two of five known attacks on prompts are longer than this."""

INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
"""Soft hyphens, zero-width, direction and tag characters: they can hide words from a reader."""


async def check_input(turn: Turn) -> Turn:
    """The turn with a cleaned question; `Rejected` when there is nothing to ask or far too much."""
    question = clean_question(turn.question)
    if not question:
        raise Rejected("The question is empty. Write what you want to know.")
    if len(question) > LONGEST:
        raise Rejected(f"The question has {len(question)} characters; {LONGEST} are allowed. Shorten it.")
    if not any(char.isalnum() for char in question):
        raise Rejected("The question holds no letter or digit. Write it in words.")
    return turn.with_(question=question)


def clean_question(text: str) -> str:
    """NFC, without control and invisible characters, white space collapsed."""
    text = INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
