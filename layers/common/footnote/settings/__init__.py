"""All settings, their defaults and their environment variables.

Each group has a file; the settings outside of the groups are here.

Precedence: request → value set by an admin at runtime → environment → the API's own default → default. Only values that
were explicitly set count. Nested names use a double underscore: `LLM__MODEL`. `aliases.py` has all other names of settings.
Each setting has a mark (`marks.py`). The runtime settings, the check before production, the scope of the caches and
`docs/settings.md` are derived from the marks.
"""

from collections.abc import Mapping
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from footnote.settings.auth import ApiKey, Auth
from footnote.settings.aws import AWS
from footnote.settings.budget import Budget
from footnote.settings.cache import Caching
from footnote.settings.confluence import Confluence
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
from footnote.settings.rerank import Rerank
from footnote.settings.verifier import Verifying
from footnote.settings.vision import Vision

__all__ = [
    "AWS", "DB", "KDB", "LLM", "MCP", "ApiKey", "Auth", "Budget", "Caching", "Confluence", "Conversation", "Embedding", "Fallback",
    "Fusion", "Ingest", "Limits", "OpenSearch", "Price", "Rag", "Rerank", "Settings", "Verifying", "Vision",
]  # fmt: skip

OPENROUTER, OPENROUTER_DEFAULT = "https://openrouter.ai/api/v1", "openai/gpt-4o-mini"


def check_network(text: str) -> str:
    """The text, if it is an IP address or a network such as `10.0.0.0/8`."""
    ip_network(text, strict=False)
    return text


class Fingerprints(NamedTuple):
    """Hashes of all settings that affect search results, and of all that affect answers."""

    search: str
    answer: str


class Settings(BaseSettings):
    """The whole configuration. Unknown environment variables are ignored."""

    model_config = SettingsConfigDict(env_nested_delimiter="__", extra="ignore", frozen=True)

    llm: LLM = Field(default_factory=LLM)
    embedding: Embedding = Field(default_factory=Embedding)
    rag: Rag = Field(default_factory=Rag)
    rerank: Rerank = Field(default_factory=Rerank)
    verifier: Verifying = Field(default_factory=Verifying)
    ingest: Ingest = Field(default_factory=Ingest)
    auth: Auth = Field(default_factory=Auth)
    opensearch: OpenSearch = Field(default_factory=OpenSearch)
    db: DB = Field(default_factory=DB)
    aws: AWS = Field(default_factory=AWS)
    cache: Caching = Field(default_factory=Caching)
    conversation: Conversation = Field(default_factory=Conversation)
    mcp: MCP = Field(default_factory=MCP)
    kdb: KDB = Field(default_factory=KDB)
    confluence: Confluence = Field(default_factory=Confluence)
    limits: Limits = Field(default_factory=Limits)
    budget: Budget = Field(default_factory=Budget)
    vision: Vision = Field(default_factory=Vision)

    footnote_data: Path = setting(
        Path("data"), description="Folder of the embedded index, stores and files.", affects="nothing", topic="storage"
    )
    docling_enabled: bool | None = setting(
        None,
        description="Read Word and PowerPoint files with docling, which is slower. Unset: where it is installed.",
        affects="nothing",
        topic="documents",
    )
    public_url: str | None = setting(
        None,
        pattern=r"^(https?://[^/?#\s]+(/[^?#\s]*)?)?$",
        description="Address at which browsers reach this server, e.g. `https://example.org/docs`. Links to documents start with"
        " it. Unset: the address that the client used.",
        affects="nothing",
        https=True,
    )
    allowed_origins: list[Annotated[str, Field(pattern=r"^(\*|https?://[^/?#*\s]+)$")]] = setting(
        [],
        description='Other origins that may read replies (CORS), as JSON: `["https://intranet.example.com"]`. `["*"]`: any origin,'
        " never with a cookie, and only where there is sign-in.",
        affects="nothing",
        topic="access",
    )
    trusted_proxies: list[Annotated[str, AfterValidator(check_network)]] = setting(
        [],
        description='Addresses and networks of reverse proxies, as JSON: `["127.0.0.1", "10.0.0.0/8"]`. Only from them'
        " `X-Forwarded-…` is taken over. Not used in AWS.",
        affects="nothing",
    )
    dep_ticket: SecretStr | None = setting(
        None,
        description="Ticket for the model's endpoint, sent as `x-dep-ticket`, unless the request carries one of its own.",
        foreign=True,
        topic="model",
    )
    rag_api_key: SecretStr | None = setting(
        None,
        min_length=1,
        description="Key that `POST /insert-doc` and all routes below `/ingest/` require as the header `x-api-key` or `api-key`,"
        " besides the caller's token.",
        affects="nothing",
        topic="access",
    )
    index_name: str = setting(
        "default", description="Collection for requests that name none.", changeable=True, affects="search", topic="search"
    )
    retriever: Literal["rrf", "bm25", "knn", "cc"] = setting(
        "rrf",
        description="Retriever of `/ask` and `/ask/stream` for requests that name none. `/v1/chat` uses rrf, other APIs cc.",
        changeable=True,
        affects="search",
        topic="search",
    )

    reformulate: bool = setting(True, description="Let a model fix typos in questions to `/chat`.", changeable=True, topic="answers")
    max_context_tokens: int | None = setting(
        None,
        gt=0,
        le=10_000_000,
        description="Maximum tokens of passages that `/chat` shows the model. Unset: 3,500.",
        changeable=True,
        topic="answers",
    )
    temperature: float | None = setting(None, ge=0, le=2, description="Same as `LLM__TEMPERATURE`, for `/chat` only.", topic="model")
    max_tokens: int | None = setting(
        None, gt=0, le=1_000_000, description="Same as `LLM__MAX_COMPLETION_TOKENS`, for `/chat` only.", topic="model"
    )

    openrouter_api_key: SecretStr | None = setting(
        None,
        description=f"API key for the model's endpoint where `LLM__API_KEY` is not set; without a base URL the endpoint is {OPENROUTER}.",
        foreign=True,
        topic="model",
    )

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """Computed once per instance."""
        return Fingerprints(fingerprint(self, "search"), fingerprint(self, "search", "answer"))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As in pydantic, without the cached fingerprints of the original."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("fingerprints", None)
        return copied

    @property
    def data(self) -> Path:
        """The folder of the embedded index, stores and files."""
        return self.footnote_data

    @property
    def model_endpoint(self) -> tuple[str | None, str | None, SecretStr | None]:
        """(base URL, model, key); "" = None."""
        base_url, model, key = self.llm.base_url or None, self.llm.model or None, self.llm.api_key or None
        if key is None and self.openrouter_api_key is not None:
            key = self.openrouter_api_key
            if base_url is None:
                base_url, model = OPENROUTER, model or OPENROUTER_DEFAULT
        return base_url, model, key

    @property
    def has_model(self) -> bool:
        """Whether somebody configured a language model: its endpoint, or a key for one."""
        base_url, _, key = self.model_endpoint
        return base_url is not None or key is not None

    @property
    def confluence_account(self) -> tuple[str, str] | None:
        """(base URL without a slash at its end, token); None = Confluence is not configured."""
        base_url, token = self.confluence.base_url, self.confluence.token
        return (base_url.rstrip("/"), token.get_secret_value()) if base_url and token else None

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *others: Any, **sources: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Reads arguments and the environment only."""
        return init_settings, Environment(settings_cls)
