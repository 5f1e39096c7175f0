"""The choice of a language model: the configured endpoint, or a server on this machine."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.gateway import Gateway
from footnote.adapters.openai.language_model import OpenAIModel
from footnote.adapters.openai.local_servers import LocalServers
from footnote.adapters.openai.wire import translate
from footnote.errors import ModelTimeout, ModelUnavailable
from footnote.ports import LanguageModel
from footnote.types import ModelLimits, ModelSource

OPENAI, OPENAI_DEFAULT = "https://api.openai.com/v1", "gpt-4o-mini"
"""The SDK's default base URL, and the default model there."""
LIST_S = 3.0
"""Longest wait for the list of an endpoint's models: a question waits for it, and the fallback may still answer."""


class ConfiguredModels:
    """`ports.Models` and `ports.ModelServer`: the configured endpoint; without one, what `local` finds on this machine. `local` None = it
    does not look."""

    def __init__(
        self,
        base_url: str | None,
        model: str | None,
        api_key: str | None,
        *,
        temperature: float | None,
        max_tokens: int,
        stall_timeout_s: float = 30.0,
        local: LocalServers | None = None,
        gateway: Gateway | None = None,
    ) -> None:
        self._configured = base_url is not None or api_key is not None
        self._endpoint = OpenAIEndpoint(base_url, api_key, gateway)
        self._model = model
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._stall_timeout_s = stall_timeout_s
        self._local = None if self._configured else local
        self._local_endpoints: dict[str, OpenAIEndpoint] = {}

    @property
    def address(self) -> str | None:
        if self._local is not None:
            return self._local.base_url
        if self._endpoint.base_url is None:
            return OPENAI if self._configured else None
        url = urlsplit(self._endpoint.base_url)
        return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"

    @property
    def source(self) -> ModelSource:
        if self._local is not None:
            return self._local.source
        return ModelSource("configured" if self._configured else "off")

    async def pick(self, name: str | None) -> LanguageModel | None:
        if self._local is not None:
            return await self._pick_local(self._local, name or self._model)
        if not self._configured:
            return None
        default = self._model or (OPENAI_DEFAULT if self._endpoint.base_url in (None, OPENAI) else await self._first_listed())
        return self._make(self._endpoint, name or default)

    async def limits(self, model: str) -> ModelLimits:
        """`ports.ModelServer`."""
        endpoint = self._endpoint if self._local is None else self._local_endpoints.get(self._local.base_url or "")
        return await endpoint.limits.of(model) if endpoint is not None and self.address is not None else ModelLimits()

    async def close(self) -> None:
        """Closes the connections."""
        for endpoint in (self._endpoint, *self._local_endpoints.values()):
            await endpoint.close()
        if self._local is not None:
            await self._local.close()

    async def _pick_local(self, local: LocalServers, name: str | None) -> LanguageModel | None:
        source = await local.look()
        if source.model is None or local.base_url is None:
            return None
        if local.base_url not in self._local_endpoints:
            self._local_endpoints[local.base_url] = OpenAIEndpoint(local.base_url, None, self._endpoint.gateway)
        return self._make(self._local_endpoints[local.base_url], name or source.model)

    def _make(self, endpoint: OpenAIEndpoint, name: str) -> LanguageModel:
        return OpenAIModel(
            endpoint, name, temperature=self._temperature, max_tokens=self._max_tokens, stall_timeout_s=self._stall_timeout_s
        )

    async def listed(self) -> tuple[str, ...]:
        """The models that the configured endpoint lists, in its order."""
        try:
            client = await self._endpoint.client()
            async with asyncio.timeout(LIST_S):
                return tuple([model.id async for model in await client.models.list()])
        except TimeoutError as exc:
            raise ModelTimeout("The language model's endpoint did not list its models in time. Set LLM__MODEL.") from exc
        except Exception as exc:
            raise translate(exc, "endpoint") from exc

    async def _first_listed(self) -> str:
        models = await self.listed()
        if not models:
            raise ModelUnavailable("The language model's endpoint lists no models. Set LLM__MODEL.")
        self._model = models[0]
        return models[0]
