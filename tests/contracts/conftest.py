"""The backends of each port. A new backend needs only a new entry in its table.

Every entry makes a fresh, empty backend in a folder of its own, with the test's clock.

A test marked `engine` is of what the engine decides: queries, conditions, transactions, limits and errors. The others are of
rules, which the backends without an engine show; on the engines they run in `make nightly`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench import statistics
from footnote.adapters.e5.embedder import E5
from footnote.adapters.installed.embedder import InstalledEmbedder
from footnote.adapters.local.files import LocalFiles
from footnote.adapters.openai.embedder import OpenAIEmbedder
from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.language_model import OpenAIModel
from footnote.adapters.resilience.cache import CircuitBreakerCache
from footnote.adapters.resilience.models import Breaker, ResilientModel, RetryPolicy
from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.checkpoints import SqliteCheckpoints, open_checkpoints
from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.ledger_store import SqliteLedgerStore
from footnote.adapters.sqlite.queue import SqliteQueue
from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.store import open_store
from footnote.adapters.sqlite.vector_cache import SqliteVectorCache
from footnote.errors import ModelUnavailable
from footnote.plugins import Plugin
from footnote.ports import Clock, Delta, LanguageModel
from footnote.settings import Embedding
from footnote.types import Caller
from tests.contracts import (
    backends_aws,
    backends_bedrock,
    backends_dynamodb,
    backends_local,
    backends_mongodb,
    backends_opensearch,
    backends_rerank,
    backends_sources,
    backends_verify,
)
from tests.fakes import FakeEmbedder, FakeModel
from tests.openai_server import Reply, chunk, serving, sse

Make = Callable[[Path, Clock], AbstractAsyncContextManager[Any]]
"""Opens a backend on the data in a folder; called twice on one folder it gives two clients of the same data."""

Open = Callable[[], Awaitable[Any]]


def on_sqlite(adapter: Callable[[Database, Clock], Any]) -> Make:
    @asynccontextmanager
    async def make(folder: Path, clock: Clock) -> AsyncIterator[Any]:
        database = open_store(folder)
        try:
            yield adapter(database, clock)
        finally:
            database.close()

    return make


@asynccontextmanager
async def make_sqlite_checkpoints(folder: Path, clock: Clock) -> AsyncIterator[SqliteCheckpoints]:
    checkpoints = SqliteCheckpoints(open_checkpoints(folder), clock)
    try:
        yield checkpoints
    finally:
        await checkpoints.close()


@asynccontextmanager
async def make_sqlite_vector_cache(folder: Path, clock: Clock) -> AsyncIterator[SqliteVectorCache]:
    cache = SqliteVectorCache(folder, clock)
    try:
        yield cache
    finally:
        await cache.close()


@asynccontextmanager
async def in_folder(folder: Path, clock: Clock) -> AsyncIterator[LocalFiles]:
    yield LocalFiles(folder / "files")


ENGINES = {
    "dynamodb": "dynamodb", "mongodb": "mongodb", "opensearch": "opensearch", "s3": "aws", "sqs": "aws", "eventbridge": "aws",
}  # fmt: skip
"""Backend → the engine that has to run for it."""


@pytest.hookimpl(tryfirst=True)  # before the tests for `make nightly` are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent and isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            opened = [backend for fixture, backend in item.callspec.params.items() if fixture.startswith("open_")]
            if ENGINES.keys() & opened and item.get_closest_marker("engine") is None:
                item.add_marker(pytest.mark.nightly)


LEDGER_STORES: dict[str, Make] = {
    "sqlite": on_sqlite(lambda database, clock: SqliteLedgerStore(database)),
    "dynamodb": backends_dynamodb.make_ledger_store,
}


def keeping(keep_s: float | None) -> dict[str, Make]:
    """The stores of turns, feedback, statistics and records of each engine. `keep_s`: how long turns are kept."""
    return {
        "sqlite": on_sqlite(lambda database, clock: statistics.on_sqlite(database, clock, keep_s)),
        "mongodb": partial(backends_mongodb.make, keep_s=keep_s),
    }


LONGEST_S = 365_000 * 24 * 3600.0
"""The longest retention period that the setting allows."""
RECORDS: dict[str, Make] = {"sqlite": on_sqlite(SqliteRecords), "mongodb": backends_mongodb.make_records}
CHECKPOINTS: dict[str, Make] = {"sqlite": make_sqlite_checkpoints, "mongodb": backends_mongodb.make_checkpoints}
CACHES: dict[str, Make] = {
    "sqlite": on_sqlite(SqliteCache),
    "resting": on_sqlite(lambda database, clock: CircuitBreakerCache(SqliteCache(database, clock))),
    "dynamodb": backends_dynamodb.make_cache,
}
VECTOR_CACHES: dict[str, Make] = {"sqlite": make_sqlite_vector_cache, "dynamodb": backends_dynamodb.make_vector_cache}
QUEUES: dict[str, Make] = {"sqlite": on_sqlite(SqliteQueue), "sqs": backends_aws.make_queue}
FILES: dict[str, Make] = {"local": in_folder, "s3": backends_aws.make_files}
DROPS: dict[str, Make] = {"local": backends_local.make_drops, "s3": backends_aws.make_drops}
BUSES: dict[str, Make] = {"local": backends_local.make_bus, "eventbridge": backends_aws.make_bus}


@pytest.fixture
def me() -> Caller:
    return Caller("me", frozenset({"staff"}))


@pytest.fixture
def stranger() -> Caller:
    return Caller("stranger", frozenset({"guests"}))


def backends(table: dict[str, Make]) -> Any:
    """A fixture that opens clients of one backend; all clients of a test share their data."""

    @pytest.fixture(params=table)
    async def open_client(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[Open]:
        if request.param in ENGINES:
            request.getfixturevalue(f"{ENGINES[request.param]}_url")
        async with AsyncExitStack() as stack:

            async def client() -> Any:
                return await stack.enter_async_context(table[request.param](tmp_path, clock))

            yield client

    return open_client


open_ledger_store = backends(LEDGER_STORES)
open_stores = backends(keeping(None))
open_forgetful_stores = backends(keeping(100.0))
open_lasting_stores = backends(keeping(LONGEST_S))
open_records = backends(RECORDS)
open_checkpoints_store = backends(CHECKPOINTS)
open_cache = backends(CACHES)
open_vector_cache = backends(VECTOR_CACHES)
open_queue = backends(QUEUES)
open_files = backends(FILES)
open_drops = backends(DROPS)
open_bus = backends(BUSES)
open_source = backends(backends_sources.SOURCES)


@pytest.fixture
async def ledger_store(open_ledger_store: Open) -> Any:
    return await open_ledger_store()


@pytest.fixture
async def stores(open_stores: Open) -> Any:
    return await open_stores()


@pytest.fixture
async def forgetful_stores(open_forgetful_stores: Open) -> Any:
    return await open_forgetful_stores()


@pytest.fixture
async def lasting_stores(open_lasting_stores: Open) -> Any:
    return await open_lasting_stores()


@pytest.fixture
async def records(open_records: Open) -> Any:
    return await open_records()


@pytest.fixture
async def checkpoints(open_checkpoints_store: Open) -> Any:
    return await open_checkpoints_store()


@pytest.fixture
async def cache(open_cache: Open) -> Any:
    return await open_cache()


@pytest.fixture
async def vector_cache(open_vector_cache: Open) -> Any:
    return await open_vector_cache()


@pytest.fixture
async def queue(open_queue: Open) -> Any:
    return await open_queue()


@pytest.fixture
async def files(open_files: Open) -> Any:
    return await open_files()


@pytest.fixture
async def bucket(open_drops: Open) -> Any:
    return await open_drops()


@pytest.fixture
async def place(open_source: Open) -> Any:
    return await open_source()


@pytest.fixture
async def heard(open_bus: Open) -> Any:
    return await open_bus()


# --- index ---------------------------------------------------------------------------------------


@asynccontextmanager
async def sqlite_index(folder: Path, clock: Clock) -> AsyncIterator[SqliteIndex]:
    index = SqliteIndex(folder)
    try:
        yield index
    finally:
        await index.close()


INDEXES: dict[str, Make] = {"sqlite": sqlite_index, "opensearch": backends_opensearch.make}

open_index = backends(INDEXES)


@pytest.fixture
async def index(open_index: Open) -> Any:
    return await open_index()


# --- models --------------------------------------------------------------------------------------

Script = Callable[..., LanguageModel]
"""Makes a language model that replies once with these pieces."""


@asynccontextmanager
async def openai_embedder(folder: Path, clock: Clock) -> AsyncIterator[OpenAIEmbedder]:
    """A server whose vectors have length 2: not every server sends unit vectors."""
    known = FakeEmbedder(dimension=32)

    def reply(sent: Any) -> Reply:
        data = [{"object": "embedding", "index": i, "embedding": (2 * known.vector(text)).tolist()} for i, text in enumerate(sent["input"])]
        return Reply(body=(json.dumps({"object": "list", "model": sent["model"], "data": data}),))

    async with serving() as server:
        server.replies["/v1/embeddings"] = reply
        endpoint = OpenAIEndpoint(f"{server.url}/v1", None)
        yield OpenAIEmbedder(endpoint, "remote", 32)
        await endpoint.close()


BUILTIN = E5()  # reads its weights at the first use, once for all tests


@asynccontextmanager
async def e5(folder: Path, clock: Clock) -> AsyncIterator[E5]:
    yield BUILTIN


@asynccontextmanager
async def installed_embedder(folder: Path, clock: Clock) -> AsyncIterator[InstalledEmbedder]:
    example = Plugin("trigrams", "footnote-calendar 0.1.0", "footnote_calendar:Trigrams")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2] / "examples/footnote-calendar")
        yield InstalledEmbedder(example, Embedding(dimension=1024))


@asynccontextmanager
async def fake_embedder(folder: Path, clock: Clock) -> AsyncIterator[FakeEmbedder]:
    yield FakeEmbedder(dimension=32)


@asynccontextmanager
async def openai_model(folder: Path, clock: Clock) -> AsyncIterator[Script]:
    def piece(delta: Delta | None) -> Any:
        if delta is None:
            return None
        usage = {"prompt_tokens": delta.usage.prompt_tokens, "completion_tokens": delta.usage.completion_tokens} if delta.usage else None
        return {**chunk(content=delta.text, reasoning_content=delta.thinking), "usage": usage}

    async with serving() as server:
        endpoint = OpenAIEndpoint(f"{server.url}/v1", None)

        def script(*pieces: Delta | None) -> LanguageModel:
            server.replies["/v1/chat/completions"] = sse(*map(piece, pieces))
            return OpenAIModel(endpoint, "remote", temperature=0.2, max_tokens=50)

        yield script
        await endpoint.close()


@asynccontextmanager
async def resilient_model(folder: Path, clock: Clock) -> AsyncIterator[Script]:
    async with openai_model(folder, clock) as inner:

        def script(*pieces: Delta | None) -> LanguageModel:
            return ResilientModel([(inner(*pieces), Breaker(clock))], RetryPolicy(0))

        yield script


@asynccontextmanager
async def fake_model(folder: Path, clock: Clock) -> AsyncIterator[Script]:
    def script(*pieces: Delta | None) -> LanguageModel:
        reply = [ModelUnavailable("cut") if piece is None else piece for piece in pieces]
        return FakeModel([reply, reply, reply])

    yield script


EMBEDDERS: dict[str, Make] = {
    "openai": openai_embedder, "titan": backends_bedrock.make_titan, "cohere": backends_bedrock.make_cohere,
    "e5": e5, "installed": installed_embedder, "fake": fake_embedder,
}  # fmt: skip
LANGUAGE_MODELS: dict[str, Make] = {"openai": openai_model, "resilient": resilient_model, "fake": fake_model}

open_embedder = backends(EMBEDDERS)
open_reranker = backends(backends_rerank.RERANKERS)
open_verifier = backends(backends_verify.VERIFIERS)
open_language_model = backends(LANGUAGE_MODELS)


@pytest.fixture
async def embedder(open_embedder: Open) -> Any:
    return await open_embedder()


@pytest.fixture
async def reranker(open_reranker: Open) -> Any:
    return await open_reranker()


@pytest.fixture
async def verifier(open_verifier: Open) -> Any:
    return await open_verifier()


@pytest.fixture
async def script(open_language_model: Open) -> Any:
    return await open_language_model()
