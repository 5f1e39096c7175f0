"""Settings for the embedder."""

from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, StringConstraints, model_validator

from footnote.plugins import EMBEDDERS, installed
from footnote.settings.marks import Group, Topic, setting

DEFAULT_MODEL = "nomic-embed-text"
"""The model at an endpoint where none is named."""


MOST_DIMENSIONS = 16_000
"""That OpenSearch indexes."""
OWN = ("openai", "bedrock")
"""The providers that Footnote itself knows."""
RESERVED = ("none", "default", "builtin")
"""Names that mean something else in the settings of a collection."""


def _check_provider(name: str) -> str:
    if name not in OWN and name not in (others := installed(EMBEDDERS)):
        known = ", ".join((*OWN, *others))
        raise ValueError(f"it must be one of {known}, or the name of an embedder whose package is installed")
    return name


Provider = Annotated[str, AfterValidator(_check_provider)]


def _check_name(name: str) -> str:
    if name in RESERVED:
        raise ValueError(f"{name} is no name for an embedder: it means something else in a collection's settings")
    return name


EmbedderName = Annotated[str, StringConstraints(pattern="^[a-z0-9][a-z0-9_-]{0,31}$"), AfterValidator(_check_name)]


class FurtherEmbedder(BaseModel, frozen=True, defer_build=True, extra="forbid"):
    """An embedder that collections can name; the fields are those of the default one."""

    provider: Provider = "openai"
    base_url: str | None = None
    model: str
    api_key: SecretStr | None = None
    dimension: int = Field(768, gt=0, le=MOST_DIMENSIONS)
    query_prefix: str = ""
    passage_prefix: str = ""

    @model_validator(mode="after")
    def check_address(self) -> Self:
        """An endpoint needs its address."""
        if self.provider == "openai" and not self.base_url:
            raise ValueError("base_url is missing: the address of the endpoint, ending in /v1")
        return self


class Embedding(Group):
    """The embedder. Unset: the built-in multilingual model."""

    topic: ClassVar[Topic] = "search"

    provider: Provider = setting(
        "openai",
        description="openai: any endpoint with the OpenAI API; bedrock: Amazon Bedrock in the configured region; any other name: an"
        " embedder of an installed package.",
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
    dimension: int = setting(768, gt=0, le=MOST_DIMENSIONS, description="Dimension of that model's vectors.", affects="search")
    query_prefix: str = setting("", description="What the model wants before a question, with the space at its end.", affects="search")
    passage_prefix: str = setting("", description="What it wants before a passage; a change embeds all passages again.", affects="search")
    builtin: bool = setting(True, description="Use the built-in model if no endpoint is set; false: lexical search only.", affects="search")

    others: dict[EmbedderName, FurtherEmbedder] = setting(
        {},
        description='Further embedders, for the setting `embedder` of collections, as JSON: `{"legal": {"base_url": "…/v1",'
        ' "model": "…", "dimension": 1024, "api_key": "…"}}`, or with `"provider": "bedrock"`. `builtin` is the'
        " built-in model.",
        affects="search",
        foreign=True,
    )

    @property
    def model_at_endpoint(self) -> str | None:
        """The model of the endpoint; None = there is no endpoint."""
        return (self.model or DEFAULT_MODEL) if self.provider == "openai" and self.base_url else None
