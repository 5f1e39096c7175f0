"""Chooses the adapter of each port from the settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Protocol, runtime_checkable

from pydantic import SecretStr

from footnote.adapters.argon2.passwords import Argon2Passwords
from footnote.adapters.aws.bus import EventBridgeBus
from footnote.adapters.aws.drops import S3Drops
from footnote.adapters.aws.files import S3Files
from footnote.adapters.aws.queue import SqsQueue
from footnote.adapters.aws.reranker import BedrockReranker
from footnote.adapters.aws.uploads import S3Uploads
from footnote.adapters.confluence.wiki import ConfluenceWiki
from footnote.adapters.dynamodb.cache import DynamoCache
from footnote.adapters.dynamodb.ledger_store import DynamoLedgerStore
from footnote.adapters.dynamodb.table import Table
from footnote.adapters.dynamodb.vector_cache import DynamoVectorCache
from footnote.adapters.http.egress import Egress
from footnote.adapters.http.images import WebImages
from footnote.adapters.http.knowledge_base import HttpKnowledgeBase
from footnote.adapters.http.reranker import HttpReranker
from footnote.adapters.http.verifier import HttpVerifier
from footnote.adapters.jwt.tokens import JwtTokens
from footnote.adapters.local.bus import LocalBus
from footnote.adapters.local.drops import LocalDrops
from footnote.adapters.local.files import LocalFiles
from footnote.adapters.mcp.tools import McpTools
from footnote.adapters.mongodb.checkpoints import MongoCheckpoints
from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.mongodb.feedback import MongoFeedbackStore
from footnote.adapters.mongodb.records import MongoRecords
from footnote.adapters.mongodb.statistics import MongoStatisticsStore
from footnote.adapters.mongodb.turns import MongoTurnStore
from footnote.adapters.openai.gateway import Gateway
from footnote.adapters.openai.local_servers import SERVERS, LocalServers
from footnote.adapters.openai.models import ConfiguredModels
from footnote.adapters.opensearch.index import OpenSearchIndex
from footnote.adapters.resilience.cache import CircuitBreakerCache
from footnote.adapters.resilience.models import ResilientModels, RetryPolicy
from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.checkpoints import SqliteCheckpoints, open_checkpoints
from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.feedback import SqliteFeedbackStore
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.ledger_store import SqliteLedgerStore
from footnote.adapters.sqlite.queue import SqliteQueue
from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.statistics import SqliteStatisticsStore
from footnote.adapters.sqlite.store import open_store
from footnote.adapters.sqlite.turns import SqliteTurnStore
from footnote.adapters.sqlite.vector_cache import SqliteVectorCache
from footnote.adapters.tesseract.ocr import find_tesseract
from footnote.bootstrap.deps import SettingGroups
from footnote.bootstrap.embedders import default_embedder, named_embedders
from footnote.collections import Collections
from footnote.collections.embedders import Embedders
from footnote.collections.visible import VisibleIndex, VisibleKnowledge, VisibleVectors
from footnote.guard.accounts import Accounts
from footnote.guard.limits import RateLimiter
from footnote.guard.spending import Spending
from footnote.guard.terms import Terms
from footnote.ingest.apart import Apart, InChildren, in_thread
from footnote.ingest.parser import make_parser
from footnote.ledger import Documents, Lifecycle, Origins
from footnote.ports import (
    Bus,
    Cache,
    Checkpoints,
    Clock,
    Drops,
    Embedder,
    FeedbackStore,
    Files,
    Generations,
    Images,
    Index,
    IndexStore,
    Kind,
    Knowledge,
    KnowledgeBase,
    LedgerStore,
    Meter,
    Models,
    ModelServer,
    Ocr,
    Parser,
    Queue,
    Records,
    Reranker,
    StatisticsStore,
    Tokens,
    Tools,
    TurnStore,
    Uploads,
    VectorCache,
    Vectors,
    Verifier,
    Wiki,
)
from footnote.prompts import Prompts
from footnote.settings import Rerank, Verifying
from footnote.telemetry.announcements import Announcer
from footnote.telemetry.metrics import LogMeter

CACHE_S, LEDGER_S, VECTORS_S = 1.0, 5.0, 5.0
"""Time limits of a DynamoDB call, in seconds."""
COPIED: tuple[Kind, ...] = ("setting", "prompt", "experiment", "term", "collection")
"""Records of which processes keep copies."""


@runtime_checkable
class Closable(Protocol):
    """A part that holds connections, files or processes."""

    async def close(self) -> None:
        """Closes them. Closing twice does no harm."""


class Backends(SettingGroups):
    """The adapters of one configuration, each created at first use: one `ports.Index`, one `ports.TurnStore`, ….

    None where a part is not configured."""

    own_port: int | None = None
    """The port of this server, where no language model is looked for."""

    def __init__(self, clock: Clock, models: Models | None, parser: Parser | None) -> None:
        self.clock = clock
        self._models = models
        self._parser = parser
        # Vector scans are short and run concurrently: more than one BLAS thread per call is slower.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        os.environ.setdefault("OMP_NUM_THREADS", "1")

    @cached_property
    def engine(self) -> IndexStore:
        """The index itself, with deleted collections and stored names."""
        wanted = self.settings.opensearch
        return OpenSearchIndex(wanted) if wanted.url else SqliteIndex(self.settings.data)

    @cached_property
    def index(self) -> Index:
        return VisibleIndex(self.engine, self.collections, lambda: self.embedders)

    @cached_property
    def generations(self) -> Generations:
        return self.engine

    @cached_property
    def vectors(self) -> Vectors:
        return VisibleVectors(self.engine, self.collections, lambda: self.embedders)

    @cached_property
    def knowledge(self) -> Knowledge:
        return VisibleKnowledge(self.engine, self.collections)

    @cached_property
    def embedder(self) -> Embedder | None:
        return default_embedder(self.settings.embedding)

    @cached_property
    def named_embedders(self) -> Mapping[str, Embedder]:
        return named_embedders(self.settings.embedding, self.embedder)

    @property
    def embedders(self) -> Embedders:
        return Embedders(self.embedder, self.named_embedders)

    @cached_property
    def reranker(self) -> Reranker | None:
        return make_reranker(self.settings.rerank)

    @cached_property
    def verifier(self) -> Verifier | None:
        return make_verifier(self.settings.verifier)

    @cached_property
    def models(self) -> Models:
        return self._models or ResilientModels(*self.endpoints, retry_policy=RetryPolicy(self.settings.llm.retries))

    @cached_property
    def endpoints(self) -> tuple[Models, ...]:
        """The endpoint of the language models and its fallback, if configured, both without retries."""
        if self._models is not None:
            return (self._models,)
        llm, (base_url, model, key) = self.settings.llm, self.settings.model_endpoint
        temperature = llm.temperature if "temperature" in llm.model_fields_set else None  # None = the model's default
        make = partial(ConfiguredModels, temperature=temperature, max_tokens=llm.max_completion_tokens, stall_timeout_s=llm.stall_timeout_s)
        gateway = Gateway(revealed(self.settings.dep_ticket), llm.system_name, llm.user_type)
        others = tuple(server for server in SERVERS if server.port != self.own_port)
        first = make(base_url, model, revealed(key), local=LocalServers(others) if llm.discover else None, gateway=gateway)
        spare = llm.fallback
        return (first, make(spare.base_url, spare.model, revealed(spare.api_key))) if spare else (first,)

    @property
    def model_server(self) -> ModelServer | None:
        return first if isinstance(first := self.endpoints[0], ConfiguredModels) else None

    @cached_property
    def ocr(self) -> Ocr | None:
        """Reads scans."""
        return None if self.settings.ingest.ocr == "off" else find_tesseract()

    @cached_property
    def parser(self) -> Parser:
        """Reads files."""
        return self._parser or make_parser(self.settings.ingest, docling=self.settings.docling_enabled, ocr=self.ocr)

    @cached_property
    def apart(self) -> Apart:
        """Runs what follows the parser; where a parser was given, in this process."""
        limits = self.settings.ingest
        return in_thread if self._parser else InChildren(limits.parse_limit_s, limits.parse_memory_mb)

    @cached_property
    def prompts(self) -> Prompts:
        return Prompts()

    @cached_property
    def ledger_store(self) -> LedgerStore:
        table = self.settings.aws.ledger_table
        return DynamoLedgerStore(Table(table, "AWS__LEDGER_TABLE", LEDGER_S)) if table else SqliteLedgerStore(self.store)

    @cached_property
    def ledger(self) -> Documents:
        return Documents(self.ledger_store, self.collections, self.clock)

    @cached_property
    def lifecycle(self) -> Lifecycle:
        return Lifecycle(self.ledger_store, self.clock)

    @cached_property
    def origins(self) -> Origins:
        return Origins(self.ledger_store, self.clock)

    @cached_property
    def turns(self) -> TurnStore:
        if self._databases:
            return MongoTurnStore(self._databases, self.clock, keep_s=self._keep_s)
        return SqliteTurnStore(self.store, self.clock, keep_s=self._keep_s)

    @cached_property
    def feedback(self) -> FeedbackStore:
        if self._databases:
            return MongoFeedbackStore(self._databases, self.clock, keep_s=self._keep_s)
        return SqliteFeedbackStore(self.store, self.clock, keep_s=self._keep_s)

    @cached_property
    def statistics(self) -> StatisticsStore:
        if self._databases:
            return MongoStatisticsStore(self._databases, self.clock, keep_s=self._keep_s)
        return SqliteStatisticsStore(self.store, self.clock, keep_s=self._keep_s)

    @property
    def _keep_s(self) -> float | None:
        """How long turns are kept; None = for good."""
        days = self.settings.conversation.keep_days
        return None if days is None else days * 24 * 3600

    @cached_property
    def checkpoints(self) -> Checkpoints:
        if self._databases:
            return MongoCheckpoints(self._databases, self.clock)
        return SqliteCheckpoints(open_checkpoints(self.settings.data), self.clock)

    @cached_property
    def records(self) -> Records:
        return MongoRecords(self._databases, self.clock) if self._databases else SqliteRecords(self.store, self.clock)

    async def count_changes(self) -> int:
        """A number that grows with every change of a record of which processes keep copies; 0 where MongoDB holds the records."""
        return await self.records.changes_of(COPIED) if isinstance(self.records, SqliteRecords) else 0

    @cached_property
    def collections(self) -> Collections:
        return Collections(self.records, self.clock)

    @cached_property
    def terms(self) -> Terms:
        return Terms(self.records, self.optional_cache, self.embedder, self.clock)

    @cached_property
    def tokens(self) -> Tokens | None:
        auth = self.settings.auth
        if auth.mode != "jwt" or auth.issuer is None or auth.audience is None or auth.jwks_url is None:
            return None
        return JwtTokens(auth.issuer, auth.audience, auth.jwks_url, auth.algorithm)

    @cached_property
    def accounts(self) -> Accounts:
        return Accounts(self.records, self.cache, Argon2Passwords(), self.clock)

    @cached_property
    def limiter(self) -> RateLimiter:
        return RateLimiter(self.optional_cache, self.clock)

    @cached_property
    def meter(self) -> Meter:
        return LogMeter()

    @cached_property
    def cache(self) -> Cache:
        table = self.settings.aws.cache_table
        return DynamoCache(Table(table, "AWS__CACHE_TABLE", CACHE_S), self.clock) if table else SqliteCache(self.store, self.clock)

    @cached_property
    def optional_cache(self) -> Cache:
        """The cache for callers that can do without it: behind a circuit breaker if it is remote."""
        return CircuitBreakerCache(self.cache) if self.settings.aws.cache_table else self.cache

    @cached_property
    def vector_cache(self) -> VectorCache:
        table = self.settings.aws.cache_table
        if table:
            return DynamoVectorCache(Table(table, "AWS__CACHE_TABLE", VECTORS_S), self.clock)
        return SqliteVectorCache(self.settings.data, self.clock)

    @cached_property
    def queue(self) -> Queue:
        url = self.settings.aws.queue_url
        return SqsQueue(url) if url else SqliteQueue(self.store, self.clock)

    @cached_property
    def files(self) -> Files:
        bucket = self.settings.aws.files_bucket
        return S3Files(bucket) if bucket else LocalFiles(self.settings.data / "files")

    @cached_property
    def drops(self) -> Drops:
        return S3Drops() if self.settings.aws.drop_bucket else LocalDrops(self.settings.data / "drops")

    @cached_property
    def uploads(self) -> Uploads | None:
        """None = clients upload through a signed route of Footnote."""
        bucket = self.settings.aws.drop_bucket
        return S3Uploads(bucket) if bucket else None

    @cached_property
    def bus(self) -> Bus:
        name = self.settings.aws.event_bus
        return EventBridgeBus(name) if name else LocalBus(self.settings.data)

    @cached_property
    def announcer(self) -> Announcer:
        return Announcer(self.bus)

    @cached_property
    def spending(self) -> Spending:
        return Spending(self.optional_cache, self.clock)

    @cached_property
    def tools(self) -> Tools | None:
        mcp = self.settings.mcp
        return McpTools(mcp.gateway, revealed(mcp.token)) if mcp.gateway else None

    @cached_property
    def knowledge_base(self) -> KnowledgeBase | None:
        return HttpKnowledgeBase(self.settings.kdb.url) if self.settings.kdb.url else None

    @cached_property
    def wiki(self) -> Wiki | None:
        wanted, account = self.settings.confluence, self.settings.confluence_account
        return ConfluenceWiki(*account, wanted.user, verify_tls=wanted.verify_tls, limit_s=wanted.limit_s) if account else None

    @cached_property
    def images(self) -> Images:
        return WebImages(Egress())

    @cached_property
    def _databases(self) -> Databases | None:
        db = self.settings.db
        return Databases(db.address, db.name, db.statistics) if db.address else None

    @cached_property
    def store(self) -> Database:
        """The embedded store; not made where everything it holds is elsewhere."""
        return open_store(self.settings.data)


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
