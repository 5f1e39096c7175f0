"""Repeats the call with a smaller prompt if the prompt turns out to exceed the model's context window."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from footnote.answer.context import assemble_context
from footnote.answer.converse import assemble_conversation
from footnote.answer.generate import generate
from footnote.errors import PromptTooLong
from footnote.events import Event
from footnote.ports import Models
from footnote.prompts import Prompts
from footnote.settings import LLM, Conversation
from footnote.types import Turn


async def answer_fitting(
    turn: Turn, *, models: Models, prompts: Prompts, llm: LLM, conversation: Conversation
) -> AsyncIterator[Event | Turn]:
    """`generate` from the passages, or from fewer if the model's context window is smaller than was known."""
    async for item in _fitting(turn, models, llm, lambda llm: assemble_context(turn, prompts=prompts, llm=llm, conversation=conversation)):
        yield item


async def converse_fitting(
    turn: Turn, *, models: Models, prompts: Prompts, llm: LLM, conversation: Conversation
) -> AsyncIterator[Event | Turn]:
    """`generate` from the conversation, or from less of it if the model's context window is smaller than was known."""
    async for item in _fitting(
        turn, models, llm, lambda llm: assemble_conversation(turn, prompts=prompts, llm=llm, conversation=conversation)
    ):
        yield item


async def _fitting(turn: Turn, models: Models, llm: LLM, assemble: Callable[[LLM], Awaitable[Turn]]) -> AsyncIterator[Event | Turn]:
    """Nothing has been sent when PromptTooLong is raised."""
    try:
        async for item in generate(turn, models=models, llm=llm):
            yield item
        return
    except PromptTooLong as exc:
        smaller = llm.model_copy(update={"context_window": exc.window})
    async for item in generate(await assemble(smaller), models=models, llm=smaller):
        yield item
