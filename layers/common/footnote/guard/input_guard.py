"""May this be asked? Length, characters, no attempt on the assistant's rules. What is left is the question as everyone after sees it."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from footnote.errors import Rejected
from footnote.settings import Rag
from footnote.text.fences import INVISIBLE
from footnote.text.prompt_injection.score import is_injection
from footnote.types import Turn

LONGEST = 2000
"""Characters. Questions are short; two of five known attacks on prompts are longer than this."""
READ = 10 * LONGEST
"""Characters of what came: of more, nothing is cleaned, which would hold up everybody else."""


async def check_input(turn: Turn, *, rag: Rag) -> Turn:
    """The turn with a cleaned question; `Rejected` when there is nothing to ask or far too much."""
    question = clean_question(turn.request.question) if len(turn.request.question) <= READ else turn.request.question
    if not question:
        raise Rejected("The question is empty. Write what you want to know.")
    if len(question) > LONGEST:
        raise Rejected(f"The question has {len(question)} characters; {LONGEST} are allowed. Shorten it.")
    if not any(char.isalnum() for char in question):
        raise Rejected("The question holds no letter or digit. Write it in words.")
    if rag.injection_check_enabled and is_injection(question):
        raise Rejected("The question tries to change the assistant's rules. Ask only what you want to know.")
    queries = tuple(replace(query, text=question) if query.kind == "original" else query for query in turn.queries)
    return replace(turn, request=replace(turn.request, question=question), queries=queries)


def clean_question(text: str) -> str:
    """NFC, without control and invisible characters, white space collapsed."""
    text = INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
