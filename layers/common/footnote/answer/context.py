"""Which of the evidence fits into the prompt, and how it is fenced there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from footnote.prompts import Prompts
from footnote.text.tokens import count_tokens
from footnote.types import Hit, Message, Turn

LEAST = 60
"""Tokens; a rest smaller than this is not worth starting a passage with."""


async def assemble_context(turn: Turn, *, prompts: Prompts) -> Turn:
    """`turn.messages` from the hits that fit, `turn.hits` cut to them: what is cited was shown to the model."""
    hits = fit(turn.hits, turn.profile.context_tokens)
    documents = [_fenced(hit) for hit in hits]
    system = prompts.render(turn.profile.prompt, turn.lang, {"documents": documents})
    return turn.with_(hits=tuple(hits), messages=(Message("system", system), Message("user", turn.standalone)))


def fit(hits: Sequence[Hit], budget: int) -> list[Hit]:
    """The first hits whose texts fit into `budget` tokens; always at least one."""
    kept: list[Hit] = []
    for hit in hits:
        budget -= count_tokens(hit.chunk.text)
        if kept and budget < 0:
            break
        kept.append(hit)
        if budget < LEAST:
            break
    return kept


def _fenced(hit: Hit) -> dict[str, Any]:
    """A passage as the template's value; it can't close its own fence."""
    chunk = hit.chunk
    text = chunk.text.replace("</document", "<\u200b/document").replace("<document", "<\u200bdocument")
    return {"id": chunk.doc_id, "title": chunk.title.replace('"', "'"), "page": chunk.page, "text": text}
