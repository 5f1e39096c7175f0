"""Every setting, its default and its environment names: one file per group, and here those outside of the groups.

Precedence: request → what an admin set while it runs → environment → the API's own default → default. Only values that
somebody set count. Nested names take a double underscore: `LLM__MODEL`.
What else is known of a setting is its mark (`marks.py`): what changes at runtime, the check before production, the scope of
the caches and `docs/settings.md` are derived from it.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from footnote.settings.auth import ApiKey, Auth
from footnote.settings.aws import AWS
from footnote.settings.budget import Budget
from footnote.settings.cache import Caching
from footnote.settings.conversation import Conversation
from footnote.settings.db import DB
from footnote.settings.embedding import Embedding
from footnote.settings.environment import Environment
from footnote.settings.ingest import Ingest
from footnote.settings.kdb import KDB
from footnote.settings.limits import Limits
from footnote.settings.llm import LLM, Fallback, Price
from footnote.settings.marks import fingerprint, setting
from footnote.settings.mcp import MCP
from footnote.settings.opensearch import OpenSearch
from footnote.settings.rag import Fusion, Rag
from footnote.settings.vision import Vision

__all__ = [
    "AWS", "DB", "KDB", "LLM", "MCP", "ApiKey", "Auth", "Budget", "Caching", "Conversation", "Embedding", "Fallback", "Fusion", "Ingest",
    "Limits", "OpenSearch", "Price", "Rag", "Settings", "Vision",
]  # fmt: skip

OPENROUTER, OPENROUTER_DEFAULT = "https://openrouter.ai/api/v1", "openai/gpt-4o-mini"


class Fingerprints(NamedTuple):
    """Equal where all settings are that affect what is found, or what is answered."""

    search: str
    answer: str


class Settings(BaseSettings):
    """The whole configuration. Unknown environment variables are ignored."""

    model_config = SettingsConfigDict(env_nested_delimiter="__", extra="ignore", frozen=True)

    llm: LLM = Field(default_factory=LLM)
    embedding: Embedding = Field(default_factory=Embedding)
    rag: Rag = Field(default_factory=Rag)
    ingest: Ingest = Field(default_factory=Ingest)
    auth: Auth = Field(default_factory=Auth)
    opensearch: OpenSearch = Field(default_factory=OpenSearch)
    db: DB = Field(default_factory=DB)
    aws: AWS = Field(default_factory=AWS)
    cache: Caching = Field(default_factory=Caching)
    conversation: Conversation = Field(default_factory=Conversation)
    mcp: MCP = Field(default_factory=MCP)
    kdb: KDB = Field(default_factory=KDB)
    limits: Limits = Field(default_factory=Limits)
    budget: Budget = Field(default_factory=Budget)
    vision: Vision = Field(default_factory=Vision)

    footnote_data: Path = setting(Path("data"), description="Folder of the embedded index, stores and files.", affects="nothing")
    docling_enabled: bool = setting(
        False, description="Read office files and e-books with docling, where it is installed; slower.", affects="nothing"
    )
    public_url: str | None = setting(
        None,
        pattern=r"^(https?://[^/?#\s]+/?)?$",
        description="Address that people's browsers reach this server by, e.g. `https://docs.example.org`: links to documents"
        " begin with it. Unset: the address that the client used.",
        affects="nothing",
        https=True,
    )
    allowed_origins: list[Annotated[str, Field(pattern=r"^(\*|https?://[^/?#*\s]+)$")]] = setting(
        [],
        description='Pages of other sites that may read replies (CORS): `["https://intranet.example.com"]`, JSON. `["*"]` = every page,'
        " by a token and never by a cookie, and only where `AUTH__MODE` is not none. In AWS: the template's `AllowedOrigins`.",
        affects="nothing",
    )
    dep_ticket: SecretStr | None = setting(
        None,
        description="Ticket for the model's endpoint, sent as `x-dep-ticket`. Where it is set, a request's own `x-dep-ticket` is sent"
        " instead, unless that is the token by which its caller signs in.",
        foreign=True,
    )
    index_name: str = setting("default", description="Collection of a caller that names none.", changeable=True, affects="search")
    retriever: Literal["rrf", "bm25", "knn", "cc"] = setting(
        "rrf",
        description="Retriever of `/ask` and `/ask/stream` for requests that name none: rrf, bm25, knn or cc. Other APIs use cc.",
        changeable=True,
        affects="search",
    )

    enable_query_reformulation: bool = setting(
        True, description="Let a model mend typos and unclear wording in questions to `/chat`.", changeable=True
    )
    max_context_tokens: int | None = setting(
        None, gt=0, description="Most tokens of passages that `/chat` shows the model. Unset: 3,500.", changeable=True
    )
    temperature: float | None = setting(None, ge=0, le=2, description="Same as `LLM__TEMPERATURE`, for `/chat` only.")
    max_tokens: int | None = setting(None, gt=0, description="Same as `LLM__MAX_COMPLETION_TOKENS`, for `/chat` only.")

    # Names that other systems use for the same things; `LLM__…` stands before them.
    openai_api_key: SecretStr | None = setting(None, description="Same as `LLM__API_KEY`.", foreign=True)
    openrouter_api_key: SecretStr | None = setting(
        None, description=f"The same where neither of the two is set; without a base URL the model is asked at {OPENROUTER}.", foreign=True
    )
    llm_base_url: str | None = setting(
        None, validation_alias=AliasChoices("LLM_BASE_URL", "OPENAI_BASE_URL"), description="Same as `LLM__BASE_URL`."
    )
    model_name: str | None = setting(
        None, validation_alias=AliasChoices("MODEL_NAME", "PRIMARY_MODEL_ID"), description="Same as `LLM__MODEL`."
    )

    @cached_property
    def fingerprints(self) -> Fingerprints:
        return Fingerprints(fingerprint(self, "search"), fingerprint(self, "search", "answer"))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("fingerprints", None)  # those of the original
        return copied

    @property
    def data(self) -> Path:
        return self.footnote_data

    @property
    def model_endpoint(self) -> tuple[str | None, str | None, SecretStr | None]:
        """(base URL, model, key) after aliases."""
        base_url, model = self.llm.base_url or self.llm_base_url, self.llm.model or self.model_name
        key = self.llm.api_key or self.openai_api_key
        if key is None and self.openrouter_api_key is not None:
            key = self.openrouter_api_key
            if base_url is None:
                base_url, model = OPENROUTER, model or OPENROUTER_DEFAULT
        return base_url, model, key

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *others: Any, **sources: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, Environment(settings_cls)
