"""Answers about images: fetches and checks them, and adds them to the messages."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from footnote.answer.budget import budget_of, exchanges_shown
from footnote.answer.converse import history_messages
from footnote.answer.today import today
from footnote.errors import BadRequest
from footnote.ports import Images
from footnote.prompts import Prompts
from footnote.settings import LLM, Conversation, Vision
from footnote.types import Message, Turn

FETCH_S = 15.0
"""Timeout for one image, in seconds."""


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
    system = Message("system", turn.conversation.system or prompts.render("vision", turn.lang, {}))
    if llm.vision_model:
        turn = replace(turn, plan=replace(turn.plan, model=llm.vision_model, window=None))
    earlier = history_messages(exchanges_shown(turn, conversation), budget_of(turn, llm).conversation)
    return replace(
        turn, messages=(system, *earlier, Message("user", f"{today(turn, prompts)}\n\n{turn.request.question}", images=tuple(seen)))
    )
