"""HyDE: a text that a model makes up as a possible answer is near passages that answer.

Only its vector is searched for: its words are made up, and some of them are wrong.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.model_calls import ask
from footnote.ports import Embedder, Models, speaks
from footnote.prompts import Prompts
from footnote.retrieve.derived import LIMIT_S, with_derived
from footnote.text.untrusted import untrusted
from footnote.types import Message, Turn

ABSTRACT_WORDS = 5
"""A question with fewer words is abstract: too little for its vector to find anything."""
LONGEST = 1000


class Hypothetical(BaseModel, defer_build=True):
    """The model's reply."""

    text: str = Field(description="a text, the passage")


def is_abstract(turn: Turn) -> bool:
    """The question has fewer than five words, and vectors are searched for."""
    return turn.plan.retriever != "bm25" and len(turn.asked.split()) < ABSTRACT_WORDS


async def write_hypothetical(turn: Turn, *, models: Models, prompts: Prompts, embedder: Embedder | None) -> Turn:
    """Adds a query of kind `hypothetical`, if the embedder supports the language."""
    if not speaks(embedder, turn.lang):
        return turn
    prompt = prompts.render("hypothetical", turn.lang, {"question": untrusted(turn.asked)}, turn.plan.prompts)
    reply = await ask(models, turn.plan.model, [Message("user", prompt)], Hypothetical, timeout_s=LIMIT_S)
    return with_derived(turn, "hypothetical", [reply.text], longest=LONGEST)
