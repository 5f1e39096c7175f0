"""kill -9 while a question with an `Idempotency-Key` is answered: when the question is sent again, the turn continues, and
no model call is repeated and no event announced twice."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from time import perf_counter
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient

from tests.contracts.backends_rerank import jina
from tests.engines.fixtures import address
from tests.fakes import make_document, put_document
from tests.faults.keyed_turn import LOCAL, Asked, ask, make_core
from tests.nightly import DEEP
from tests.openai_server import Reply, Server, chunk, serving, sse

RANDOM_KILLS = 30 if DEEP else 5
ROWS_BETWEEN = 1 if DEEP else 9
"""Rows that run between two kills."""
LEASE_S = 11.0
ROOM = "r1"
RAG = {"query": "And how often is it painted?", "room_id": ROOM}
AGENT = {"query": "How often is the bridge painted?"}
ANSWER = "The bridge is painted blue every ten years"


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.keyed_turn"])
    first = context.Process(target=bool)  # imports what is preloaded: no single test is to pay for it
    first.start()
    first.join()
    return context


@dataclass(slots=True)
class World:
    """A filled folder, copied for each trial, and the model's server."""

    folder: Path
    server: Server
    processes: ForkServerContext
    mongodb: bool
    databases: str
    """What the names of its MongoDB databases begin with: tests run side by side."""
    trials: int = 0
    process: ForkServerProcess | None = None

    async def trial(self, path: str, body: dict[str, Any], *, reranks: bool = False) -> Asked:
        self.trials += 1
        folder = self.folder.parent / f"trial{self.trials}"
        shutil.copytree(self.folder, folder)
        self.server.requests.clear()
        name = f"{self.databases}_{self.trials}"
        remote = (address("mongodb"), name, f"{name}_statistics") if self.mongodb else None
        asked = Asked(folder, self.server.url, path, body, key=f"key-{self.trials}", remote=remote, reranks=reranks)
        core = make_core(asked)
        await core.terms.save(LOCAL, "bridge")
        await core.close()
        return asked

    async def run(self, asked: Asked, *, dies_after_s: float | None = None) -> tuple[Any, float]:
        """(the reply as (status, body), or None where the process was killed; seconds from the beginning)"""
        ours, theirs = self.processes.Pipe(duplex=False)
        self.process = self.processes.Process(target=ask, args=(asked, theirs))
        return await asyncio.to_thread(_wait, self.process, ours, theirs, dies_after_s)

    @property
    def prompts(self) -> Counter[str]:
        return Counter(json.dumps(sent["messages"]) for path, _, sent in self.server.requests if path == "/v1/chat/completions")

    @property
    def reranked(self) -> list[list[str]]:
        """The texts of each request to the reranker."""
        return [sent["documents"] for path, _, sent in self.server.requests if path == "/rerank"]


def _wait(process: ForkServerProcess, ours: Any, theirs: Any, dies_after_s: float | None) -> tuple[Any, float]:
    process.start()
    theirs.close()
    reply = None
    try:
        assert ours.recv() == "begins"
        begun = perf_counter()
        if ours.poll(dies_after_s):
            reply = ours.recv()
    except EOFError:  # it killed itself, or the test did
        pass
    took = perf_counter() - begun
    process.kill() if reply is None else None
    process.join()
    ours.close()
    return reply, took


def answer(sent: Any) -> Reply:
    """The reply of the model by its prompt, streamed word by word."""
    prompt = json.dumps(sent["messages"])
    if '\\"queries\\"' in prompt:
        said = json.dumps({"queries": ["How often is the bridge painted?"]})
    elif '\\"decision\\"' in prompt:
        said = json.dumps({"decision": "allow"})
    elif sent.get("tools") and '"role": "tool"' not in prompt:
        call = {
            "index": 0,
            "id": "c1",
            "type": "function",
            "function": {"name": "search_documents", "arguments": '{"query": "bridge painted"}'},
        }
        return sse(0.01, chunk(tool_calls=[call]))
    else:
        said = f"{ANSWER} [1]." if sent.get("tools") else f"{ANSWER}. \nSOURCES_USED: 1"
    pieces: list[Any] = [piece for word in said.split(" ") for piece in (0.002, chunk(content=word + " "))]
    return sse(*pieces)


@pytest.fixture(params=["sqlite", pytest.param("mongodb", marks=pytest.mark.nightly)])
async def world(request: pytest.FixtureRequest, tmp_path: Path, processes: ForkServerContext) -> AsyncIterator[World]:
    mongodb = request.param == "mongodb"
    if mongodb:
        request.getfixturevalue("mongodb_url")
    async with serving() as server:
        server.replies["/v1/chat/completions"] = answer
        server.replies["/rerank"] = jina
        folder = tmp_path / "filled"
        core = make_core(Asked(folder, server.url, "", {}))
        for doc_id, text in (
            ("bridge", "The bridge was built in 1894. The bridge is painted blue every ten years."),
            ("ferry", "A ferry costs 4 euros."),
        ):
            await put_document(core.generations, make_document(doc_id), [text])
        await core.close()
        made = World(folder, server, processes, mongodb, f"footnote_keyed_{uuid4().hex[:12]}")
        yield made
        if mongodb:
            with MongoClient(address("mongodb")) as client:
                for name in client.list_database_names():
                    if name.startswith(made.databases):
                        client.drop_database(name)


@dataclass(frozen=True, slots=True)
class Effects:
    """The side effects of a turn: announcements by kind, tokens counted in the user's budget, turns in the statistics."""

    announced: Counter[str]
    spent: int
    counted: int


def effects(asked: Asked) -> Effects:
    path = asked.folder / "events.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    with closing(sqlite3.connect(asked.folder / "store.db")) as store:
        spent = store.execute("SELECT coalesce(sum(value), 0) FROM cache WHERE key LIKE 'budget:tokens:ann:%'").fetchone()[0]
        rollups = [json.loads(row[0]) for row in store.execute("SELECT figures FROM rollups")]
    if asked.remote is not None:
        with MongoClient(asked.remote[0]) as client:
            rollups = [
                each["figures"] for name in client[asked.remote[2]].list_collection_names() for each in client[asked.remote[2]][name].find()
            ]
    return Effects(Counter(json.loads(line)["detail-type"] for line in lines), int(spent), sum(each["turns"] for each in rollups))


def at_night(row: str) -> Any:
    return pytest.param(row, marks=pytest.mark.nightly)


BOTH = Counter({"analytics.query.submitted": 1, "analytics.response.generated": 1})


@pytest.mark.parametrize(
    ("path", "body", "calls"),
    [pytest.param("/v2/rag/query", RAG, 4, id="rag"), pytest.param("/v2/pa/query", AGENT, 6, id="agent", marks=pytest.mark.nightly)],
)
async def test_killed_before_each_row_in_turn_no_model_call_is_repeated(world: World, path: str, body: dict[str, Any], calls: int) -> None:
    """Each attempt runs ROWS_BETWEEN rows more than the one before it, and is killed."""
    asked = await world.trial(path, body)
    if "room_id" in body:
        await world.run(replace(asked, key=None, body={"query": "When was the bridge built?", "room_id": ROOM}))
        world.server.requests.clear()
    before, traces, tries, reply = effects(asked), set(), 0, None
    while reply is None:
        reply, _ = await world.run(replace(asked, ahead_s=tries * LEASE_S, dies_at=tries * ROWS_BETWEEN))
        tries += 1
    status, done = reply
    assert (status, done["type"], done["persisted"], done["final_response"].startswith(ANSWER)) == (200, "done", True, True)
    assert [reference["p_id"] for reference in done["references"]] == ["bridge#000"]
    assert tries * ROWS_BETWEEN > 15
    assert sorted(world.prompts.values()) == [1] * calls
    after = effects(asked)
    assert after.counted == before.counted + 1
    assert all((after.announced - before.announced)[kind] <= 1 for kind in BOTH)
    traces.add(done["trace_id"])
    again, _ = await world.run(replace(asked, ahead_s=tries * LEASE_S))
    assert again == (200, done)
    assert (sum(world.prompts.values()), effects(asked)) == (calls, after)


@pytest.mark.parametrize("row", [*map(at_night, ("forbidden_check", "check", "release", "save")), "generate"])
async def test_a_resumed_turn_is_announced_charged_and_counted_once(world: World, row: str) -> None:
    asked = await world.trial("/v2/rag/query", {"query": "How often is the bridge painted?"})
    assert (await world.run(replace(asked, dies_at=row)))[0] is None
    (status, done), _ = await world.run(replace(asked, ahead_s=LEASE_S))
    assert (status, done["type"]) == (200, "done")
    after = effects(asked)
    if row in ("forbidden_check", "generate"):  # the process may have died before it published the question, which it did in the background
        after.announced["analytics.query.submitted"] = 1
    assert after == Effects(BOTH, done["usage"]["total_tokens"], 1)
    assert sorted(world.prompts.values()) == [1, 1, 1]


BOTH_ASKED = {"query": "How often are the bridge and the ferry painted?"}


@pytest.mark.parametrize("row", [*map(at_night, ("rerank", "cut", "save")), "generate"])
async def test_killed_before_a_row_the_reranker_is_asked_once(world: World, row: str) -> None:
    asked = await world.trial("/v2/rag/query", BOTH_ASKED, reranks=True)
    assert (await world.run(replace(asked, dies_at=row)))[0] is None
    assert len(world.reranked) == (row != "rerank")
    (_, done), _ = await world.run(replace(asked, ahead_s=LEASE_S))
    assert (done["type"], done["degraded"], len(world.reranked)) == ("done", False, 1)
    again = await world.trial("/v2/rag/query", BOTH_ASKED, reranks=True)
    (_, usual), _ = await world.run(again)
    assert [reference["p_id"] for reference in done["references"]] == [reference["p_id"] for reference in usual["references"]] != []


@pytest.mark.nightly
async def test_where_a_passage_is_gone_the_reranker_is_asked_about_the_others(world: World) -> None:
    asked = await world.trial("/v2/rag/query", BOTH_ASKED, reranks=True)
    core = make_core(asked)
    await put_document(core.generations, make_document("tower"), ["The tower is painted when the ferry is."])
    await core.close()
    assert (await world.run(replace(asked, dies_at="generate")))[0] is None
    core = make_core(asked)
    await core.generations.remove("bridge", 1)
    await core.close()
    (_, done), _ = await world.run(replace(asked, ahead_s=LEASE_S))
    assert [reference["p_id"] for reference in done["references"]] == ["tower#000"]
    before, after = world.reranked
    assert (len(before), len(after), any("bridge" in text for text in after)) == (3, 2, False)


@pytest.mark.nightly
async def test_killed_at_random_moments_only_interrupted_calls_are_repeated(world: World, seed: str) -> None:
    chance, killed = random.Random(seed), 0
    _, usual_s = await world.run(await world.trial("/v2/pa/query", AGENT))
    while killed < RANDOM_KILLS:
        asked, kills, reply = await world.trial("/v2/pa/query", AGENT), 0, None
        while reply is None:
            reply, _ = await world.run(replace(asked, ahead_s=kills * LEASE_S), dies_after_s=chance.uniform(0, usual_s))
            kills += reply is None
        killed += kills
        done = reply[1]
        assert (done["type"], done["final_response"]) == ("done", f"{ANSWER} [1].")
        paid = world.prompts
        assert (len(paid), sum(paid.values()) <= len(paid) + kills) == (6, True)
        after = effects(asked)
        assert after.counted == 1 or (world.mongodb and after.counted == 0)  # killed between its two databases: the next roll-up counts it
        assert all(count <= 1 for count in after.announced.values())
        assert after.spent in (0, done["usage"]["total_tokens"])  # 0: killed between the mark and the sum


async def test_a_document_withdrawn_in_between_is_not_in_the_answer(world: World) -> None:
    asked = await world.trial("/v2/rag/query", {"query": "How often is the bridge painted?"})
    assert (await world.run(replace(asked, dies_at="check")))[0] is None
    core = make_core(asked)
    await core.generations.remove("bridge", 1)
    await core.close()
    (status, done), _ = await world.run(replace(asked, ahead_s=LEASE_S))
    assert (status, done["references"]) == (200, [])
    assert "painted" not in done["final_response"]


async def test_an_interrupted_generation_is_repeated_and_counted(world: World) -> None:
    asked = await world.trial("/v2/rag/query", {"query": "How often is the bridge painted?"})
    begun = asyncio.Event()

    def hang(sent: Any) -> Reply:
        if "SOURCES_USED" not in json.dumps(sent["messages"]):
            return answer(sent)
        begun.set()
        return sse(chunk(content="The"), 60.0)

    world.server.replies["/v1/chat/completions"] = hang
    running = asyncio.create_task(world.run(asked))
    await begun.wait()
    assert world.process is not None
    world.process.kill()
    assert (await running)[0] is None
    world.server.replies["/v1/chat/completions"] = answer
    (_, done), _ = await world.run(replace(asked, ahead_s=LEASE_S))
    whole = await world.trial("/v2/rag/query", {"query": "How often is the bridge painted?"})
    (_, usual), _ = await world.run(whole)
    assert done["final_response"] == usual["final_response"]
    assert done["usage"]["prompt_tokens"] > usual["usage"]["prompt_tokens"]
    assert done["usage"]["completion_tokens"] == usual["usage"]["completion_tokens"]
