"""The HTTP functions on real engines and model servers, with a proxy in front of each."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import httpx
import pymongo
import pytest
from pydantic import SecretStr

from footnote.adapters.dynamodb.cache import DynamoCache
from footnote.adapters.dynamodb.ledger_store import DynamoLedgerStore
from footnote.adapters.dynamodb.table import Table, make_client
from footnote.adapters.dynamodb.vector_cache import DynamoVectorCache
from footnote.adapters.mongodb import databases
from footnote.bootstrap import Core
from footnote.bootstrap.backends import CACHE_S, LEDGER_S
from footnote.collections import Directory
from footnote.ports import Clock
from footnote.settings import DB, LLM, MCP, Auth, Caching, Embedding, Fallback, OpenSearch
from footnote_feedback.app import create_app as create_feedback
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from tests.fakes import FakeEmbedder, HereParser, LoopClock
from tests.faults.aws_world import World, open_world
from tests.faults.proxy import Action, Plan, Proxy
from tests.faults.test_crash_sweep import list_all
from tests.functions.conftest import read_events
from tests.openai_server import Reply, Server, chunk, serving, sse

T = TypeVar("T")
Fault = Action | Literal["down"]
KINDS = {
    "opensearch": "opensearch", "mongodb": "mongodb", "cache": "dynamodb", "ledger": "dynamodb", "s3": "aws", "sqs": "aws",
    "llm": "openai", "spare": "openai", "embedder": "openai", "mcp": "openai", "bus": "aws",
}  # fmt: skip
"""Part → the kind of its proxy."""

TITLES = {"opensearch": "Search is not available"}
"""Of a part's problem, where it is not STORAGE."""
STORAGE = "Storage is not available"

PATIENT_S = 30.0
FERRIES = b"\n\n".join(b"Ferry %d leaves from pier %d at noon and takes cars, lorries and people on foot." % (n, n + 40) for n in range(20))
"""Long enough for a passage of its own, whose heading makes a question to suggest."""
BRIDGE = (
    b"""# Records of the bridge

## Opening

The bridge was opened in 1894 by the mayor. It is painted blue every ten years.

## When do ferries leave?

Ferries cross the river every hour, and twice an hour in summer.

"""
    + FERRIES
)
QUESTION = "When was the bridge opened?"
SAID = ("It ", "was ", "opened ", "in ", "1894 ", "by ", "the ", "mayor.")
"""By the language model."""
ASK: dict[str, Any] = {"query_text": QUESTION, "index_name": "default", "permission_groups": []}
FIND: dict[str, Any] = {"query_text": "bridge opened", "index_name": "default"}


AWAY_SOON_S, BACK_SOON_S = 0.05, 20.0
"""How long calls wait that follow a failed one, while MongoDB is away and when it is back: a busy machine takes long to connect."""

LOOK_S = 0.05
"""Between two looks whether there is a result. A process that has nothing to do wakes in time, and uses next to no processor."""


@dataclass(slots=True)
class Site:
    """`plan`: the faults to inject into calls, by the name of the part."""

    core: Core
    plan: Plan
    proxies: dict[str, Proxy]
    query: httpx.AsyncClient
    ingest: httpx.AsyncClient
    feedback: httpx.AsyncClient
    clock: LoopClock
    environment: pytest.MonkeyPatch

    def fail(self, fault: Fault, *parts: str) -> None:
        """Injects the fault into every call to these parts until `repair`."""
        if fault == "down":
            for part in parts:
                self.proxies[part].go_away()
        else:
            self.plan.decide = lambda number, call: fault if call.split()[0] in parts else "pass"

    def fail_once(self, fault: Action, part: str, at: int) -> None:
        """Injects the fault into one later call to the part; `at` counts from 0."""
        first = self.count(part)
        self.plan.decide = lambda number, call: fault if call.split()[0] == part and self.count(part) == first + at + 1 else "pass"

    def lose(self, fault: Fault, part: str = "mongodb", *, soon_s: float = AWAY_SOON_S) -> None:
        """Injects the fault into open connections as well; "pass" lets them fall silent."""
        self.environment.setattr(databases, "SOON_S", soon_s)
        if fault == "pass":
            self.proxies[part].freeze()
        else:
            self.fail(fault, part)
            self.proxies[part].drop()

    def repair(self) -> None:
        self.environment.setattr(databases, "SOON_S", BACK_SOON_S)
        self.plan.decide = lambda number, call: "pass"
        for proxy in self.proxies.values():
            proxy.thaw()
            proxy.go_away()
            proxy.come_back()

    def count(self, part: str) -> int:
        return len(self.calls(part))

    def calls(self, part: str) -> list[str]:
        return [call for call in self.plan.calls if call.split()[0] == part]

    async def ask(self, **changes: Any) -> Any:
        return (await self.query.post("/ask", json=ASK | changes)).json()

    async def wait(self, work: Awaitable[T], *, step_s: float = 0.25) -> tuple[T, float]:
        """The result, and the seconds that were spent waiting for a reply. They pass at once, by the loop's clock, while neither this
        process nor an engine does anything else; the machine's own time does not count."""
        started, task, proxies = self.clock.ahead, asyncio.ensure_future(work), self.proxies.values()
        while not task.done():
            before = time.monotonic(), time.process_time()
            await asyncio.wait({task}, timeout=LOOK_S)
            idle = time.monotonic() - before[0] < 2 * LOOK_S and time.process_time() - before[1] < LOOK_S / 20
            if idle and any(proxy.hanging for proxy in proxies) and not any(proxy.working for proxy in proxies):
                self.clock.advance(step_s)
        return task.result(), self.clock.ahead - started


@contextmanager
def open_filled(opensearch: str, dynamodb: str, mongodb: str, aws: str) -> Iterator[World]:
    """A world in which the documents about the bridge are READY and have their vectors."""
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("LAMBDA_TASK_ROOT", "/var/task")
        world = stack.enter_context(open_world(opensearch, dynamodb, aws))
        world.direct["mongodb"] = mongodb
        client: pymongo.MongoClient[Any] = stack.enter_context(pymongo.MongoClient(mongodb))
        stack.callback(client.drop_database, world.name)
        world.put("bridge.md", BRIDGE)
        with world.core(proxied=False) as core:
            world.deliver(core)
        yield world


@asynccontextmanager
async def open_site(
    world: World, environment: pytest.MonkeyPatch, *, auth: Auth | None = None, llm: bool = False, embedder: bool = True,
    fallback: bool = False, mcp: bool = False, caching: bool = False, ledger_s: float = LEDGER_S, clock: Clock = time.time,
    patient: bool = False,
    **settings: Any,
) -> AsyncIterator[Site]:  # fmt: skip
    """A core with its own clients, as a separate process would have. Without `caching` each question reaches every engine.
    `patient`: it waits longer than a busy machine takes; for tests of faults that do not hang."""
    cache_s, ledger_s = (PATIENT_S, PATIENT_S) if patient else (CACHE_S, ledger_s)
    plan, vectors = Plan(), FakeEmbedder()
    async with AsyncExitStack() as stack:
        model: Server = await stack.enter_async_context(serving())
        model.replies["/v1/chat/completions"] = sse(*(chunk(content=piece) for piece in SAID))
        model.replies["/v1/embeddings"] = lambda sent: Reply(body=(_embedded(vectors, sent["input"]),))
        direct = {
            "opensearch": world.direct["opensearch"], "mongodb": world.direct["mongodb"], "bus": world.direct["aws"],
            "llm": model.url, "spare": model.url, "embedder": model.url, "mcp": model.url,
            "cache": world.direct["dynamodb"], "ledger": world.direct["dynamodb"], "s3": world.direct["aws"], "sqs": world.direct["aws"],
        }  # fmt: skip
        proxies = {part: stack.enter_context(Proxy(kind, direct[part], plan, part)) for part, kind in KINDS.items()}
        environment.setenv("AWS_ENDPOINT_URL_S3", proxies["s3"].url)
        environment.setenv("AWS_ENDPOINT_URL_SQS", proxies["sqs"].url)
        environment.setenv("AWS_ENDPOINT_URL_EVENTBRIDGE", proxies["bus"].url)
        environment.setattr("footnote.adapters.mongodb.databases.CONNECT_MS", 1000)  # half; the driver's clock is not the loop's
        spare = Fallback(base_url=f"{proxies['spare'].url}/v1", model="spare") if fallback else None
        changed = {
            "opensearch": OpenSearch(url=proxies["opensearch"].url, prefix=world.name, **({"limit_s": PATIENT_S} if patient else {})),
            "db": DB(uri=SecretStr(proxies["mongodb"].url), name=world.name, statistics=f"{world.name}-statistics"),
            "auth": auth or Auth(),
            "llm": LLM(base_url=f"{proxies['llm'].url}/v1", model="m", fallback=spare) if llm else LLM(discover=False),
            "embedding": Embedding(base_url=f"{proxies['embedder'].url}/v1", model=vectors.name, dimension=vectors.dimension)
            if embedder
            else Embedding(builtin=False),
            "cache": Caching(enabled=caching),
            "mcp": MCP(mcp_enabled=mcp, gateway=f"{proxies['mcp'].url}/mcp"),
        } | settings
        core = Core(world.settings(world.direct).model_copy(update=changed), clock=clock, parser=HereParser())
        core.cache = DynamoCache(_table(world, "cache", proxies, cache_s), core.clock)
        core.vector_cache = DynamoVectorCache(_table(world, "cache", proxies, cache_s), core.clock)
        core.ledger_store = DynamoLedgerStore(_table(world, "ledger", proxies, ledger_s))
        stack.push_async_callback(core.close)
        # As in a process that has answered before; a connection that is open already would meet other faults.
        core.collections._copy, core.collections._read_at = Directory(), time.monotonic()
        clients = []
        for create_app in (create_query, create_ingest, create_feedback):
            transport = httpx.ASGITransport(create_app(lambda: core), raise_app_exceptions=False)
            clients.append(await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test")))
        site = Site(core, plan, proxies, *clients, clock=LoopClock(), environment=environment)
        stack.callback(site.repair)
        yield site


def _table(world: World, part: str, proxies: dict[str, Proxy], timeout_s: float) -> Table:
    client = make_client(timeout_s, endpoint_url=proxies[part].url)
    return Table(f"{world.name}-{part}", f"AWS__{part.upper()}_TABLE", timeout_s, client)


def _embedded(vectors: FakeEmbedder, texts: Sequence[str]) -> str:
    data = [{"object": "embedding", "index": at, "embedding": vectors.vector(text).tolist()} for at, text in enumerate(texts)]
    return json.dumps({"object": "list", "data": data, "model": vectors.name, "usage": {"prompt_tokens": 0, "total_tokens": 0}})


def says_unavailable(reply: httpx.Response, part: str) -> bool:
    """Whether a reply reports only that this part is unavailable: as a problem, or as the last event of a stream that had started."""
    assert "Traceback" not in reply.text
    assert "127.0.0.1" not in reply.text
    title = TITLES.get(part, STORAGE)
    if reply.headers["content-type"].startswith("text/event-stream"):
        *before, last = read_events(reply.text)
        return {event["type"] for event in before} <= {"step", "node"} and (last["type"], last["content"]) == ("error", title)
    problem = reply.json()
    return (reply.status_code, reply.headers["content-type"], problem.get("title")) == (503, "application/problem+json", title)


def is_part(part: str, call: str) -> bool:
    """Whether a call goes to this part; S3 and SQS share a proxy."""
    if part in ("s3", "sqs"):
        return call.startswith("aws ") and (call == "aws POST SendMessage") == (part == "sqs")
    return call.startswith(KINDS[part])


# --- files -----------------------------------------------------------------------------------------


async def upload(site: Site, name: str) -> httpx.Response:
    text = f"The {name} is a kind of tower. It has seven floors and a bell."
    return await site.ingest.post("/ingest/file", files={"file": (f"{name}.txt", text.encode())}, data={"index_name": "default"})


async def finish(site: Site) -> None:
    """Runs the worker until no job is left."""
    while await site.core.ingestor.work_one():
        pass


async def documents(site: Site, name: str) -> list[tuple[str, int]]:
    """(state, generation) of the documents of this name."""
    return [(document.state, document.generation) for document in await list_all(site.core) if document.file_name == f"{name}.txt"]


async def ids(site: Site, name: str) -> list[str]:
    return [document.doc_id for document in await list_all(site.core) if document.file_name == f"{name}.txt"]


async def answers(site: Site, name: str) -> set[str]:
    """Titles of the documents that a search for this name finds and that contain it."""
    reply = await site.query.post("/retrieve-bm25", json=FIND | {"query_text": name})
    return {hit["_source"]["title"] for hit in reply.json()["hits"]["hits"] if name in hit["_source"]["content"]}
