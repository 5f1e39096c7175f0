"""A search engine that is slow for one kind of search: its list is left out, and the answer says so.

A server in front of the real engine holds back the requests whose body contains a given word, as long as it is told to. Meanwhile the
loop's clock is advanced.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from aiohttp import ClientSession, web

from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.ports import ChunkVectors
from footnote.settings import LLM, Embedding, OpenSearch, Settings
from footnote_query.app import create_app
from tests.contracts.backends_opensearch import delete_indexes, opensearch_settings
from tests.fakes import FakeEmbedder, LoopClock, make_chunk, make_document, put_document
from tests.functions.conftest import as_caller

LIMIT_S, STEP_S = 9.0, 0.75
"""Of a search: a third of it is longer than a search takes on a busy machine. What passes at once while nothing else is done."""
FOR_EVER = 600.0
WORDS, VECTORS = b'"match":{"tokens"', b'"knn":'
TEXT = "The bridge was opened in 1894."
ASK: dict[str, Any] = {"query_text": "When was the bridge opened?", "index_name": "default", "permission_groups": [], "debug": True}
FIND: dict[str, Any] = {"query_text": "bridge opened", "index_name": "default"}


@dataclass(slots=True)
class SlowEngine:
    """`slow`: a part of the body → seconds for which such a request is held back."""

    target: str
    url: str = ""
    slow: dict[bytes, float] = field(default_factory=dict)
    given_up: list[bytes] = field(default_factory=list)
    """The parts of requests whose client did not wait."""
    held: int = 0
    working: int = 0
    """Requests that are held back, and the others that have no reply yet."""

    async def forward(self, request: web.Request) -> web.Response:
        body = await request.read()
        for part, seconds in self.slow.items():
            if part in body:
                self.held += 1
                try:
                    await asyncio.sleep(seconds)
                except asyncio.CancelledError:
                    self.given_up.append(part)
                    raise
                finally:
                    self.held -= 1
        self.working += 1
        try:
            return await self._reply(request, body)
        finally:
            self.working -= 1

    async def _reply(self, request: web.Request, body: bytes) -> web.Response:
        headers = {"content-type": request.content_type}
        async with (
            ClientSession() as session,
            session.request(request.method, self.target + request.path_qs, data=body, headers=headers) as reply,
        ):
            return web.Response(status=reply.status, body=await reply.read(), content_type=reply.content_type)


@asynccontextmanager
async def in_front_of(target: str) -> AsyncIterator[SlowEngine]:
    engine, app = SlowEngine(target), web.Application(client_max_size=2**24)
    app.router.add_route("*", "/{path:.*}", engine.forward)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0]
    engine.url = f"http://{host}:{port}"
    try:
        yield engine
    finally:
        engine.slow.clear()
        await runner.cleanup()


@dataclass(slots=True)
class World:
    engine: SlowEngine
    core: Core
    client: httpx.AsyncClient
    clock: LoopClock

    async def ask(self, **changes: Any) -> Any:
        return (await self._post("/ask", ASK | changes)).json()

    async def find(self, retriever: str, **changes: Any) -> httpx.Response:
        return await self._post(f"/retrieve-{retriever}", FIND | changes)

    async def _post(self, path: str, body: Any) -> httpx.Response:
        task = asyncio.ensure_future(self.client.post(path, json=body))
        while not (await asyncio.wait({task}, timeout=0.05))[0]:
            if self.engine.held and not self.engine.working:
                self.clock.advance(STEP_S)
        return task.result()


@pytest.fixture
async def world(opensearch_url: str, tmp_path: Path) -> AsyncIterator[World]:
    direct: OpenSearch = opensearch_settings(opensearch_url, tmp_path)
    async with in_front_of(opensearch_url) as engine:
        search = direct.model_copy(update={"url": engine.url, "limit_s": LIMIT_S})
        core = Core(Settings(footnote_data=tmp_path, opensearch=search, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
        embedder = core.embedder = FakeEmbedder()
        document = make_document("bridge")
        await put_document(core.generations, document, [TEXT])
        vector = np.asarray((await embedder.embed([TEXT], query=False))[0], np.float32)
        await core.vectors.put_vectors(embedder.name, [ChunkVectors(make_chunk(document, TEXT).chunk_id, vector)])
        transport = httpx.ASGITransport(as_caller(LOCAL, create_app)(lambda: core))
        async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test", timeout=60) as client:
            yield World(engine, core, client, LoopClock())
        await core.close()
        await delete_indexes(direct)


@pytest.mark.sample(1)
@pytest.mark.parametrize(("slow", "missing", "there"), [(VECTORS, "cosine", "bm25"), (WORDS, "bm25", "cosine")], ids=["vectors", "words"])
async def test_a_list_that_is_late_is_left_out_and_the_answer_names_it(world: World, slow: bytes, missing: str, there: str) -> None:
    await world.ask(query_text="Who painted the ferry?")  # connects, and scores the everyday questions
    world.engine.slow[slow] = FOR_EVER
    late = await world.ask()
    assert (late["degraded"], late["warnings"], late["debug"]["lists_missing"]) == (True, [f"missing_{missing}"], [missing])
    assert [citation["doc_id"] for citation in late["citations"]] == ["bridge"]
    times = late["debug"]["latency_map"]
    assert times[there] + LIMIT_S / 3 * 1000 <= times[missing] + 1
    assert slow in world.engine.given_up
    assert {score for hit in late["hits"] for score in ("bm25", "cosine") if hit[score] is not None} == {there}
    found = (await world.find("rrf")).json()
    assert (found["timed_out"], [hit["_id"] for hit in found["hits"]["hits"]]) == (True, ["bridge#000"])
    world.engine.slow.clear()
    again = await world.ask()  # nothing of the incomplete search was cached
    assert (again["degraded"], again["warnings"], again["debug"]["lists_missing"]) == (False, [], [])
    assert {"bm25", "cosine"} <= again["debug"]["latency_map"].keys()
    assert (await world.find("rrf")).json()["timed_out"] is False


async def test_a_search_that_has_found_nothing_waits_for_the_other_list(world: World) -> None:
    unknown = "wallaby"
    await world.find("rrf", query_text=unknown)
    world.engine.slow[VECTORS] = LIMIT_S / 2
    found = (await world.find("rrf", query_text=unknown)).json()
    assert (found["timed_out"], [hit["_id"] for hit in found["hits"]["hits"]]) == (False, ["bridge#000"])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("retriever", "slow"), [("bm25", [WORDS]), ("knn", [VECTORS]), ("rrf", [WORDS, VECTORS])], ids=["words alone", "vectors alone", "both"]
)
async def test_where_no_list_comes_the_search_is_unavailable(world: World, retriever: str, slow: list[bytes]) -> None:
    world.engine.slow |= dict.fromkeys(slow, FOR_EVER)
    reply = await world.find(retriever)
    assert (reply.status_code, json.loads(reply.text)["title"]) == (503, "Search is not available")
