"""One question to a language model that is not the answer: its whole reply, with what it cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from footnote.errors import ModelUnavailable
from footnote.ports import Delta, LanguageModel, Models
from footnote.text.tokens import count_tokens
from footnote.tracing import calls_now
from footnote.types import Message, Usage


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    usage: Usage
    model: str


async def complete(
    models: Models, name: str | None, messages: Sequence[Message], *, max_tokens: int, timeout_s: float, temperature: float = 0.0
) -> Completion:
    """ModelUnavailable where there is no model, or it sends nothing. What it thinks aloud is left out."""
    model = await models.pick(name)
    if model is None:
        raise ModelUnavailable("There is no language model.")
    text, usage = "", None
    options = {"temperature": temperature, "max_tokens": max_tokens, "first_token_s": timeout_s, "total_s": timeout_s}
    async for delta in read_reply(model, messages, **options):
        text += delta.text
        usage = delta.usage or usage
    said = text.rpartition("</think>")[2].partition("<think>")[0].strip()  # what was begun may be all that came
    if not said:
        raise ModelUnavailable("The language model sent an empty answer.", usage=spent(messages, text, usage, model.name))
    return Completion(said, (usage or estimate(messages, text)).by(model.name), model.name)


async def read_reply(model: LanguageModel, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
    """The reply as it comes. What was used counts without an end, too: a ModelUnavailable has it, the step that is cut off counts it."""
    text, usage = "", None
    try:
        async for delta in model.stream(messages, **options):
            text += delta.text
            usage = delta.usage or usage
            yield delta
    except ModelUnavailable as exc:
        exc.usage = spent(messages, text, usage, model.name)
        raise
    except asyncio.CancelledError:
        if calls := calls_now():
            calls.cut_off += (usage or estimate(messages, text)).by(model.name)
        raise


def estimate(messages: Sequence[Message], written: str) -> Usage:
    """Of a call whose provider does not tell."""
    return Usage(sum(count_tokens(sent.content) for sent in messages), count_tokens(written), estimated=True)


def spent(messages: Sequence[Message], written: str, told: Usage | None, model: str) -> Usage | None:
    """By a reply that broke off or is of no use; None = it never began."""
    used = told or (estimate(messages, written) if written else None)
    return used and used.by(model)


def read_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in a model's reply, whatever stands around it; None where there is none."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            found, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        return found if isinstance(found, dict) else None
    return None
