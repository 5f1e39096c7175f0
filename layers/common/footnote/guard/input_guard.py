"""Validates and cleans the question: length, characters, prompt injection."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from footnote.errors import Rejected
from footnote.text.prompt_injection.score import is_injection
from footnote.text.untrusted import INVISIBLE
from footnote.types import Turn
from footnote.types.copies import replace

if TYPE_CHECKING:
    from footnote.settings import Rag

LONGEST = 2000
"""Characters. Questions are short; two of five known prompt injections are longer than this."""
READ = 10 * LONGEST
"""Characters. A longer input is not even cleaned, because that would block other requests."""


async def check_input(turn: Turn, *, rag: Rag) -> Turn:
    """The turn with the cleaned question. Raises Rejected if it is empty, too long or a prompt injection."""
    question = clean_question(turn.request.question) if len(turn.request.question) <= READ else turn.request.question
    if not question:
        raise Rejected("The question is empty. Write what you want to know.")
    if len(question) > LONGEST:
        raise Rejected(f"The question has {len(question)} characters; {LONGEST} are allowed. Shorten it.")
    if not any(char.isalnum() for char in question):
        raise Rejected("The question contains no letter or digit. Write it in words.")
    if rag.refuse_injections and is_injection(question):
        raise Rejected("The question tries to change the assistant's rules. Ask only what you want to know.")
    queries = tuple(replace(query, text=question) if query.kind == "original" else query for query in turn.queries)
    return replace(turn, request=replace(turn.request, question=question), queries=queries)


def clean_question(text: str) -> str:
    """Normalises to NFC, removes control and invisible characters, collapses white space."""
    text = INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
