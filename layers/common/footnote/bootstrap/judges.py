"""Chooses the adapters of `ports.Reranker` and `ports.Verifier` from the settings."""

from __future__ import annotations

from pydantic import SecretStr

from footnote.adapters.aws.reranker import BedrockReranker
from footnote.adapters.http.reranker import HttpReranker
from footnote.adapters.http.verifier import HttpVerifier
from footnote.ports import Reranker, Verifier
from footnote.settings import Rerank, Verifying


def make_reranker(wanted: Rerank) -> Reranker | None:
    """None = no reranker is configured."""
    if wanted.shape == "bedrock":
        return BedrockReranker(wanted.model, wanted.timeout_s) if wanted.model else None
    if not wanted.base_url:
        return None
    return HttpReranker(wanted.shape, wanted.base_url, wanted.model_at_server, revealed(wanted.key), wanted.timeout_s)


def make_verifier(wanted: Verifying) -> Verifier | None:
    """None = no verifier is configured."""
    if not wanted.base_url:
        return None
    return HttpVerifier(wanted.shape, wanted.base_url, wanted.model_at_server, revealed(wanted.key), wanted.timeout_s)


def revealed(secret: SecretStr | None) -> str | None:
    """The text of a secret that is set."""
    return secret.get_secret_value() if secret else None
