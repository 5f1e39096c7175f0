"""Messages for an answer without documents: the conversation so far, and images."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from footnote.answer.budget import budget_of, exchanges_shown
from footnote.answer.today import today
from footnote.errors import BadRequest
from footnote.ports import Images
from footnote.prompts import Prompts
from footnote.settings import LLM, Conversation, Vision
from footnote.text.tokens import count_tokens
from footnote.types import Exchange, Message, Turn
from footnote.types.copies import replace

FETCH_S = 15.0
"""Timeout for one image, in seconds."""


async def assemble_conversation(turn: Turn, *, prompts: Prompts, llm: LLM, conversation: Conversation) -> Turn:
    """Sets `turn.messages`: system message, as much of the history as fits, question."""
    return _assembled(turn, turn.profile.prompt, (), prompts, llm, conversation)


def history_messages(history: Sequence[Exchange], budget: int) -> tuple[Message, ...]:
    """The last exchanges that fit into `budget` tokens as messages, oldest first. Of the last answer, which the question may be about,
    as much is kept as fits; other exchanges are never cut."""
    kept: list[Message] = []
    for exchange in reversed(history):
        budget -= count_tokens(exchange.question)
        answer, tokens = exchange.answer, count_tokens(exchange.answer)
        if tokens > budget:
            if kept or budget <= 0:
                break
            answer = f"{answer[: len(answer) * budget // tokens].rstrip()} …"
        budget -= tokens
        kept = [Message("user", exchange.question), Message("assistant", answer), *kept]
    return tuple(kept)


async def attach_images(turn: Turn, *, images: Images, vision: Vision, llm: LLM, conversation: Conversation, prompts: Prompts) -> Turn:
    """Sets `turn.messages` with the images as `data:` URIs, and `turn.plan.model` to the vision model.

    Raises BadRequest for too many images, or one that is not an image or too large.
    """
    if not turn.request.images:
        raise BadRequest("There is no image. Send one in `images`, as an address or a data: URI.")
    if len(turn.request.images) > vision.max_images:
        raise BadRequest(f"There are {len(turn.request.images)} images; {vision.max_images} are allowed.")
    most = int(vision.max_image_mb * 2**20)
    seen = await asyncio.gather(*(images.fetch(url, max_bytes=most, timeout_s=FETCH_S) for url in turn.request.images))
    if llm.vision_model:
        turn = replace(turn, plan=replace(turn.plan, model=llm.vision_model, window=None))
    return _assembled(turn, "vision", seen, prompts, llm, conversation)


def _assembled(turn: Turn, prompt: str, images: Sequence[str], prompts: Prompts, llm: LLM, conversation: Conversation) -> Turn:
    """The turn with its messages. `prompt`: of the system, if the conversation has none."""
    system = Message("system", turn.conversation.system or prompts.render(prompt, turn.lang, {}))
    earlier = history_messages(exchanges_shown(turn, conversation), budget_of(turn, llm).conversation)
    question = Message("user", f"{today(turn, prompts)}\n\n{turn.request.question}", images=tuple(images))
    return replace(turn, messages=(system, *earlier, question))
