"""The MCP server, with the SDK's client over a socket, with both transports."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import jsonschema
import pytest

from footnote.types import Caller
from tests.fakes import Piece, make_document, put_document, work_all
from tests.functions.conftest import LOCAL, QUESTION, OpenSite, Serve

HANDBOOK = b"# Records\n\n## The bridge\n\nThe bridge was built in 1894. It is painted blue.\n"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = {"accept": "application/json, text/event-stream"}

Start = Callable[..., Awaitable[str]]


@pytest.fixture
async def start(open_site: OpenSite, serve: Serve) -> Start:
    """Serves a handbook and a document for hr only; returns the address."""

    async def start_(*reply: Piece, **options: Any) -> str:
        site = await open_site(*reply, filled=False, **options)
        for name, groups, data in (("handbook.md", ["*"], HANDBOOK), ("pay.md", ["hr"], b"The bridge warden is paid 900 crowns.")):
            await site.core.ingestor.accept(LOCAL, data, file_name=name, collection="default", permission_groups=groups, doc_id=name[:-3])
        await work_all(site.core)
        return await serve(site.app)

    return start_


def connect(url: str, **options: Any) -> Any:
    """The SDK's client. Loading it takes a second, which no other process of tests is to pay for."""
    from mcp import Client

    return Client(url, **options)


def text_of(result: Any) -> str:
    (item,) = result.content
    assert item.type == "text"
    return str(item.text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_tools_are_listed_as_only_reading(mode: Any, start: Start) -> None:
    async with connect(f"{await start()}/mcp", mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(tools) == ["search", "fetch", "ask", "list_collections"]
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
    assert tools["search"].input_schema["required"] == ["query"]
    assert list(tools["ask"].input_schema["properties"]) == ["question", "collection"]
    assert list(tools["search"].input_schema["properties"]) == ["query", "collection"]
    assert {name: tool.output_schema and tool.output_schema["required"] for name, tool in tools.items()} == {
        "search": ["results"],
        "fetch": ["id", "title", "text", "url", "metadata"],
        "ask": ["answer", "tier", "verdict", "citations", "warnings", "usage", "trace_id"],
        "list_collections": ["collections"],
    }


async def test_a_client_gets_instructions_for_the_tools(start: Start) -> None:
    from footnote_query.dialects.mcp.server import TOOLS

    async with connect(f"{await start()}/mcp") as client:
        instructions = client.instructions
    assert instructions
    assert all(name in instructions for name in TOOLS)


async def test_a_tool_returns_data_of_its_schema_and_the_same_as_text(start: Start) -> None:
    async with connect(f"{await start()}/mcp") as client:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        found = await client.call_tool("search", {"query": QUESTION})
        fetched = await client.call_tool("fetch", {"id": found.structured_content["results"][0]["id"]})
        whole = await client.call_tool("fetch", {"id": "handbook"})
        listed = await client.call_tool("list_collections")
    for name, result in (("search", found), ("fetch", fetched), ("fetch", whole), ("list_collections", listed)):
        assert json.loads(text_of(result)) == result.structured_content
        jsonschema.validate(result.structured_content, schemas[name] or {})


async def test_a_search_uses_the_given_collection(open_site: OpenSite, serve: Serve) -> None:
    site = await open_site(caller=Caller("ann", frozenset({"eng"})), filled=False)
    for doc_id, collection, group in (("here", "default", "eng"), ("there", "bridges", "eng"), ("pay", "wages", "hr")):
        document = make_document(doc_id, collection=collection, groups=(group,))
        await put_document(site.core.generations, document, ["The bridge was built in 1894."])
        await site.core.ingestor.accept(LOCAL, doc_id.encode(), file_name=f"{doc_id}.txt", collection=collection, permission_groups=[group])
    await work_all(site.core)
    async with connect(f"{await serve(site.app)}/mcp") as client:
        default = await client.call_tool("search", {"query": "bridge"})
        other = await client.call_tool("search", {"query": "bridge", "collection": "bridges"})
        hidden = await client.call_tool("search", {"query": "bridge", "collection": "wages"})
        unknown = await client.call_tool("search", {"query": "bridge", "collection": "none"})
    assert [each["id"] for each in default.structured_content["results"]] == ["here#000"]
    assert [each["id"] for each in other.structured_content["results"]] == ["there#000"]
    assert (hidden.is_error, text_of(hidden)) == (True, text_of(unknown)) == (
        True, "There is no such collection. list_collections returns the existing ones.",
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_search_results_can_be_fetched(mode: Any, start: Start) -> None:
    address = await start()
    async with connect(f"{address}/mcp", mode=mode) as client:
        found = json.loads(text_of(await client.call_tool("search", {"query": "When was the bridge built?"})))
        assert list(found) == ["results"]
        first = found["results"][0]
        url = f"{address}/documents/handbook/content?chunk_id={first['id'].replace('#', '%23')}"
        assert first == {"id": first["id"], "title": "Records › The bridge", "url": url}
        passage = json.loads(text_of(await client.call_tool("fetch", {"id": first["id"]})))
        assert set(passage) == {"id", "title", "text", "url", "metadata"}
        assert (passage["id"], passage["title"], passage["url"]) == (first["id"], first["title"], first["url"])
        assert "The bridge was built in 1894. It is painted blue." in passage["text"]
        assert passage["metadata"]["collection"] == "default"
        whole = json.loads(text_of(await client.call_tool("fetch", {"id": "handbook"})))
        assert (whole["title"], whole["url"]) == ("Records", f"{address}/documents/handbook/content")
        assert whole["text"] == "Records\n\nThe bridge\n\nThe bridge was built in 1894. It is painted blue."
        assert whole["metadata"] == {"doc_id": "handbook", "pages": None, "collection": "default", "cut": False}


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("fetch", {"id": "handbook#999"}, "There is no such passage."),
        ("fetch", {"id": "handbook#1x"}, "There is no such passage."),
        ("fetch", {"id": "nothing#000"}, ""),
        ("fetch", {"id": "nothing"}, ""),
        ("fetch", {}, "id: Field required"),
        ("search", {"query": ""}, "The question is empty."),
        ("search", {"query": "x" * 2001}, "2000 are allowed"),
        ("ask", {"question": QUESTION, "collection": "none"}, "There is no such collection."),
        ("delete", {}, "There is no tool with this name."),
    ],
)
async def test_a_failed_call_is_reported_to_the_calling_model(tool: str, arguments: dict[str, str], expected: str, start: Start) -> None:
    async with connect(f"{await start()}/mcp") as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert expected in text_of(result)


async def test_unreadable_documents_are_neither_found_nor_fetched(start: Start) -> None:
    async with connect(f"{await start(caller=Caller('ann', frozenset({'eng'})))}/mcp") as client:
        assert "pay" not in text_of(await client.call_tool("search", {"query": "What is the bridge warden paid?"}))
        for id_ in ("pay", "pay#000"):
            result = await client.call_tool("fetch", {"id": id_})
            assert (result.is_error, "crowns" in text_of(result)) == (True, False)
        assert "crowns" not in text_of(await client.call_tool("ask", {"question": "What is the bridge warden paid?"}))
        assert (await client.call_tool("list_collections")).structured_content == {"collections": [{"name": "default", "documents": 1}]}


async def test_replies_are_json_without_a_session_and_there_is_no_stream_to_get(open_site: OpenSite) -> None:
    site = await open_site()
    reply = await site.client.post("/mcp", json=INITIALIZE, headers=ACCEPT)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    assert "mcp-session-id" not in reply.headers
    assert len(reply.headers["x-trace-id"]) == 32
    assert reply.json()["result"]["serverInfo"]["name"] == "footnote"
    assert (await site.client.get("/mcp", headers=ACCEPT)).status_code == 405


async def test_an_exception_is_reported_without_its_text(
    open_site: OpenSite, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, log = await open_site(), logging.getLogger("footnote_query.dialects.mcp.server")
    monkeypatch.setattr(log, "handlers", [caplog.handler])  # independent of what other tests did to its parent loggers

    async def fail(caller: Caller) -> dict[str, int]:
        raise RuntimeError("10.0.0.1 hung up")

    site.core.ledger.collections = fail  # type: ignore[method-assign]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_collections", "arguments": {}}}
    reply = await site.client.post("/mcp", json=call, headers=ACCEPT)
    assert (reply.json()["result"]["isError"], reply.json()["result"]["content"][0]["text"]) == (True, "Something went wrong")
    record = next(record for record in caplog.records if record.message == "tool failed")
    assert record.__dict__["trace_id"] == reply.headers["x-trace-id"]


async def test_a_body_that_goes_on_without_an_end_is_a_413(open_site: OpenSite) -> None:
    async def in_pieces() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b" " * 2**16

    site = await open_site()
    reply = await site.client.post("/mcp", content=in_pieces(), headers=ACCEPT | {"content-type": "application/json"})
    assert (reply.status_code, reply.json()["detail"]) == (413, "A request body without files may have at most 1048576 bytes.")


@pytest.mark.parametrize(("origin", "status"), [("http://footnote.test", 200), ("https://evil.example", 403), ("null", 403)])
async def test_the_pages_of_other_sites_are_turned_away(origin: str, status: int, open_site: OpenSite) -> None:
    site = await open_site()
    reply: httpx.Response = await site.client.post("/mcp", json=INITIALIZE, headers=ACCEPT | {"origin": origin})
    assert reply.status_code == status
