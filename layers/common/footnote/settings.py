"""Every setting, its default and its environment names.

Precedence: request → what an admin set while it runs → environment → the API's own default → default. Only values that
somebody set count. Nested names take a double underscore: `LLM__MODEL`.
`docs/settings.md` is generated from this module.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, Field, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from footnote.environment import Environment
from footnote.types import Usage

Fusion = Literal["minmax", "rrf", "convex"]
OPENROUTER, OPENROUTER_DEFAULT = "https://openrouter.ai/api/v1", "openai/gpt-4o-mini"


class Price(BaseModel):
    """Of a million tokens, in any currency."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


class Fallback(BaseModel):
    """Another endpoint of the same kind."""

    base_url: str
    model: str
    api_key: SecretStr | None = None


class LLM(BaseModel):
    """The language model: any endpoint that speaks OpenAI's chat completions."""

    base_url: str | None = Field(
        None, description="Base URL that ends in /v1. Unset: api.openai.com when there is a key, else a local Ollama."
    )
    model: str | None = Field(
        None, description="Name of the model. Unset: gpt-4o-mini at OpenAI, else the first one that the endpoint lists."
    )
    api_key: SecretStr | None = Field(None, description="Key for the endpoint; local servers need none.")
    temperature: float = Field(0.2, ge=0, le=2, description="Spread of the wording, 0 to 2.")
    max_completion_tokens: int = Field(10_000, gt=0, description="Longest answer, in tokens.")
    discover: bool = Field(True, description="Use an Ollama at its usual address when nothing else is configured.")
    input_price: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="Price of a million tokens read, in any currency. Unset: costs are not told."
    )
    output_price: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="Price of a million tokens written, in the same currency."
    )

    prices: dict[str, Price] = Field(
        default_factory=dict,
        description='Prices of single models, before the two above: `{"gpt-4o-mini": {"input": 0.15, "output": 0.6}}`. JSON.',
    )
    allowed_models: list[str] = Field(
        default_factory=list, description="Models that a request or a user's preference may name; [] = every one of the endpoint. JSON."
    )
    cheaper_model: str | None = Field(None, description="Model of users whose budget of the day runs out.")
    vision_model: str | None = Field(None, description="Model of questions with images. Unset: `LLM__MODEL`.")
    fallback: Fallback | None = Field(
        None, description='Used while the endpoint is down: `{"base_url": "…", "model": "…", "api_key": "…"}`. JSON.'
    )
    retries: int = Field(2, ge=0, le=5, description="More tries of a call that failed before its first token.")
    system_name: str | None = Field(
        None,
        min_length=1,
        description="For a gateway that wants to know who asks: each call of the model carries this name as `Send-System-Name`, and"
        " `User-ID`, `Prompt-Msg-Id` and `Completion-Msg-Id`. Unset: the endpoint learns nothing of users.",
    )
    user_type: str | None = Field(None, min_length=1, description="Sent beside them as `User-Type`.")

    def allows(self, model: str) -> bool:
        """Whether somebody may ask for this model."""
        return not self.allowed_models or model in self.allowed_models

    def cost(self, usage: Usage, model: str | None = None) -> float | None:
        """In the currency of the prices, each model's tokens at its own; `model` used those that no model is named for. What
        used no tokens is free whatever they cost; None = the price of a model that was used is not known."""
        costs = [self._cost(share.prompt_tokens, share.completion_tokens, name) for name, share in usage.shares(model)]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def _cost(self, prompt_tokens: int, completion_tokens: int, model: str | None) -> float | None:
        price = self.prices.get(model or "")
        read, written = (price.input, price.output) if price else (self.input_price, self.output_price)
        if read is None or written is None:
            return None
        return (prompt_tokens * read + completion_tokens * written) / 1_000_000


class Embedding(BaseModel):
    """Vectors. Unset: the built-in English model; documents in other languages are found by their words."""

    provider: Literal["openai", "bedrock"] = Field(
        "openai", description="openai: any endpoint that speaks the OpenAI API; bedrock: Amazon Bedrock, in the AWS region that is set."
    )
    base_url: str | None = Field(None, description="Base URL of an OpenAI-compatible embeddings endpoint, ending in /v1.")
    model: str | None = Field(None, description="Name of the embedding model at that endpoint, or in Bedrock.")
    api_key: SecretStr | None = Field(None, description="Key for that endpoint.")
    dimension: int = Field(768, gt=0, description="Length of that model's vectors.")
    builtin: bool = Field(True, description="Use the built-in model when no endpoint is set; false: words only.")


class Rag(BaseModel):
    """Retrieval."""

    fusion: Fusion = Field(
        "minmax", description="How the two lists become one: minmax, rrf, or convex (minmax with `rag.alpha` as its weight)."
    )
    alpha: float = Field(0.5, ge=0, le=1, description="Weight of the dense list, 0 to 1, where the embedder speaks the language.")
    rrf_k: int = Field(30, gt=0, description="Dampening of reciprocal rank fusion.")
    candidates: int = Field(100, gt=0, le=1000, description="Entries taken from each list before fusion.")
    forbidden_check_enabled: bool = Field(True, description="Check questions for forbidden terms; without terms everything is allowed.")
    forbidden_check_threshold: float = Field(0.3, gt=0, le=1, description="Similarity from which a term counts as met, 0 to 1.")
    forbidden_check_mode: Literal["llm", "qdrant"] = Field(
        "llm", description="llm: a language model judges what is similar; qdrant: similarity alone decides."
    )
    injection_check_enabled: bool = Field(True, description="Refuse questions that try to change the assistant's rules.")
    output_check: Literal["warn", "reject"] = Field(
        "warn",
        description="What becomes of an answer that its sources do not support: a warning, or no answer where that is still possible.",
    )


class Caching(BaseModel):
    """What may be used again. An entry dies with any document that it came from."""

    enabled: bool = Field(True, description="Use search results and answers again.")
    max_entries: int = Field(1000, gt=0, le=10_000, description="Most remembered questions for the same readers, index and settings.")
    mode: Literal["precision", "recall", "adaptive"] = Field(
        "adaptive", description="How alike questions must be; adaptive: precision for those with numbers, names, negation or under 4 words."
    )
    precision: float = Field(0.95, gt=0, le=1, description="Similarity of a hit in precision mode.")
    recall: float = Field(0.85, gt=0, le=1, description="Similarity of a hit in recall mode.")


class Conversation(BaseModel):
    """What is kept of conversations."""

    keep_days: float | None = Field(None, gt=0, description="Days after which a turn is deleted. Unset: never.")


class MCP(BaseModel):
    """Tools for the planning agent, and a search of its own."""

    mcp_enabled: bool = Field(False, description="Let `pa` call the tools of `MCP__GATEWAY`, and `rag` its search.")
    gateway: str | None = Field(None, description="URL of an MCP server (streamable HTTP).")
    search_tool: str = Field("neural_search", description="The tool there that searches documents, where there is one.")
    token: SecretStr | None = Field(None, description="Bearer token for it. No user's token is ever passed on.")
    rounds: int = Field(5, ge=1, le=20, description="Most rounds of tool calls in one answer.")
    limit_s: float = Field(20, gt=0, description="Longest wait for a tool, in seconds.")


class KDB(BaseModel):
    """A search service of another system, which is asked before the index."""

    url: str | None = Field(None, description="Its address, which `/api/v1/document/search_rerank` is added to.")
    groups: list[str] = Field(
        default_factory=list,
        description="Groups, as JSON, whose members it is asked for; `*` = everybody. Empty: only the local user of `AUTH__MODE` none.",
    )


class Limits(BaseModel):
    """How often somebody may ask. Not for the one local user of `AUTH__MODE` none."""

    user_per_minute: int = Field(60, ge=0, description="Questions of one user in a minute; 0 = any number.")
    address_per_minute: int = Field(300, ge=0, description="Questions, and failed sign-ins, from one address in a minute; 0 = any number.")


class Budget(BaseModel):
    """What one user may spend in a day (UTC). From `cheaper_at` on a cheaper model answers, then search results only."""

    tokens_per_day: int = Field(0, ge=0, description="Tokens; 0 = any number.")
    money_per_day: float = Field(0, ge=0, description="Money, in the currency of the prices; 0 = any sum.")
    cheaper_at: float = Field(0.8, gt=0, le=1, description="Share of it from which `LLM__CHEAPER_MODEL` answers.")


class Vision(BaseModel):
    """Questions with images."""

    max_images: int = Field(4, ge=1, le=20, description="Images of one question.")
    max_image_mb: float = Field(5, gt=0, description="Largest image, in MiB.")


class Ingest(BaseModel):
    """From file to index."""

    max_file_mb: int = Field(50, gt=0, description="Largest file, in MiB.")
    chunk_tokens: int = Field(320, ge=64, le=2000, description="Most tokens in a passage.")
    drop_groups: dict[str, list[str]] = Field(
        default_factory=dict,
        description="Permission groups of files dropped into the bucket: prefix of the key → groups. JSON in the environment.",
    )
    parse_limit_s: float = Field(60, gt=0, description="Longest time to read one file, in seconds.")
    parse_memory_mb: int = Field(1024, ge=256, description="Most memory to read one file, in MiB.")


class OpenSearch(BaseModel):
    """The index in a cluster of its own. Unset: the embedded one."""

    url: str | None = Field(None, description="Address of an OpenSearch cluster or domain.")
    auth: Literal["none", "basic", "aws"] = Field("none", description="none, basic (user and password) or aws (requests are signed).")
    service: Literal["es", "aoss"] = Field(
        "es", description="What requests are signed for: es = a domain, aoss = a serverless collection, not supported beyond that yet."
    )
    user: str | None = Field(None, description="For basic.")
    password: SecretStr | None = Field(None, description="For basic.")
    prefix: str = Field("footnote", pattern=r"^[a-z][a-z0-9]{0,30}$", description="What the names of all indexes begin with.")
    server_fusion: bool = Field(False, description="Let the cluster fuse the two lists by its `hybrid` query; slower, and cc only.")
    limit_s: float = Field(3, gt=0, description="Longest wait for one search, in seconds.")


class DB(BaseModel):
    """Conversations in MongoDB. Unset: in the embedded store."""

    uri: SecretStr | None = Field(None, description="MongoDB URI; stands before host and port.")
    host: str | None = Field(None, description="Host of a MongoDB without passwords.")
    port: int = Field(27017, gt=0, lt=65536, description="Its port.")
    name: str = Field("footnote", min_length=1, description="Database of the conversations.")
    statistics: str = Field("statistics", min_length=1, description="Database of the roll-ups.")

    @property
    def address(self) -> str | None:
        """The URI, or one from host and port; None = no MongoDB is configured."""
        if self.uri is not None:
            return self.uri.get_secret_value()
        return f"mongodb://{self.host}:{self.port}" if self.host else None


class AWS(BaseModel):
    """What replaces the embedded store, files and queue, each where it is set. Region and credentials are the SDK's own."""

    cache_table: str | None = Field(None, description="DynamoDB table of cached values and sessions.")
    ledger_table: str | None = Field(None, description="DynamoDB table of the documents' states.")
    files_bucket: str | None = Field(None, description="S3 bucket of the files as they were added, and what was read of them.")
    drop_bucket: str | None = Field(None, description="S3 bucket that people drop files into; uploads go there too.")
    queue_url: str | None = Field(None, description="SQS queue of files to read.")
    event_bus: str | None = Field(None, description="EventBridge bus that is told of questions and answers.")


class ApiKey(BaseModel):
    """Of one user or program. `role`: an admin sees everybody's figures and unassigned files. `forwards_users`: a program, such
    as Open WebUI, that says in `X-OpenWebUI-User-Id` for whom it asks."""

    key: SecretStr = Field(min_length=1)
    groups: list[str] = []
    role: Literal["user", "admin"] = "user"
    forwards_users: bool = False


class Auth(BaseModel):
    """Who asks. In AWS somebody must have signed in."""

    mode: Literal["none", "session", "api_key", "jwt"] = Field(
        "none",
        description="none: everyone who reaches the server is the one local user. session: tokens made by `footnote session create`."
        " api_key: the keys of `AUTH__API_KEYS`. jwt: tokens of an identity provider.",
    )
    issuer: str | None = Field(None, description="Of jwt: who makes the tokens (`iss`).")
    audience: str | None = Field(None, description="Of jwt: whom they are for (`aud`).")
    jwks_url: str | None = Field(None, description="Of jwt: where the issuer's keys are.")
    algorithm: Literal["RS256", "ES256", "EdDSA"] = Field("RS256", description="Of jwt: the one way of signing that is accepted.")
    groups_claim: str = Field("groups", description="Of jwt: the claim that lists permission groups.")
    admin_group: str | None = Field(None, description="Of jwt: the group whose members are admins.")
    api_keys: dict[str, ApiKey] = Field(
        default_factory=dict,
        description='User → key, e.g. `{"ann": {"key": "…", "groups": ["staff"], "role": "user"}}`. With'
        ' `"forwards_users": true` the key is that of a program which says for whom it asks ([Open WebUI](clients.md#open-webui)).',
    )


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

    footnote_data: Path = Field(Path("data"), description="Folder of the embedded index, stores and files.")
    docling_enabled: bool = Field(False, description="Read office files and e-books with docling, where it is installed; slower.")
    public_url: str | None = Field(
        None,
        pattern=r"^(https?://[^/?#\s]+/?)?$",
        description="Address that people's browsers reach this server by, e.g. `https://docs.example.org`: links to documents"
        " begin with it. Unset: the address that the client used.",
    )
    allowed_origins: list[Annotated[str, Field(pattern=r"^(\*|https?://[^/?#*\s]+)$")]] = Field(
        default_factory=list,
        description='Pages of other sites that may read replies (CORS): `["https://intranet.example.com"]`, JSON. `["*"]` = every page,'
        " by a token and never by a cookie, and only where `AUTH__MODE` is not none. In AWS: the template's `AllowedOrigins`.",
    )
    dep_ticket: SecretStr | None = Field(
        None,
        description="Ticket for the model's endpoint, sent as `x-dep-ticket`. Where it is set, a request's own `x-dep-ticket` is sent"
        " instead, unless that is the token by which its caller signs in.",
    )
    index_name: str = Field("default", description="Collection of a caller that names none.")
    retriever: Literal["rrf", "bm25", "knn", "cc"] = Field(
        "rrf", description="Retriever of `/ask` and `/ask/stream` for requests that name none: rrf, bm25, knn or cc. Other APIs use cc."
    )

    enable_query_reformulation: bool = Field(True, description="Let a model mend typos and unclear wording in questions to `/chat`.")
    max_context_tokens: int | None = Field(None, gt=0, description="Most tokens of passages that `/chat` shows the model. Unset: 3,500.")
    temperature: float | None = Field(None, ge=0, le=2, description="Same as `LLM__TEMPERATURE`, for `/chat` only.")
    max_tokens: int | None = Field(None, gt=0, description="Same as `LLM__MAX_COMPLETION_TOKENS`, for `/chat` only.")

    # Names that other systems use for the same things; `LLM__…` stands before them.
    openai_api_key: SecretStr | None = Field(None, description="Same as `LLM__API_KEY`.")
    openrouter_api_key: SecretStr | None = Field(
        None, description=f"The same where neither of the two is set; without a base URL the model is asked at {OPENROUTER}."
    )
    llm_base_url: str | None = Field(
        None, validation_alias=AliasChoices("LLM_BASE_URL", "OPENAI_BASE_URL"), description="Same as `LLM__BASE_URL`."
    )
    model_name: str | None = Field(
        None, validation_alias=AliasChoices("MODEL_NAME", "PRIMARY_MODEL_ID"), description="Same as `LLM__MODEL`."
    )

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
