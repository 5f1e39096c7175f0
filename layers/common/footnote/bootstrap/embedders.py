"""Chooses the adapters of `ports.Embedder` from the settings."""

from __future__ import annotations

from collections.abc import Mapping

from footnote.adapters.aws.embedder import BedrockEmbedder
from footnote.adapters.minilm.embedder import MiniLM, find_model
from footnote.adapters.openai.embedder import OpenAIEmbedder
from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.ports import Embedder
from footnote.settings import Embedding

BUILTIN = "builtin"
"""The name of the built-in embedder in the settings of a collection."""


def default_embedder(wanted: Embedding) -> Embedder | None:
    """The embedder of collections that name none; None = they are searched by words only."""
    key = wanted.api_key.get_secret_value() if wanted.api_key else None
    if wanted.provider == "bedrock":
        return BedrockEmbedder(wanted.model or "", wanted.dimension)
    if wanted.base_url and (model := wanted.model_at_endpoint):
        return OpenAIEmbedder(OpenAIEndpoint(wanted.base_url, key), model, wanted.dimension)
    return MiniLM() if wanted.builtin and find_model() is not None else None


def named_embedders(settings: Embedding, default: Embedder | None) -> Mapping[str, Embedder]:
    """What collections can name: the built-in one, where it is installed, and those of `EMBEDDING__OTHERS`. Its model is loaded once,
    also if it is the default one, too."""
    found: dict[str, Embedder] = {}
    if find_model() is not None:
        found[BUILTIN] = default if isinstance(default, MiniLM) else MiniLM()
    for name, wanted in settings.others.items():
        key = wanted.api_key.get_secret_value() if wanted.api_key else None
        if wanted.provider == "bedrock":
            found[name] = BedrockEmbedder(wanted.model, wanted.dimension)
        else:
            found[name] = OpenAIEmbedder(OpenAIEndpoint(wanted.base_url or "", key), wanted.model, wanted.dimension)
    return found
