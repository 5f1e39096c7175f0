"""Settings for the reranker."""

from typing import ClassVar, Literal

from pydantic import SecretStr

from footnote.settings.marks import Group, Topic, setting

DEFAULT_MODEL = "BAAI/bge-reranker-v2-m3"
"""The model of a server with Jina's API where none is named. Voyage's has other models, and tei serves one."""


class Rerank(Group):
    """A reranker: a model that reads question and passage together and orders the best passages again. Unset: none."""

    topic: ClassVar[Topic] = "search"

    base_url: str | None = setting(
        None, description="Base URL of the reranker; `/rerank` is appended. Not used for bedrock.", affects="search", https=True
    )
    model: str | None = setting(
        None,
        description=f"Its model; for bedrock the model's id or ARN. Unset: {DEFAULT_MODEL} for jina, none for the others.",
        affects="search",
    )
    key: SecretStr | None = setting(None, description="API key for it, sent as a bearer token.", affects="search", foreign=True)
    shape: Literal["jina", "voyage", "tei", "bedrock"] = setting(
        "jina",
        description="The API that it speaks. jina: also Cohere v2, vLLM, LiteLLM, Infinity, llama.cpp; tei: Text Embeddings"
        " Inference; bedrock: Amazon Bedrock in the configured region.",
        affects="search",
    )
    timeout_s: float = setting(
        0.8, gt=0, le=10, description="Time limit, in seconds. After it the order stays as it was.", affects="search"
    )

    @property
    def model_at_server(self) -> str | None:
        """The model that the server is asked for; None = it has only one."""
        return self.model or (DEFAULT_MODEL if self.shape == "jina" else None)
