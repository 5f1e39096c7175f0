"""Every way in which something can be learnt: a channel asks as a person, and gives all that came back, headers too."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx

from tests.leaks.world import GROUPS, ROOM, SECRET, World, asked_by

Channel = Callable[[World, str], AsyncIterator[httpx.Response]]
QUESTION = "When was the bridge over the river built?"
RETRIEVE = {"index_name": "default", "query_text": QUESTION, "permission_groups": [], "num_result_doc": 50}
ASK = {"query_text": QUESTION, "index_name": "default", "permission_groups": [], "num_result_doc": 20}
V2 = {"collection_name": "default", "query": QUESTION, "room_id": ROOM}


async def ask_retrieve(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Nor does a total count what may not be read; and no request gives itself groups."""
    listed = (await world.call(person, "ingest", "GET", "/documents", params={"limit": 200})).json()["data"]
    readable = sum(document["chunks"] for document in listed)
    for retriever in ("rrf", "bm25", "knn", "cc"):
        for groups in ([], [*GROUPS, "user:ann", "role:admin"]):
            reply = await world.call(person, "query", "POST", f"/retrieve-{retriever}", json=RETRIEVE | {"permission_groups": groups})
            assert reply.json()["hits"]["total"]["value"] <= readable, (retriever, groups)
            yield reply


async def ask_trd(world: World, person: str) -> AsyncIterator[httpx.Response]:
    reply = await world.call(person, "query", "POST", "/ask", json=ASK | {"debug": True, "room_id": ROOM})
    world.trace(person, reply)
    yield reply
    yield await world.call(person, "query", "POST", "/ask/stream", json=ASK | {"query_text": f"{QUESTION} {asked_by(person)}"})


async def ask_chat_core(world: World, person: str) -> AsyncIterator[httpx.Response]:
    for route in ("rag", "gpt", "pa"):
        reply = await world.call(person, "query", "POST", f"/v2/{route}/query", json=V2 | {"user_id": person, "search_type": route})
        world.trace(person, reply)
        yield reply
    yield await world.call(person, "query", "GET", "/v2/rag/tokens", params={"room_id": ROOM, "user_id": person})


async def ask_chat_service(world: World, person: str) -> AsyncIterator[httpx.Response]:
    reply = await world.call(person, "query", "POST", "/chat", json={"query": QUESTION, "session_id": ROOM})
    world.trace(person, reply)
    yield reply


async def ask_openai(world: World, person: str) -> AsyncIterator[httpx.Response]:
    yield await world.call(person, "query", "GET", "/v1/models")
    body = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
    yield await world.call(person, "query", "POST", "/v1/chat/completions", json=body)


async def ask_dify(world: World, person: str) -> AsyncIterator[httpx.Response]:
    body = {"knowledge_id": "default", "query": QUESTION, "retrieval_setting": {"top_k": 20, "score_threshold": 0.0}}
    yield await world.call(person, "query", "POST", "/retrieval", json=body)


async def ask_mcp(world: World, person: str) -> AsyncIterator[httpx.Response]:
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    calls: list[tuple[str, dict[str, Any]]] = [("search", {"query": QUESTION}), ("ask", {"question": QUESTION}), ("list_collections", {})]
    calls += [("fetch", {"id": doc_id}) for doc_id in [*world.documents, *(kept.doc_id for kept in world.gone[-3:])]]
    for name, arguments in calls:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        yield await world.call(person, "query", "POST", "/mcp", json=body, headers=headers)


async def list_collections(world: World, person: str) -> AsyncIterator[httpx.Response]:
    yield await world.call(person, "query", "GET", "/collections")


async def read_documents(world: World, person: str) -> AsyncIterator[httpx.Response]:
    yield await world.call(person, "ingest", "GET", "/documents", params={"limit": 200})
    for kept in [*world.documents.values(), *world.gone[-3:]]:
        for path in (f"/documents/{kept.doc_id}", f"/documents/{kept.doc_id}/content", f"/documents/{kept.doc_id}/content?as=text"):
            yield await world.call(person, "ingest", "GET", path)
        yield await world.call(person, "ingest", "POST", f"/documents/{kept.doc_id}/retry")


async def read_conversations(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Their own, and those whose traces others know."""
    yield await world.call(person, "query", "GET", "/conversations")
    yield await world.call(person, "query", "GET", f"/conversations/{ROOM}")
    yield await world.call(person, "query", "GET", "/me/data")
    for trace_id in [trace_id for traces in world.traces.values() for trace_id in traces[-2:]]:
        for route in ("turns", "traces"):
            yield await world.call(person, "query", "GET", f"/{route}/{trace_id}")
        yield await world.call(person, "query", "GET", "/ask/stream", params=ASK, headers={"last-event-id": f"{trace_id}.0"})


async def read_figures(world: World, person: str) -> AsyncIterator[httpx.Response]:
    for trace_id in [trace_id for traces in world.traces.values() for trace_id in traces[-1:]]:
        body = {"trace_id": trace_id, "rating": "up", "reason": "good"}
        yield await world.call(person, "feedback", "POST", "/feedback", json=body)
    yield await world.call(person, "feedback", "GET", "/feedback/metrics")
    yield await world.call(person, "stats", "GET", "/stats")


async def read_admins(world: World, person: str) -> AsyncIterator[httpx.Response]:
    for path in ("/sessions", "/prompts", "/settings", "/audit", "/forbidden-terms"):
        reply = await world.call(person, "query", "GET", path)
        assert reply.status_code == 403, (path, reply.status_code)
        yield reply


async def read_errors(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """An upload says nothing of a file of the same name or content that somebody else has."""
    for kept in world.documents.values():
        body = {"file_name": f"slot{kept.slot}.txt", "size": 10, "permission_groups": []}
        reply = await world.call(person, "ingest", "POST", "/uploads", json=body)
        if not world.may_read(person, kept):
            assert kept.doc_id not in reply.text
        yield reply


CHEAP: tuple[Channel, ...] = (
    ask_retrieve, ask_dify, list_collections, read_documents, read_conversations, read_figures, read_admins, read_errors,
)  # fmt: skip
DEAR: tuple[Channel, ...] = (ask_trd, ask_chat_core, ask_chat_service, ask_openai, ask_mcp)


async def look_through(world: World, person: str, channels: tuple[Channel, ...]) -> None:
    """AssertionError where a channel tells what this person may not know, or fails."""
    for channel in channels:
        async for reply in channel(world, person):
            await no_leak(world, person, channel.__name__, reply)


async def no_leak(world: World, person: str, channel: str, reply: httpx.Response) -> None:
    assert reply.status_code < 500, (channel, reply.request.url, reply.status_code, reply.text[:300])
    told = (reply.text + json.dumps(dict(reply.headers))).lower()
    remembers = channel in (read_conversations.__name__, ask_trd.__name__, ask_chat_core.__name__, ask_chat_service.__name__)
    found = sorted(canary for canary in world.forbidden(person, remembers=remembers) if canary in told)
    assert not found, f"{channel} ({reply.request.method} {reply.request.url.path}) told {person} {found}: {reply.text[:400]}"


async def finds_all(world: World, person: str) -> None:
    """What may be read is found by its words, listed, and cited."""
    for kept in world.documents.values():
        if world.may_read(person, kept):
            reply = await world.call(
                person, "query", "POST", "/retrieve-bm25", json=RETRIEVE | {"query_text": f"bridge {kept.canaries[0]}"}
            )
            assert kept.canaries[0] in reply.text, f"{person} does not find {kept.doc_id}"
            assert (await world.call(person, "ingest", "GET", f"/documents/{kept.doc_id}")).status_code == 200


def logs_say_nothing(world: World) -> None:
    found = [line for line in world.logged if SECRET.search(line)]
    assert not found, found[:1]
