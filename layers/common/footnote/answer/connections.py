"""What a graph says of connections between the passages that a model is shown."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.answer.citation_styles import STYLES
from footnote.prompts import Prompts
from footnote.text.prompt_injection.passages import find_injected_sentences
from footnote.text.tokens import count_tokens
from footnote.text.untrusted import untrusted_title
from footnote.types import Hit, Turn

MOST, LONGEST = 6, 200
"""Connections that are told, and characters of each."""


def room_for_connections(turn: Turn) -> int:
    """Tokens that they may take."""
    return sum(count_tokens(fact.text[:LONGEST]) for fact in turn.evidence.facts[:MOST])


def connections(turn: Turn, shown: Sequence[Hit], prompts: Prompts) -> str:
    """The connections that shown passages state, each with the name by which the prompt knows its passage: a number, or the document's id
    where that is cited; "" = there are none. Sentences that are addressed to an assistant are left out."""
    by_id = STYLES[turn.profile.citation_style].by_id
    names = {hit.chunk.chunk_id: f"^{hit.chunk.doc_id}" if by_id else f"{number}" for number, hit in enumerate(shown, start=1)}
    told = [
        {"text": untrusted_title(fact.text[:LONGEST]), "name": names[fact.chunk_id]}
        for fact in turn.evidence.facts
        if fact.chunk_id in names and not any(find_injected_sentences(fact.text, lang=turn.lang))
    ]
    return prompts.render("connections", turn.lang, {"connections": told[:MOST]}, turn.plan.prompts) if told else ""
