"""The providers of language models that can be named instead of an address."""

from __future__ import annotations

from typing import NamedTuple


class Provider(NamedTuple):
    """A provider. A part of `base_url` in braces is the user's own."""

    key: str
    name: str
    base_url: str
    needs_key: bool


PROVIDERS = (
    Provider("ollama", "Ollama", "http://localhost:11434/v1", needs_key=False),
    Provider("lm-studio", "LM Studio", "http://localhost:1234/v1", needs_key=False),
    Provider("llama.cpp", "llama.cpp", "http://localhost:8080/v1", needs_key=False),
    Provider("openai", "OpenAI", "https://api.openai.com/v1", needs_key=True),
    Provider("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", needs_key=True),
    Provider("azure", "Azure OpenAI", "https://{resource}.openai.azure.com/openai/v1", needs_key=True),
    Provider("bedrock", "Amazon Bedrock", "https://bedrock-runtime.{region}.amazonaws.com/openai/v1", needs_key=True),
)


def base_url_of(given: str) -> str:
    """The address of the provider with this key; anything else is an address already."""
    return next((provider.base_url for provider in PROVIDERS if provider.key == given.casefold()), given)
