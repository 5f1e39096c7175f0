"""Who makes vectors."""

from typing import Literal

from pydantic import SecretStr

from footnote.settings.marks import Group, setting


class Embedding(Group):
    """Vectors. Unset: the built-in English model; documents in other languages are found by their words."""

    provider: Literal["openai", "bedrock"] = setting(
        "openai",
        description="openai: any endpoint that speaks the OpenAI API; bedrock: Amazon Bedrock, in the AWS region that is set.",
        affects="search",
    )
    base_url: str | None = setting(
        None, description="Base URL of an OpenAI-compatible embeddings endpoint, ending in /v1.", affects="search"
    )
    model: str | None = setting(None, description="Name of the embedding model at that endpoint, or in Bedrock.", affects="search")
    api_key: SecretStr | None = setting(None, description="Key for that endpoint.", affects="search", foreign=True)
    dimension: int = setting(768, gt=0, description="Length of that model's vectors.", affects="search")
    builtin: bool = setting(True, description="Use the built-in model when no endpoint is set; false: words only.", affects="search")
