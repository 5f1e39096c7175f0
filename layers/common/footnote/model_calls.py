"""Calls of language models. Every call goes through `read_reply`, which keeps it for the record of the turn."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from time import perf_counter
from typing import Any

from footnote.errors import ModelUnavailable
from footnote.ports import Delta, LanguageModel, Models
from footnote.text.tokens import count_tokens
from footnote.tracing import current_collector
from footnote.types import Message, Usage


async def complete(
    models: Models, name: str | None, messages: Sequence[Message], *, max_tokens: int, timeout_s: float, temperature: float = 0.0
) -> str:
    """A model's whole reply, without what it thinks aloud. ModelUnavailable where there is no model, or its reply is empty."""
    model = await models.pick(name)
    if model is None:
        raise ModelUnavailable("There is no language model.")
    text = ""
    options = {"temperature": temperature, "max_tokens": max_tokens, "first_token_s": timeout_s, "total_s": timeout_s}
    async with aclosing(read_reply(model, messages, **options)) as deltas:
        async for delta in deltas:
            text += delta.text
    said = text.rpartition("</think>")[2].partition("<think>")[0].strip()  # what was begun may be all that came
    if not said:
        raise ModelUnavailable("The language model sent an empty answer.")
    return said


async def read_reply(model: LanguageModel, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
    """The reply as it comes. The step that runs collects the call when it ends, however it ends: tokens that the provider has not
    reported by then are estimated, unless the model failed before its first word. Close it where it may not be read to its end."""
    collector = current_collector()
    timer = collector.timer if collector else perf_counter
    started, written, reported, failed = timer(), "", None, False
    try:
        async for delta in model.stream(messages, **options):
            written += delta.text + "".join(f"{call.name} {call.arguments}" for call in delta.tool_calls)
            reported = delta.usage or reported
            yield delta
    except Exception:
        failed = True
        raise
    finally:
        if collector:
            used = reported or (Usage() if failed and not written else _estimate(messages, written))
            collector.add(model.name, used, (timer() - started) * 1000)


def _estimate(messages: Sequence[Message], written: str) -> Usage:
    return Usage(sum(count_tokens(sent.content) for sent in messages), count_tokens(written), estimated=True)


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
