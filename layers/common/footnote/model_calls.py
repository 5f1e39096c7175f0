"""Calls language models for a text or a structured value. Every call goes through `read_reply`, which records its usage."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from time import perf_counter
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from footnote.errors import ModelUnavailable, UnusableReply
from footnote.ports import Delta, Effort, LanguageModel, Models
from footnote.text.surrogates import repair
from footnote.text.tokens import count_tokens
from footnote.tracing import current_collector
from footnote.types import Cut, Message, Usage

Value = TypeVar("Value", bound=BaseModel)

REPLY_TOKENS = 1000
"""Of a value: enough for a model that thinks first."""

ASK_AGAIN = """Your reply cannot be used: {fault}
Reply once more, with one JSON object and nothing else. It has these fields:
{fields}
Write the texts in the language that you were asked to write them in."""
"""Always in English: it concerns only the format."""
WITHHELD: Mapping[Cut | None, str] = {
    None: "The language model sent an empty answer.",
    "length": "The language model reached its token limit before its answer was complete.",
    "content_filter": "The language model's answer was withheld by the content filter of its endpoint.",
    "repetition": "The language model repeated itself and gave no answer.",
    "stopped": "The language model was stopped before it gave an answer.",
}
"""Why there is no answer, by what truncated it."""


async def pick(models: Models, name: str | None) -> LanguageModel:
    """The model of this name. Raises ModelUnavailable if there is none."""
    model = await models.pick(name)
    if model is None:
        raise ModelUnavailable("There is no language model.")
    return model


async def complete(
    models: Models, name: str | None, messages: Sequence[Message], *, max_tokens: int, timeout_s: float, temperature: float = 0.0
) -> str:
    """A model's whole reply without its thinking. Raises ModelUnavailable if there is no model, or the reply is empty or truncated."""
    return await _read_whole(await pick(models, name), messages, timeout_s, max_tokens=max_tokens, temperature=temperature)


async def ask(
    models: Models,
    name: str | None,
    messages: Sequence[Message],
    schema: type[Value],
    *,
    timeout_s: float,
    max_tokens: int = REPLY_TOKENS,
    temperature: float = 0.0,
    effort: Effort | None = None,
) -> Value:
    """A model's reply as a value of `schema`.

    `schema` is a flat model whose fields are all required and have descriptions; it is validated with the reply's text as context.
    The messages must ask for JSON, because many endpoints ignore or reject a schema. An invalid reply is sent back once with its
    errors. `timeout_s` covers both attempts. Raises UnusableReply if a reply is truncated, the second one is invalid or no time is left
    for it, and ModelUnavailable like `complete`.
    """
    now, model = asyncio.get_running_loop().time, await pick(models, name)
    end = now() + timeout_s
    options = {"max_tokens": max_tokens, "temperature": temperature, "schema": object_schema(schema)}
    if effort is not None:
        options["effort"] = effort
    reply = await _read_whole(model, messages, timeout_s, **options)
    try:
        return read_value(reply, schema)
    except ValueError as exc:
        fault = str(exc)
    if (left := end - now()) <= 0:
        raise UnusableReply
    fields = "\n".join(f'"{field}": {info.description}' for field, info in schema.model_fields.items())
    correction = Message("user", ASK_AGAIN.format(fault=fault, fields=fields))
    second = await _read_whole(model, [*messages, Message("assistant", reply), correction], left, **options)
    try:
        return read_value(second, schema)
    except ValueError as exc:
        raise UnusableReply from exc


def read_value(reply: str, schema: type[Value]) -> Value:
    """The first JSON object in a reply that fits `schema`. Raises ValueError, worded for the model, if none does."""
    fault = "It contains no JSON object."
    for place, value in enumerate(_objects_in(reply)):
        try:
            return schema.model_validate(value, context=reply)
        except ValidationError as exc:
            fault = fault if place else describe(exc)
    raise ValueError(fault)


def describe(error: ValidationError) -> str:
    """The validation errors field by field, without the values."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return " ".join(f"{'.'.join(map(str, fault['loc'])) or 'object'}: {fault['msg']}." for fault in faults)


def object_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a flat pydantic model, without titles."""
    schema = model.model_json_schema()
    properties = {
        name: {"type": part["type"], **{key: value for key, value in part.items() if key not in ("type", "title")}}
        for name, part in schema["properties"].items()
    }
    return {"type": "object", "properties": properties, "required": schema["required"]}


async def read_reply(model: LanguageModel, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
    """Streams a reply and adds the call to the running step's record, even if the stream fails or is closed early.

    Tokens that the provider has not reported are estimated, unless the model failed before its first word. Close the generator
    (`aclosing`) if it may not be read to the end.
    """
    collector = current_collector()
    timer = collector.timer if collector else perf_counter
    started, written, reported, failed = timer(), "", None, False
    try:
        async with aclosing(model.stream(messages, **options)) as deltas:
            async for delta in deltas:
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


async def _read_whole(model: LanguageModel, messages: Sequence[Message], timeout_s: float, **options: Any) -> str:
    text, cut = "", None
    async with aclosing(read_reply(model, messages, first_token_s=timeout_s, total_s=timeout_s, **options)) as deltas:
        async for delta in deltas:
            text, cut = text + delta.text, delta.cut or cut
    said = text.rpartition("</think>")[2].partition("<think>")[0].strip()  # the reply may have ended while thinking
    if cut or not said:
        raise (UnusableReply if cut else ModelUnavailable)(WITHHELD[cut])
    return said


def _objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in a text."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield json.loads(repair(json.dumps(value, ensure_ascii=False)))  # an escape may be a lone surrogate
        at = text.find("{", end)
