"""The choice of a language model: the configured endpoint, or an Ollama on this machine."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from urllib.parse import urlsplit

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.gateway import Gateway
from footnote.adapters.openai.language_model import OpenAIModel
from footnote.adapters.openai.wire import translate
from footnote.errors import ModelTimeout, ModelUnavailable
from footnote.ports import LanguageModel

OPENAI, OPENAI_DEFAULT = "https://api.openai.com/v1", "gpt-4o-mini"
"""The SDK's default base URL, and the default model there."""
OLLAMA = "http://127.0.0.1:11434"
"""The usual address of an Ollama on this machine."""
LIST_S = 3.0
"""Longest wait for the list of an endpoint's models: a question waits for it, and the fallback may still answer."""
PROBE_S = 0.4
REDISCOVER_S = 30.0


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
