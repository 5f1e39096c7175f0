"""The tools of a real MCP server, a process of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from footnote.adapters.mcp.tools import DOWN_S, LISTED_S, McpTools
from footnote.errors import Unavailable
from tests.conftest import HandClock
from tests.mcp_tools import TOKEN, tools_server

EVERYBODY_S = {
    "add", "clock.now", "clock now", "weather.today", "echo_session", "fails", "sleeps", "long", "picture", "planted", "change_add",
}  # fmt: skip


@pytest.fixture(scope="module")
def gateway() -> Iterator[str]:
    with tools_server() as url:
        yield url


@pytest.fixture
def tools(gateway: str, clock: HandClock) -> McpTools:
    return McpTools(gateway, TOKEN, timer=clock)


async def test_the_tools_of_an_organisation_are_listed_with_those_that_are_everybody_s(tools: McpTools) -> None:
    assert {tool.name for tool in await tools.list("")} == EVERYBODY_S
    assert {tool.name for tool in await tools.list("GO_RAG")} == EVERYBODY_S | {"neural_search"}
    assert {tool.name for tool in await tools.list("OTHER")} == EVERYBODY_S | {"secret", "OTHER__prefixed"}
    assert {tool.name for tool in await tools.list("7")} == EVERYBODY_S


async def test_a_tool_comes_with_its_description_and_its_parameters(tools: McpTools) -> None:
    add = next(tool for tool in await tools.list("") if tool.name == "add")
    assert add.description == "Adds two numbers."
    assert add.parameters["required"] == ["a", "b"]


async def test_a_result_is_text(tools: McpTools) -> None:
    assert await tools.call("add", {"a": 1, "b": 2}, timeout_s=20) == "3"
    assert await tools.call("picture", {}, timeout_s=20) == "A map:\n[image, not shown]\nNorth is up."
    found = json.loads(await tools.call("neural_search", {"query": "ferry", "collection_name": "c", "top_k": 3}, timeout_s=20))
    assert [result["p_id"] for result in found] == ["p1", "p2"]


async def test_the_error_message_of_a_tool_is_a_result(tools: McpTools) -> None:
    failed = await tools.call("fails", {}, timeout_s=20)
    assert failed.startswith("The tool reports an error:")
    assert "db-7" not in failed
    assert (await tools.call("add", {"a": "many"}, timeout_s=20)).startswith("The tool reports an error:")


@pytest.mark.parametrize("name", ["delete_everything", "send_mail", "no such tool"])
async def test_a_tool_that_changes_something_is_not_called_whoever_names_it(tools: McpTools, name: str) -> None:
    with pytest.raises(Unavailable, match="no such tool"):
        await tools.call(name, {"to": "x"}, timeout_s=20)


async def test_a_tool_that_takes_too_long_is_left(tools: McpTools) -> None:
    await tools.list("")
    with pytest.raises(Unavailable, match=r"did not answer within 0\.3 s"):
        await tools.call("sleeps", {}, timeout_s=0.3)


async def test_calls_at_the_same_time_do_not_wait_for_each_other(tools: McpTools) -> None:
    waiting = asyncio.create_task(tools.call("sleeps", {}, timeout_s=50))
    sums = await asyncio.gather(*(tools.call("add", {"a": i, "b": 1}, timeout_s=20) for i in range(5)))
    assert (sums, waiting.done()) == (["1", "2", "3", "4", "5"], False)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.parametrize(
    ("address", "token", "detail"),
    [
        ("{gateway}", "another", "Check MCP__GATEWAY and MCP__TOKEN"),
        ("{gateway}", None, "Check MCP__GATEWAY and MCP__TOKEN"),
        ("{gateway}/none", TOKEN, "Check MCP__GATEWAY and MCP__TOKEN"),
        ("http://127.0.0.1:1/mcp", TOKEN, "Check MCP__GATEWAY and MCP__TOKEN"),
        ("file:///etc/passwd", TOKEN, "begin with http:// or https://"),
        ("python3 -c pass", TOKEN, "begin with http:// or https://"),
    ],
)
async def test_a_gateway_that_cannot_be_used_is_unavailable(gateway: str, address: str, token: str | None, detail: str) -> None:
    tools = McpTools(address.format(gateway=gateway), token)
    with pytest.raises(Unavailable, match=detail) as told:
        await tools.list("")
    assert "127.0.0.1" not in told.value.detail


async def test_a_server_that_is_down_is_not_asked_again_at_once(clock: HandClock) -> None:
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 502 x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        tools = McpTools(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", TOKEN, timer=clock)
        counts = []
        for seconds in (0, DOWN_S - 1, 1):
            clock.advance(seconds)
            with pytest.raises(Unavailable, match="cannot be used"):
                await tools.list("")
            counts.append(len(asked))
    assert counts[0] == counts[1] < counts[2]


async def test_a_tool_that_changes_its_definition_is_not_used_any_more(tools: McpTools, gateway: str, clock: HandClock) -> None:
    assert "add" in {tool.name for tool in await tools.list("")}
    await tools.call("change_add", {}, timeout_s=20)
    assert "add" in {tool.name for tool in await tools.list("")}  # the listing is used again for a while
    clock.advance(LISTED_S + 1)
    assert {tool.name for tool in await tools.list("")} == EVERYBODY_S - {"add"}
    with pytest.raises(Unavailable, match="no such tool"):
        await tools.call("add", {"a": 1, "b": 2}, timeout_s=20)
    assert "add" in {tool.name for tool in await McpTools(gateway, TOKEN).list("")}  # to somebody who starts now it is new
