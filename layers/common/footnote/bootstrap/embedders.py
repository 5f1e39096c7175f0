"""Chooses the adapters of `ports.Embedder` from the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from footnote.adapters.aws.embedder import BedrockEmbedder
from footnote.adapters.e5.embedder import E5, LANGUAGES, why_missing
from footnote.adapters.installed.embedder import InstalledEmbedder
from footnote.adapters.openai.embedder import OpenAIEmbedder
from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.plugins import EMBEDDERS, installed
from footnote.ports import Embedder
from footnote.settings import Embedding
from footnote.settings.embedding import OWN, FurtherEmbedder

BUILTIN = "builtin"
"""The name of the built-in embedder in the settings of a collection."""


def default_embedder(wanted: Embedding) -> Embedder | None:
    """The embedder of collections that name none; None = they are searched by words only."""
    if wanted.provider != "openai" or wanted.base_url:
        return _remote(wanted, wanted.model_at_endpoint or wanted.model or "")
    return None if why_no_embedder(wanted) else E5()


def why_no_embedder(wanted: Embedding) -> tuple[str, str] | None:
    """(why there is no default embedder, what to do); None = there is one."""
    if wanted.provider != "openai" or wanted.base_url:
        return None
    if not wanted.builtin:
        return "EMBEDDING__BUILTIN is false.", "Set EMBEDDING__BASE_URL and EMBEDDING__MODEL, or EMBEDDING__BUILTIN to true."
    return why_missing()


def count_languages(embedder: Embedder) -> int | None:
    """How many languages it knows; None = it is used for every language, and does not say which ones it knows."""
    if is_builtin(embedder):
        return LANGUAGES
    return None if embedder.languages is None else len(embedder.languages)


def is_builtin(embedder: Embedder | None) -> TypeGuard[E5]:
    """Whether its model comes with Footnote."""
    return isinstance(embedder, E5)


def named_embedders(settings: Embedding, default: Embedder | None) -> Mapping[str, Embedder]:
    """What collections can name: the built-in one, where it is installed, and those of `EMBEDDING__OTHERS`. Its model is loaded once,
    also if it is the default one, too."""
    found: dict[str, Embedder] = {name: _remote(wanted, wanted.model) for name, wanted in settings.others.items()}
    if why_missing() is None:
        found = {BUILTIN: default if is_builtin(default) else E5(), **found}
    return found


def _remote(wanted: Embedding | FurtherEmbedder, model: str) -> Embedder:
    if wanted.provider == "bedrock":
        return BedrockEmbedder(model, wanted.dimension)
    if wanted.provider not in OWN:
        return InstalledEmbedder(installed(EMBEDDERS)[wanted.provider], wanted)
    key = wanted.api_key.get_secret_value() if wanted.api_key else None
    return OpenAIEmbedder(OpenAIEndpoint(wanted.base_url or "", key), model, wanted.dimension, (wanted.query_prefix, wanted.passage_prefix))
