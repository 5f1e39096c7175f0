"""A language model at an endpoint with OpenAI's API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.sampling import sampling_of
from footnote.adapters.openai.wire import (
    ReplyReader,
    may_refuse,
    message_body,
    schema_body,
    tool_body,
    translate,
    unknown_names,
    without,
)
from footnote.errors import ModelTimeout
from footnote.ports import Delta, Effort, Tool
from footnote.types import Message, window_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream

TEMPERATURE = 0.2
"""Default of models that `sampling` doesn't know."""
NOTHING = Delta()


class OpenAIModel:
    """`ports.LanguageModel`. `temperature` None: the model's default."""

    def __init__(self, endpoint: OpenAIEndpoint, name: str, *, temperature: float | None, max_tokens: int) -> None:
        self.name = name
        self._endpoint = endpoint
        self._temperature = temperature
        self._max_tokens = max_tokens

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
    ) -> AsyncIterator[Delta]:
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
        try:
            client, headers = await self._endpoint.client(), self._endpoint.gateway.headers()
            now = asyncio.get_running_loop().time()
            until, deadline = now + min(first_token_s, total_s), now + total_s
            async with asyncio.timeout_at(until):
                chunks = await self._begin(client, body, headers)
            async with chunks:
                reply = ReplyReader(chunks)
                while True:
                    async with asyncio.timeout_at(until):
                        delta = await reply.next()
                    if delta is None:
                        return
                    if delta != NOTHING:
                        yield delta
                    until = deadline
        except TimeoutError as exc:
            raise ModelTimeout(f"The language model {self.name} did not answer in time.") from exc
        except Exception as exc:
            raise translate(exc, self.name) from exc

    def _sampling(self, temperature: float | None, max_tokens: int | None) -> dict[str, Any]:
        known, window = sampling_of(self.name), window_of(self.name)
        wanted = self._temperature if temperature is None else temperature
        length = max_tokens or self._max_tokens
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
        """Starts the stream of plain JSON chunks: the SDK's pydantic model of every chunk would cost two thirds of an answer's
        CPU time. Parameters that this model rejected are not sent again."""
        from openai import AsyncStream

        known, suspected = self._endpoint.refused, frozenset[str]()
        while True:
            body = without(body, known.get(self.name, frozenset()) | suspected)
            try:
                stream: AsyncStream[object] = await client.post(
                    "/chat/completions",
                    body=body,
                    options={"headers": headers},
                    cast_to=object,
                    stream=True,
                    stream_cls=AsyncStream[object],
                )
            except Exception as exc:
                if unknown := unknown_names(exc, body):
                    known[self.name] = known.get(self.name, frozenset()) | unknown
                elif maybe := may_refuse(exc, body):
                    suspected |= maybe
                else:
                    raise
            else:
                if suspected:  # it was these
                    known[self.name] = known.get(self.name, frozenset()) | suspected
                return stream
