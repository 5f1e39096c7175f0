"""Paraphrases: the same question in other words, written by a model, finds passages that use these words."""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.model_calls import ask
from footnote.ports import Models
from footnote.prompts import Prompts
from footnote.retrieve.derived import LIMIT_S, with_derived
from footnote.text.untrusted import untrusted
from footnote.types import Message, Turn

MOST = 3


class Paraphrases(BaseModel, defer_build=True):
    """The model's reply."""

    queries: list[str] = Field(description="a list of two or three texts, each of them the question in other words")


async def paraphrase(turn: Turn, *, models: Models, prompts: Prompts) -> Turn:
    """Adds up to MOST queries of kind `paraphrase`."""
    prompt = prompts.render("paraphrase", turn.lang, {"question": untrusted(turn.asked)}, turn.plan.prompts)
    reply = await ask(models, turn.plan.model, [Message("user", prompt)], Paraphrases, timeout_s=LIMIT_S)
    return with_derived(turn, "paraphrase", reply.queries[:MOST])
