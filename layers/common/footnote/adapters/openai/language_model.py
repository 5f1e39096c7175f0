"""A language model at an endpoint with OpenAI's API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.quirks import Quirks, learn
from footnote.adapters.openai.reply_stream import ReplyStream
from footnote.adapters.openai.wire import (
    BROKE_OFF,
    NO_REPLY,
    message_body,
    schema_body,
    too_long,
    tool_body,
    translate,
)
from footnote.errors import FootnoteError, ModelTimeout, ModelUnavailable
from footnote.ports import Delta, Effort, Tool
from footnote.types import Message, window_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream

TEMPERATURE = 0.2
"""Default of models that are not in SAMPLING."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling parameters."""

    temperature: float
    top_p: float


SAMPLING = {
    "llama3.2": Sampling(0.3, 0.7),
    "llama3.1": Sampling(0.5, 0.8),
    "mistral": Sampling(0.5, 0.8),
    "qwen2.5": Sampling(0.7, 0.95),
    "gpt-4": Sampling(0.7, 0.9),
    "claude-3-opus": Sampling(0.7, 0.9),
}
"""Prefix of a model's name → its defaults."""


def sampling_of(model: str) -> Sampling | None:
    """Defaults of e.g. `llama3.2:latest` or `anthropic/claude-3-opus`; None if the model is not in the table."""
    name = model.lower().rpartition("/")[2]
    return next((sampling for prefix, sampling in SAMPLING.items() if name.startswith(prefix)), None)


class OpenAIModel:
    """`ports.LanguageModel`. `temperature` None: the model's default. `stall_timeout_s`: longest wait for the next piece of a reply
    that has begun, in seconds."""

    def __init__(
        self, endpoint: OpenAIEndpoint, name: str, *, temperature: float | None, max_tokens: int, stall_timeout_s: float = 30.0
    ) -> None:
        self.name = name
        self._endpoint = endpoint
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._stall_timeout_s = stall_timeout_s

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        effort: Effort | None = None,
        first_token_s: float = 120.0,
        total_s: float = 120.0,
    ) -> AsyncGenerator[Delta, None]:
        body = {
            "model": self.name,
            "messages": [message_body(message) for message in messages],
            **self._sampling(temperature, max_tokens),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools:
            body["tools"] = [tool_body(tool) for tool in tools]
        if schema is not None:
            body["response_format"] = schema_body(schema)
        if effort is not None:
            body["reasoning_effort"] = effort
        stream: ReplyStream | None = None
        try:
            client, headers = await self._endpoint.client(), self._endpoint.gateway.headers()
            now = asyncio.get_running_loop().time
            until, deadline = now() + min(first_token_s, total_s), now() + total_s
            async with asyncio.timeout_at(until):
                answered = await self._begin(client, body, headers)
            async with answered:
                stream = ReplyStream(answered, until=until, deadline=deadline, stall_s=self._stall_timeout_s)
                try:
                    while pieces := await stream.take():
                        for piece in pieces:
                            yield piece
                finally:
                    await stream.close()
                if not (stream.reply.is_whole or stream.is_done):
                    raise ModelUnavailable(BROKE_OFF if stream.begun else NO_REPLY)
                if calls := stream.reply.tool_calls():
                    yield Delta(tool_calls=calls)
        except TimeoutError as exc:
            raise ModelTimeout(f"The language model {self.name} did not answer in time.") from exc
        except FootnoteError:
            raise
        except Exception as exc:
            raise (ModelUnavailable(BROKE_OFF) if stream and stream.begun else translate(exc, self.name)) from exc

    def _sampling(self, temperature: float | None, max_tokens: int | None) -> dict[str, Any]:
        known, limits = sampling_of(self.name), self._endpoint.limits.known(self.name)
        window = limits.window or window_of(self.name)
        wanted = self._temperature if temperature is None else temperature
        length = max_tokens or self._max_tokens
        if limits.reply is not None:
            length = min(length, limits.reply)
        if window is not None:
            length = min(length, window // 2)  # leaves space for the prompt
        # OpenAI's newer models reject `max_tokens`; other servers accept nothing else.
        limit = "max_completion_tokens" if self._endpoint.base_url is None else "max_tokens"
        if known is None:
            return {"temperature": TEMPERATURE if wanted is None else wanted, limit: length}
        if wanted is None:
            return {"temperature": known.temperature, "top_p": known.top_p, limit: length}
        return {"temperature": wanted, limit: length}

    async def _begin(self, client: AsyncOpenAI, body: dict[str, Any], headers: dict[str, str]) -> AsyncStream[object]:
        """Starts the stream. What this model rejected is not sent again."""
        from openai import AsyncStream

        known = tried = self._endpoint.quirks.get(self.name, Quirks())
        if known.window and not known.takes(body):
            raise too_long(known.window)
        while True:
            sent = tried.applied(body)
            try:
                stream = await client.post(
                    "/chat/completions",
                    body=sent,
                    options={"headers": headers},
                    cast_to=object,
                    stream=True,
                    stream_cls=AsyncStream[object],
                )
            except Exception as exc:
                learned = learn(exc, sent, tried)
                if learned is None or learned == tried:
                    raise
                if learned.window and learned.room == 0:
                    self._endpoint.quirks[self.name] = replace(known, window=learned.window)
                    raise too_long(learned.window) from exc
                tried = learned
            else:
                if tried != known:
                    self._endpoint.quirks[self.name] = replace(tried, room=None)
                return stream
