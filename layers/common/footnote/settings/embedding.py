"""Settings for the embedder."""

from typing import Literal

from pydantic import SecretStr

from footnote.settings.marks import Group, setting


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
    model: str | None = setting(None, description="Embedding model at that endpoint, or in Bedrock.", affects="search")
    api_key: SecretStr | None = setting(None, description="API key for that endpoint.", affects="search", foreign=True)
    dimension: int = setting(768, gt=0, description="Dimension of that model's vectors.", affects="search")
    builtin: bool = setting(True, description="Use the built-in model if no endpoint is set; false: lexical search only.", affects="search")
