"""Both source systems end to end without faults: on one folder and on the engines, with two processes at once."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import httpx
import pymongo
import pytest
from pydantic import SecretStr

from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL, Session, open_session
from footnote.settings import DB, LLM, MCP, Auth, Embedding, Limits, Rag, Settings
from footnote.types import Caller
from footnote_query.app import create_app
from tests.conftest import HandClock
from tests.engines.fixtures import address
from tests.fakes import FakeEmbedder, HereParser
from tests.faults.query_world import BRIDGE, QUESTION, open_filled
from tests.functions.conftest import read_events
from tests.mcp_tools import TOKEN, tools_server
from tests.openai_server import Reply, chunk, serving, sse

PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n....").decode()
ROOM = {"room_id": "room_123", "user_id": "user_456"}
LARGEST = 400_000
"""Bytes of an item of DynamoDB."""

Read = Callable[[], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Home:
    """`events`: published since the last call. `statistics`: of chat-core's rag. `largest`: the largest cache entry, in bytes."""

    settings: Settings
    events: Read
    statistics: Read
    largest: Callable[[], int]


@dataclass(slots=True)
class Site:
    """Two processes, and the requests that the model got."""

    home: Home
    one: Core
    other: Core
    client: httpx.AsyncClient
    elsewhere: httpx.AsyncClient
    asked: list[Any]
    clock: HandClock

    async def stream(self, path: str, query: str, **body: Any) -> list[dict[str, Any]]:
        reply = await self.client.post(path, json={"query": query, **ROOM, **body})
        assert reply.status_code == 200, reply.text
        return read_events(reply.text)


# --- deployments -----------------------------------------------------------------------------------


@contextmanager
def in_a_folder(folder: Path) -> Iterator[Home]:
    settings = Settings(footnote_data=folder)
    path, seen = folder / "events.jsonl", [0]

    def events() -> list[dict[str, Any]]:
        lines = path.read_text().splitlines()[seen[0] :] if path.exists() else []
        seen[0] += len(lines)
        return [json.loads(line) for line in lines]

    async def rollups() -> list[dict[str, Any]]:
        core = Core(settings)
        found = await core.statistics.rollups(LOCAL, "2023-11-14")
        await core.close()
        return [
            {"user_id": each.user_id, "room_id": each.room_id, "llm": each.llm, "usage": each.figures}
            for each in found
            if each.search_type == "rag"
        ]

    async def fill() -> None:
        core = Core(settings, parser=HereParser())
        core.embedder = FakeEmbedder(languages=None)
        await core.ingestor.accept(LOCAL, BRIDGE, file_name="bridge.md", collection="default", permission_groups=["staff"])
        while await core.ingestor.work_one() or await core.ingestor.embed_some():
            pass
        await core.close()

    _run(fill())
    yield Home(settings, events, lambda: _run(rollups()), lambda: 0)


@contextmanager
def between_engines() -> Iterator[Home]:
    with open_filled(*map(address, ("opensearch", "dynamodb", "mongodb", "aws"))) as world, pytest.MonkeyPatch.context() as environment:
        for service in ("S3", "SQS", "EVENTBRIDGE"):
            environment.setenv(f"AWS_ENDPOINT_URL_{service}", world.direct["aws"])
        environment.setenv("AWS_ENDPOINT_URL_DYNAMODB", world.direct["dynamodb"])
        bus, tables = boto3.client("events"), boto3.client("dynamodb")
        queue_url = world.sqs.create_queue(QueueName=f"{world.name}-events")["QueueUrl"]
        arn = world.sqs.get_queue_attributes(QueueUrl=queue_url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        bus.create_event_bus(Name=world.name)
        bus.put_rule(Name="all", EventBusName=world.name, EventPattern=json.dumps({"source": ["footnote"]}))
        bus.put_targets(Rule="all", EventBusName=world.name, Targets=[{"Id": "queue", "Arn": arn}])
        client: pymongo.MongoClient[Any] = pymongo.MongoClient(world.direct["mongodb"])
        statistics = f"{world.name}-statistics"

        def events() -> list[dict[str, Any]]:
            found = []
            while messages := world.sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10).get("Messages"):
                for message in messages:
                    found.append(json.loads(message["Body"]))
                    world.sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])
            return found

        def largest() -> int:
            pages = tables.get_paginator("scan").paginate(TableName=f"{world.name}-cache")
            return max(len(json.dumps(item, default=lambda value: bytes(value).hex())) for page in pages for item in page["Items"])

        db = DB(uri=SecretStr(world.direct["mongodb"]), name=world.name, statistics=statistics)
        settings = world.settings(world.direct)
        changes = {"db": db, "aws": settings.aws.model_copy(update={"event_bus": world.name})}
        yield Home(settings.model_copy(update=changes), events, lambda: list(client[statistics]["rag"].find()), largest)
        client.drop_database(statistics)
        bus.remove_targets(Rule="all", EventBusName=world.name, Ids=["queue"])
        bus.delete_rule(Name="all", EventBusName=world.name)
        bus.delete_event_bus(Name=world.name)
        world.sqs.delete_queue(QueueUrl=queue_url)
        for each in (client, bus, tables):
            each.close()


def _run(work: Any) -> Any:
    """Runs a coroutine in fixtures without an event loop and in tests with one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@pytest.fixture(scope="module", params=["in a folder", "between engines"])
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    if request.param == "in a folder":
        with in_a_folder(tmp_path_factory.mktemp("both")) as made:
            yield made
    else:
        for engine in ("opensearch", "dynamodb", "mongodb", "aws"):
            request.getfixturevalue(f"{engine}_url")
        with between_engines() as made:
            yield made


@pytest.fixture(scope="module")
def gateway() -> Iterator[str]:
    with tools_server() as url:
        yield url


@pytest.fixture
async def open_site(home: Home, gateway: str, clock: HandClock) -> AsyncIterator[Callable[..., Any]]:
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(serving())
        asked: list[Any] = []

        def reply(sent: Any) -> Reply:
            asked.append(sent)
            return says(sent)

        model.replies["/v1/chat/completions"] = reply

        async def open_(*, tools: bool = False, **changes: Any) -> Site:
            common = {
                "embedding": Embedding(builtin=False),
                "llm": LLM(base_url=f"{model.url}/v1", model="m", vision_model="sees", allowed_models=["m", "other"]),
                "mcp": MCP(mcp_enabled=tools, gateway=gateway, token=SecretStr(TOKEN), search_tool="none"),
                "rag": Rag(forbidden_check_mode="qdrant"),
            }
            cores, clients = [], []
            for _ in range(2):
                core = Core(home.settings.model_copy(update=common | changes), clock=clock, parser=HereParser())
                core.embedder = FakeEmbedder(languages=None)
                stack.push_async_callback(core.close)
                transport = httpx.ASGITransport(create_app(lambda core=core: core), raise_app_exceptions=False)  # type: ignore[misc]
                clients.append(await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test")))
                cores.append(core)
            return Site(home, *cores, *clients, asked=asked, clock=clock)

        yield open_


def says(sent: Any) -> Reply:
    """A model that rewrites, describes images, calls a tool once, cites in each style, and gives no facts without passages."""
    text, tools = json.dumps(sent["messages"]), [tool["function"]["name"] for tool in sent.get("tools", ())]
    if "queries" in text:
        return text_reply('{"queries": ["Who opened the bridge?"]}')
    if "Fix typos and unclear" in text:
        return text_reply('{"query": ""}')
    if "image_url" in text:
        return text_reply("A blue bridge.")
    if "mcp_add" in tools and not any(message["role"] == "tool" for message in sent["messages"]):
        calls = [("search_documents", {"query": QUESTION}), ("mcp_add", {"a": 1894, "b": 100})]
        made = [
            {"index": i, "id": f"c{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, (name, arguments) in enumerate(calls)
        ]
        return sse({"choices": [{"index": 0, "delta": {"tool_calls": made}}]})
    if "SOURCES_USED" in text:
        return text_reply("The mayor opened it in 1894.\nSOURCES_USED: 1")
    if found := re.search(r"bridge-[0-9a-f]{6}", text):
        return text_reply(f"It was opened in 1894 by the mayor. [^{found[0]}]")
    return text_reply("In 1894, by the mayor [1]." if "1894" in text else "Hello.")


def text_reply(text: str) -> Reply:
    usage = {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}
    return sse(*(chunk(content=text[at : at + 7]) for at in range(0, len(text), 7)), usage)


# --- chat-core -------------------------------------------------------------------------------------


async def test_a_conversation_of_chat_core_has_its_follow_up_tokens_figures_and_events(open_site: Any) -> None:
    site: Site = await open_site()
    site.home.events()
    first = await site.stream("/v2/rag/query", QUESTION)
    assert [event["type"] for event in first if event["type"] != "token"] == ["step", "debug", "step", "step", "done"]
    assert "".join(event["content"] for event in first if event["type"] == "token") == "The mayor opened it in 1894."
    assert [reference["file_name"] for reference in first[-1]["references"]] == ["bridge.md"]
    assert (first[-1]["usage"]["total_tokens"], first[-1]["degraded"], first[-1]["persisted"]) == (110, False, True)
    second = await site.stream("/v2/rag/query", "And who did that?")
    debug = next(event["content"] for event in second if event["type"] == "debug")
    assert (debug, len(site.asked)) == ('Query rewriting complete: "Who opened the bridge?"', 3)
    assert second[-1]["usage"]["total_tokens"] == 220
    assert (await site.client.get("/v2/rag/tokens", params=ROOM)).json() == {"tokens": 330}

    (figures,) = site.home.statistics()
    assert {name: figures[name] for name in ("user_id", "room_id", "llm")} == {**ROOM, "llm": "m"}
    assert {name: figures["usage"][name] for name in ("prompt_tokens", "total_tokens")} == {"prompt_tokens": 300, "total_tokens": 330}
    await asyncio.gather(site.one.announcer.drain(), site.other.announcer.drain())
    events = site.home.events()
    assert [event["detail-type"] for event in events] == ["analytics.query.submitted", "analytics.response.generated"] * 2
    assert (events[-1]["detail"]["citation_count"], events[-1]["detail"]["user_id"]) == (1, "user_456")

    await site.stream("/v2/rag/query", QUESTION, is_test=True)
    assert (await site.client.get("/v2/rag/tokens", params=ROOM)).json() == {"tokens": 330}
    assert site.home.statistics()[0]["usage"]["total_tokens"] == 330


async def test_the_other_modes_of_chat_core(open_site: Any) -> None:
    site: Site = await open_site(tools=True)
    gpt = await site.stream("/v2/gpt/query", "Say hello.")
    assert (gpt[-1]["final_response"], gpt[-1]["references"], gpt[-1]["search_type"]) == ("Hello.", [], "gpt")
    pa = await site.stream("/v2/pa/query", f"{QUESTION} And a hundred years later?")
    assert (pa[-1]["final_response"], pa[-1]["degraded"]) == ("In 1894, by the mayor [1].", False)
    assert [reference["file_name"] for reference in pa[-1]["references"]] == ["bridge.md"]
    outputs = [message["content"] for message in site.asked[-1]["messages"] if message["role"] == "tool"]
    assert "was opened in 1894" in outputs[0]
    assert "1994" in outputs[1]
    vision = await site.stream("/v2/vision/query", "What is it?", images=[PNG])
    assert (vision[-1]["final_response"], site.asked[-1]["model"]) == ("A blue bridge.", "sees")
    assert (await site.client.get("/v2/rag/tokens", params=ROOM | {"user_id": "somebody"})).json() == {"tokens": 0}


# --- the chat service ------------------------------------------------------------------------------


async def test_the_chat_service_with_a_session_a_preference_and_a_limit(open_site: Any) -> None:
    limits = Limits(user_per_minute=5, address_per_minute=0)
    site: Site = await open_site(auth=Auth(mode="session"), limits=limits)
    store: dict[str, Any] = {"cache": site.one.cache, "records": site.one.records, "now": site.clock()}
    tokens = [await open_session(session, 3600, **store) for session in (Session("ann", ("staff",)), Session("eve", ("staff",), "admin"))]
    ann, admin = ({"authorization": f"Bearer {token}"} for token in tokens)
    assert (await site.client.post("/chat", json={"query": QUESTION})).status_code == 401
    assert (await site.client.put("/me/preferences", json={"model_id": "none"}, headers=ann)).status_code == 422
    assert (await site.client.put("/me/preferences", json={"model_id": "other"}, headers=ann)).status_code == 200
    asked = {"query": QUESTION, "session_id": "s1"}
    reply = await site.elsewhere.post("/chat", json=asked, headers=ann)
    body = reply.json()
    assert (body["answer"], [source["title"] for source in body["citations"]]) == ("In 1894, by the mayor [1].", ["Records of the bridge"])
    assert site.asked[-1]["model"] == "other"
    assert (await site.client.get(f"/turns/{reply.headers['x-trace-id']}", headers=ann)).status_code == 200
    assert (await site.client.get(f"/turns/{reply.headers['x-trace-id']}", headers=admin)).status_code == 404
    replies = [await site.client.post("/chat", json=asked | {"model_id": "m"}, headers=ann) for _ in range(5)]
    assert [reply.status_code for reply in replies] == [200] * 4 + [429]
    assert replies[-1].headers["retry-after"].isdigit()

    listed = (await site.client.get("/sessions", headers=admin)).json()["data"]
    (session,) = [each["session_id"] for each in listed if each["user_id"] == "ann"]
    assert (await site.elsewhere.get("/sessions", headers=ann)).status_code == 403
    assert (await site.client.delete(f"/sessions/{session}", headers=admin)).status_code == 204
    assert (await site.elsewhere.get("/conversations", headers=ann)).status_code == 401
    site.clock.advance(3601)
    assert (await site.client.get("/sessions", headers=admin)).status_code == 401


# --- policy and caches -----------------------------------------------------------------------------


async def test_changes_of_an_admin_reach_other_processes_within_5_seconds(open_site: Any) -> None:
    site: Site = await open_site()
    site.clock.advance(60)  # after the records of other tests
    ask = {"query_text": "What is the salary of the mayor?", "index_name": "default", "permission_groups": []}

    async def follow(rrf_k: int, *saved: str) -> None:
        """A policy check that takes longer than a request waits for it applies to the next request."""
        site.clock.advance(5)
        async with asyncio.timeout(10):
            while (site.other.settings.rag.rrf_k, tuple(site.other.prompts.saved)) != (rrf_k, saved):
                await site.other.refresh()
                await asyncio.sleep(0.01)

    async def outcome() -> str:
        return str((await site.elsewhere.post("/ask", json=ask)).json()["outcome"])

    assert await outcome() != "forbidden"
    changes = {
        "/settings/rag.rrf_k": {"value": 17},
        "/prompts/answer_footnote": {"lang": "en", "template": "Speak like the mayor."},
        "/forbidden-terms/salary": {"match_type": "exact", "topic": "Pay"},
    }
    for path, body in changes.items():
        assert (await site.client.put(path, json=body)).status_code == 200
    await follow(17, "answer_footnote.en")
    assert await outcome() == "forbidden"
    await site.elsewhere.post("/ask", json=ask | {"query_text": "Who opened the bridge?"})
    assert "Speak like the mayor." in json.dumps(site.asked[-1])
    assert (await site.client.put("/prompts/answer_footnote", json={"lang": "en", "template": "{{ nothing }}"})).status_code == 422
    assert (await site.client.put("/settings/rag.rrf_k", json={"value": None})).status_code == 200
    assert (await site.client.delete("/prompts/answer_footnote", params={"lang": "en"})).status_code == 204
    assert (await site.client.delete("/forbidden-terms/salary")).status_code == 204
    await follow(30)
    assert await outcome() != "forbidden"
    log = (await site.elsewhere.get("/audit")).json()["data"]
    assert sorted(entry["action"] for entry in log[:3]) == ["prompt.reset", "setting.reset", "term.delete"]
    assert sorted(entry["action"] for entry in log[3:6]) == ["prompt.set", "setting.set", "term.set"]
    assert "mayor" not in json.dumps(log)


async def test_answers_and_searches_are_used_by_another_process_and_no_entry_is_too_large(open_site: Any) -> None:
    site: Site = await open_site()
    site.clock.advance(86_400)
    ask = {"query_text": "When was the bridge opened by the mayor?", "index_name": "default", "permission_groups": []}
    outcomes = [(await client.post("/ask", json=ask)).json()["outcome"] for client in (site.client, site.elsewhere)]
    assert outcomes == ["answered", "cached"]
    calls = len(site.asked)
    streams = [await site.stream("/v2/rag/query", "Who opened the bridge?", room_id=f"r{number}") for number in range(2)]
    assert len(site.asked) - calls == 2
    block = await site.one.turns.get(Caller("user_456"), streams[1][-1]["trace_id"])
    assert [span["detail"]["hits"] for span in block["spans"] if span["name"] == "recall"] == [1]
    assert site.home.largest() < LARGEST
