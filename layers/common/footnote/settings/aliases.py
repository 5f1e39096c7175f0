"""Other names of settings: those of the systems whose APIs Footnote offers, and of earlier versions."""

from __future__ import annotations

from collections.abc import Mapping

ALIASES: Mapping[str, str] = {
    "rag.use_hybrid_search": "rag.hybrid",
    "rag.query_expansion_enabled": "rag.paraphrases",
    "rag.hyde_enabled": "rag.hypothetical",
    "rag.knowledge_graph_enabled": "rag.graph",
    "rag.verification_enabled": "rag.verify_passages",
    "rag.forbidden_check_enabled": "rag.forbidden_check",
    "rag.injection_check_enabled": "rag.refuse_injections",
    "rag.critique": "rag.critic",
    "conversation.query_rewriting_enabled": "conversation.rewrite",
    "conversation.db_rehydration_enabled": "conversation.history",
    "enable_query_reformulation": "reformulate",
    "llm_base_url": "llm.base_url",
    "openai_base_url": "llm.base_url",
    "model_name": "llm.model",
    "primary_model_id": "llm.model",
    "openai_api_key": "llm.api_key",
    "confluence_base_url": "confluence.base_url",
    "confluence_token": "confluence.token",
}
"""Alias → key of the setting. The setting's own name takes precedence, then the first alias that is set."""


def aliases_of(key: str) -> tuple[str, ...]:
    """The aliases of the setting with this key, in order of precedence."""
    return tuple(alias for alias, own in ALIASES.items() if own == key)


def variable_of(key: str) -> str:
    """The environment variable of a key or an alias."""
    return key.replace(".", "__").upper()
