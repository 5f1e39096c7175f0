"""Settings for the embedder."""

from typing import Literal

from pydantic import SecretStr

from footnote.settings.marks import Group, setting

DEFAULT_MODEL = "nomic-embed-text"
"""The model at an endpoint where none is named."""


class Embedding(Group):
    """The embedder. Unset: the built-in English model; documents in other languages are found by lexical search only."""

    provider: Literal["openai", "bedrock"] = setting(
        "openai",
        description="openai: any endpoint that speaks the OpenAI API; bedrock: Amazon Bedrock in the configured AWS region.",
        affects="search",
    )
    base_url: str | None = setting(
        None, description="Base URL of an OpenAI-compatible embeddings endpoint, ending in /v1.", affects="search"
    )
    model: str | None = setting(
        None,
        description=f"Embedding model at that endpoint, by default {DEFAULT_MODEL}; or in Bedrock, which has no default.",
        affects="search",
    )
    api_key: SecretStr | None = setting(None, description="API key for that endpoint.", affects="search", foreign=True)
    dimension: int = setting(768, gt=0, description="Dimension of that model's vectors.", affects="search")
    builtin: bool = setting(True, description="Use the built-in model if no endpoint is set; false: lexical search only.", affects="search")

    @property
    def model_at_endpoint(self) -> str | None:
        """The model of the endpoint; None = there is no endpoint."""
        return (self.model or DEFAULT_MODEL) if self.provider == "openai" and self.base_url else None
