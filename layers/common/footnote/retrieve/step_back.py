"""Step-back: the more general question behind a question finds passages that explain its subject."""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.model_calls import ask
from footnote.ports import Models
from footnote.prompts import Prompts
from footnote.retrieve.derived import LIMIT_S, with_derived
from footnote.text.untrusted import untrusted
from footnote.types import Message, Turn

WEIGHT = 0.3


class General(BaseModel, defer_build=True):
    """The model's reply."""

    query: str = Field(description="a text, the more general question")


async def step_back(turn: Turn, *, models: Models, prompts: Prompts) -> Turn:
    """Adds a query of kind `step_back`."""
    prompt = prompts.render("step_back", turn.lang, {"question": untrusted(turn.asked)}, turn.plan.prompts)
    reply = await ask(models, turn.plan.model, [Message("user", prompt)], General, timeout_s=LIMIT_S)
    return with_derived(turn, "step_back", [reply.query], WEIGHT)
