"""Settings → adapters → pipeline: the only place that chooses.

Everything is made at first use. `shared()` is the process's one Core; each function asks it for
what it needs, so a door never builds what it does not use.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache, cached_property, partial
from importlib.util import find_spec
from typing import Any

from footnote.adapters.bus_aws import EventBridgeBus
from footnote.adapters.bus_local import LocalBus
from footnote.adapters.cache_dynamodb import DynamoCache
from footnote.adapters.cache_sqlite import SqliteCache
from footnote.adapters.drops_local import LocalDrops
from footnote.adapters.drops_s3 import S3Drops
from footnote.adapters.dynamodb import Table
from footnote.adapters.files_local import LocalFiles
from footnote.adapters.files_s3 import S3Files, S3Uploads
from footnote.adapters.index_opensearch import OpenSearchIndex
from footnote.adapters.index_sqlite import SqliteIndex
from footnote.adapters.ledger_dynamodb import DynamoLedger
from footnote.adapters.ledger_sqlite import SqliteLedger
from footnote.adapters.models_bedrock import BedrockEmbedder
from footnote.adapters.models_minilm import MiniLM, find_model
from footnote.adapters.models_openai import OLLAMA, ConfiguredModels, OpenAIEmbedder, OpenAIEndpoint
from footnote.adapters.mongodb import Databases
from footnote.adapters.queue_aws import SqsQueue
from footnote.adapters.queue_local import SqliteQueue
from footnote.adapters.secret_local import load_secret
from footnote.adapters.store_mongodb import MongoTurnStore
from footnote.adapters.store_sqlite import SqliteTurnStore, open_store
from footnote.answer.extract import is_answerable
from footnote.errors import FootnoteError, NotFound, StoreUnavailable
from footnote.guard.identity import LOCAL
from footnote.ingest.child import DOCLING, PARSER, ParserProcess
from footnote.ingest.drops import Bucket
from footnote.ingest.pipeline import Ingestor
from footnote.ingest.sources import Sources
from footnote.learn.meter import LogMeter
from footnote.learn.questions import suggest_questions
from footnote.pipeline import ANSWER, RETRIEVE
from footnote.ports import Bus, Cache, Clock, Drops, Embedder, Files, Index, Ledger, Meter, Models, Parser, Queue, TurnStore, Uploads
from footnote.prompts import Prompts
from footnote.settings import Settings
from footnote.steps import Runner
from footnote.types import Caller, Profile, Turn

QUESTIONS_S = 24 * 3600.0
CACHE_S, LEDGER_S = 1.0, 5.0
"""Longest waits for one call of DynamoDB."""
UNSAVED = Profile("none", live=False, citation_style="numbered", prompt="answer_numbered")


class Core:
    """The ports of one configuration, each made when it is first asked for."""

    def __init__(self, settings: Settings, *, clock: Clock = time.time, models: Models | None = None, parser: Parser | None = None) -> None:
        self.settings = settings
        self.clock = clock
        self.checks: dict[str, Callable[[], Awaitable[Any]]] = {}
        """More parts for `check`, by name; each raises a FootnoteError while it is not ready."""
        self._models = models
        self._parser = parser
        # More than one BLAS thread a call is slower here: batches already run on every core.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        os.environ.setdefault("OMP_NUM_THREADS", "1")

    # --- what the functions ask for --------------------------------------------------------------

    @cached_property
    def answer(self) -> Runner:
        return Runner(ANSWER, self._ports)

    @cached_property
    def retrieve(self) -> Runner:
        return Runner(RETRIEVE, self._ports)

    @cached_property
    def ingestor(self) -> Ingestor:
        return Ingestor(self.ledger, self.files, self.queue, self.index, self.parser, self.embedder, self.settings.ingest, self.clock)

    @cached_property
    def bucket(self) -> Bucket:
        return Bucket(self.drops, self.ledger, self.ingestor, self.cache, self.uploads, self.settings.index_name)

    @cached_property
    def sources(self) -> Sources:
        return Sources(self.ledger, self.files, self.index)

    @cached_property
    def signing_key(self) -> bytes:
        return load_secret(self.settings.data)

    async def collections(self, caller: Caller) -> list[dict[str, Any]]:
        """Visible collections with their sizes and three questions each; the questions are kept per version."""
        return [await self._collection(caller, name, documents) for name, documents in (await self.ledger.collections(caller)).items()]

    async def _collection(self, caller: Caller, name: str, documents: int) -> dict[str, Any]:
        info = await self.index.info(name)
        if info is None or not documents:
            return {"name": name, "documents": documents, "questions": []}
        key = f"questions:{name}:{info.version}:{'*' if caller.sees_all else ','.join(sorted(caller.groups))}"
        make = partial(suggest_questions, caller, name, index=self.index, answerable=partial(self._answerable, caller, name))
        try:
            questions = await self.cache.get(key)
        except StoreUnavailable:  # nor is anything kept: a cache that hangs costs one wait
            return {"name": name, "documents": documents, "questions": await make()}
        if questions is None:
            questions = await make()
            with suppress(StoreUnavailable):
                await self.cache.put(key, questions, QUESTIONS_S)
        return {"name": name, "documents": documents, "questions": questions}

    async def _answerable(self, caller: Caller, collection: str, question: str) -> bool:
        turn = await self.retrieve.finish(Turn("", caller, UNSAVED, question, collection))
        return await is_answerable(turn, index=self.index)

    # --- ports -----------------------------------------------------------------------------------

    @cached_property
    def index(self) -> Index:
        return OpenSearchIndex(self.settings.opensearch) if self.settings.opensearch.url else SqliteIndex(self.settings.data)

    @cached_property
    def embedder(self) -> Embedder | None:
        wanted = self.settings.embedding
        if wanted.provider == "bedrock":
            return BedrockEmbedder(wanted.model or "", wanted.dimension)
        if wanted.base_url and wanted.model:
            key = wanted.api_key.get_secret_value() if wanted.api_key else None
            return OpenAIEmbedder(OpenAIEndpoint(wanted.base_url, key), wanted.model, wanted.dimension)
        return MiniLM() if wanted.builtin and find_model() is not None else None

    @cached_property
    def models(self) -> Models:
        if self._models is not None:
            return self._models
        base_url, model, key = self.settings.model_endpoint
        return ConfiguredModels(
            base_url,
            model,
            key.get_secret_value() if key else None,
            temperature=self.settings.llm.temperature,
            max_tokens=self.settings.llm.max_completion_tokens,
            ollama=OLLAMA if self.settings.llm.discover else None,
        )

    @cached_property
    def prompts(self) -> Prompts:
        return Prompts()

    @cached_property
    def ledger(self) -> Ledger:
        table = self.settings.aws.ledger_table
        return DynamoLedger(Table(table, "AWS__LEDGER_TABLE", LEDGER_S), self.clock) if table else SqliteLedger(self._store, self.clock)

    @cached_property
    def turns(self) -> TurnStore:
        db = self.settings.db
        if db.address:
            return MongoTurnStore(Databases(db.address, db.name, db.statistics), self.clock)
        return SqliteTurnStore(self._store, self.clock)

    @cached_property
    def meter(self) -> Meter:
        return LogMeter()

    @cached_property
    def cache(self) -> Cache:
        table = self.settings.aws.cache_table
        return DynamoCache(Table(table, "AWS__CACHE_TABLE", CACHE_S), self.clock) if table else SqliteCache(self._store, self.clock)

    @cached_property
    def queue(self) -> Queue:
        url = self.settings.aws.queue_url
        return SqsQueue(url) if url else SqliteQueue(self._store, self.clock)

    @cached_property
    def files(self) -> Files:
        bucket = self.settings.aws.files_bucket
        return S3Files(bucket) if bucket else LocalFiles(self.settings.data / "files")

    @cached_property
    def drops(self) -> Drops:
        return S3Drops() if self.settings.aws.drop_bucket else LocalDrops(self.settings.data / "drops")

    @cached_property
    def uploads(self) -> Uploads | None:
        """None: uploads come through a signed route of ours."""
        bucket = self.settings.aws.drop_bucket
        return S3Uploads(bucket) if bucket else None

    @cached_property
    def bus(self) -> Bus:
        name = self.settings.aws.event_bus
        return EventBridgeBus(name) if name else LocalBus(self.settings.data)

    @cached_property
    def parser(self) -> Parser:
        limits = self.settings.ingest
        parser = DOCLING if self.settings.docling_enabled and find_spec("docling") else PARSER
        return self._parser or ParserProcess(limits.parse_limit_s, limits.parse_memory_mb, parser=parser)

    @cached_property
    def _store(self) -> Any:
        return open_store(self.settings.data)

    def _ports(self) -> dict[str, Any]:
        """Of one turn: each port, and the groups of settings as they are now."""
        return {
            "index": self.index,
            "embedder": self.embedder,
            "models": self.models,
            "prompts": self.prompts,
            "turns": self.turns,
            "cache": self.cache,
            "bus": self.bus,
            "meter": self.meter,
            "clock": self.clock,
            "rag": self.settings.rag,
            "llm": self.settings.llm,
            "caching": self.settings.cache,
            "mcp": self.settings.mcp,
            "budget": self.settings.budget,
            "vision": self.settings.vision,
        }

    async def check(self, *names: str) -> dict[str, str]:
        """Tries these parts, by default all: name → "ok" or what is wrong. What the embedded store holds is one part."""
        probes: dict[str, Callable[[], Awaitable[Any]]] = {
            "store": self.ledger.counts,
            "index": lambda: self.index.info(self.settings.index_name),
        }
        if self.settings.db.address:
            probes["conversations"] = lambda: self.turns.history(LOCAL, "ready", "ready", 1)
        if self.settings.aws.cache_table:
            probes["cache"] = lambda: self.cache.get("ready")
        if self.settings.aws.files_bucket:
            probes["files"] = lambda: self.files.get("ready")
        if self.settings.aws.queue_url:
            probes["queue"] = self.queue.size
        probes = {name: probe for name, probe in probes.items() if not names or name in names} | self.checks
        told = await asyncio.gather(*(_try(probe) for probe in probes.values()))
        return dict(zip(probes, told, strict=True))

    async def close(self) -> None:
        """Waits for turns that are still being saved, then lets go of files and processes."""
        made = self.__dict__
        for name in ("answer", "retrieve"):
            if name in made:
                await made[name].drain()
        for name in ("index", "parser", "embedder", "models", "turns", "ledger", "cache", "queue", "files", "drops", "uploads", "bus"):
            if name in made and hasattr(made[name], "close"):
                await made[name].close()
        if "_store" in made:
            self._store.close()


async def _try(probe: Callable[[], Awaitable[Any]]) -> str:
    try:
        await probe()
    except NotFound:
        pass  # it answered
    except FootnoteError as exc:
        return exc.detail
    return "ok"


@cache
def shared() -> Core:
    """The Core of this process, from its environment."""
    return Core(Settings())
