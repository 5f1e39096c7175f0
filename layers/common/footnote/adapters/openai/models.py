"""Language models and embeddings at any endpoint with OpenAI's API.

The SDK is imported at the first call, in a thread, since that takes up to two seconds. Its own retries are
off; `resilience` retries.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from footnote.adapters.openai.gateway import Gateway
from footnote.adapters.openai.sampling import sampling_of
from footnote.adapters.openai.wire import (
    ReplyReader,
    may_refuse_schema,
    message_body,
    schema_body,
    tool_body,
    translate,
    unknown_names,
    without,
)
from footnote.adapters.shared.embedder import malformed, wrong_length
from footnote.errors import ModelTimeout, ModelUnavailable
from footnote.ports import Delta, LanguageModel, Tool
from footnote.types import Message

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from openai import AsyncOpenAI, AsyncStream

OPENAI, OPENAI_DEFAULT = "https://api.openai.com/v1", "gpt-4o-mini"
"""The SDK's default base URL, and the default model there."""
OLLAMA = "http://127.0.0.1:11434"
"""The usual address of an Ollama on this machine."""
QUERY_S, TEXTS_S = 3.0, 60.0
"""Longest waits for vectors of a question (without them the search is lexical only) and of passages."""
LIST_S = 3.0
"""Longest wait for the list of an endpoint's models: a question waits for it, and the fallback may still answer."""
PROBE_S = 0.4
REDISCOVER_S = 30.0
TEMPERATURE = 0.2
"""Default of models that `sampling` doesn't know."""
NOTHING = Delta()


class OpenAIEndpoint:
    """The client for one base URL and key, created at first use."""

    def __init__(self, base_url: str | None, api_key: str | None, gateway: Gateway | None = None) -> None:
        self.gateway = gateway or Gateway()
        self.base_url = base_url
        self.refused: dict[str, frozenset[str]] = {}
        """Model → optional parameters that it rejected. Only models that rejected one are listed, since callers may name
        arbitrary models."""
        self._api_key = api_key
        self._client: AsyncOpenAI | None = None
        self._connecting = asyncio.Lock()

    async def client(self) -> AsyncOpenAI:
        """The SDK's client."""
        async with self._connecting:  # concurrent first calls share one client
            if self._client is None:
                self._client = await asyncio.to_thread(self._connect)
            return self._client

    def _connect(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        # Local servers need no key, but the SDK requires one.
        return AsyncOpenAI(base_url=self.base_url, api_key=self._api_key or "none", max_retries=0)

    async def close(self) -> None:
        """Closes the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None


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
        known = sampling_of(self.name)
        wanted = self._temperature if temperature is None else temperature
        length = max_tokens or self._max_tokens
        # OpenAI's newer models reject `max_tokens`; other servers accept nothing else.
        limit = "max_completion_tokens" if self._endpoint.base_url is None else "max_tokens"
        if known is None:
            return {"temperature": TEMPERATURE if wanted is None else wanted, limit: length}
        length = min(length, known.window // 2)  # leaves space for the prompt
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
                elif may_refuse_schema(exc, body):
                    suspected = frozenset({"response_format"})
                else:
                    raise
            else:
                if suspected:  # it was the schema
                    known[self.name] = known.get(self.name, frozenset()) | suspected
                return stream


class OpenAIEmbedder:
    """`ports.Embedder` at an endpoint; assumed to support every language."""

    languages: frozenset[str] | None = None

    def __init__(self, endpoint: OpenAIEndpoint, model: str, dimension: int) -> None:
        self.name = model
        self.dimension = dimension
        self._endpoint = endpoint

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        try:
            client = await self._endpoint.client()
            async with asyncio.timeout(QUERY_S if query else TEXTS_S):
                reply = await client.embeddings.create(model=self.name, input=list(texts), encoding_format="float")
        except TimeoutError as exc:
            raise ModelTimeout(f"The embedding model {self.name} did not answer in time.") from exc
        except Exception as exc:
            raise translate(exc, self.name) from exc
        try:
            vectors = np.array([item.embedding for item in reply.data], np.float32)
            rows, length = vectors.shape
        except (AttributeError, TypeError, ValueError) as exc:
            raise malformed(self.name) from exc
        if length != self.dimension:
            raise wrong_length(self.name, str(length), self.dimension)
        if rows != len(texts) or not np.isfinite(vectors).all():
            raise malformed(self.name)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths[lengths == 0] = 1  # a zero vector matches nothing; an error would block the other passages of the batch
        return np.asarray(vectors / lengths, np.float32)

    async def close(self) -> None:
        """Closes the connections."""
        await self._endpoint.close()


class ConfiguredModels:
    """`ports.Models`: the configured endpoint; without one, an Ollama at its usual address if it responds."""

    def __init__(
        self,
        base_url: str | None,
        model: str | None,
        api_key: str | None,
        *,
        temperature: float | None,
        max_tokens: int,
        ollama: str | None = OLLAMA,
        gateway: Gateway | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._configured = base_url is not None or api_key is not None
        self._endpoint = OpenAIEndpoint(base_url, api_key, gateway)
        self._model = model
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._ollama = ollama
        self._timer = timer
        self._found: tuple[float, str | None] = (float("-inf"), None)

    @property
    def address(self) -> str | None:
        if self._endpoint.base_url is None:
            return OPENAI if self._configured else None
        url = urlsplit(self._endpoint.base_url)
        return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"

    async def pick(self, name: str | None) -> LanguageModel | None:
        if not self._configured:
            local = await self._discover()
            if local is None:
                return None
            return self._make(name or self._model or local)
        default = self._model or (OPENAI_DEFAULT if self._endpoint.base_url is None else await self._first_listed())
        return self._make(name or default)

    async def close(self) -> None:
        """Closes the connections."""
        await self._endpoint.close()

    def _make(self, name: str) -> LanguageModel:
        return OpenAIModel(self._endpoint, name, temperature=self._temperature, max_tokens=self._max_tokens)

    async def _first_listed(self) -> str:
        try:
            client = await self._endpoint.client()
            async with asyncio.timeout(LIST_S):
                models = [model.id async for model in await client.models.list()]
        except TimeoutError as exc:
            raise ModelTimeout("The language model's endpoint did not list its models in time. Set LLM__MODEL.") from exc
        except Exception as exc:
            raise translate(exc, "endpoint") from exc
        if not models:
            raise ModelUnavailable("The language model's endpoint lists no models. Set LLM__MODEL.")
        self._model = models[0]
        return models[0]

    async def _discover(self) -> str | None:
        """The first model of a local Ollama; looked up again every REDISCOVER_S, so that one that starts later is found."""
        asked, found = self._found
        if self._ollama is not None and self._timer() - asked > REDISCOVER_S:
            found = await asyncio.to_thread(_probe_ollama, self._ollama)
            self._found = self._timer(), found
            if found:
                self._endpoint.base_url = f"{self._ollama}/v1"
        return found


def _probe_ollama(address: str) -> str | None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy: this is the local machine
    try:
        with opener.open(f"{address}/api/tags", timeout=PROBE_S) as reply:
            models = json.load(reply)["models"]
        return str(models[0]["name"]) if models else None
    except (OSError, HTTPException, ValueError, LookupError, TypeError):
        return None  # no server there, or not an Ollama
