"""How the stream of a reply ends: whole, truncated, or broken off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.language_model import OpenAIModel
from footnote.errors import ModelUnavailable
from footnote.ports import Delta
from footnote.types import Message
from tests.fakes import LoopClock
from tests.openai_server import Server, chunk, sse

CHAT = "/v1/chat/completions"
ASKED = (Message("user", "When?"),)


@pytest.fixture
async def model(server: Server) -> AsyncIterator[OpenAIModel]:
    endpoint = OpenAIEndpoint(f"{server.url}/v1", None)
    yield OpenAIModel(endpoint, "tiny", temperature=None, max_tokens=50)
    await endpoint.close()


async def collect(model: OpenAIModel) -> list[Delta]:
    return [delta async for delta in model.stream(ASKED)]


def call(arguments: str | None = None) -> dict[str, Any]:
    """A chunk of a tool call."""
    return chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "x", "arguments": arguments}}])


def end(reason: object) -> dict[str, Any]:
    last = chunk()
    last["choices"][0]["finish_reason"] = reason
    return last


@pytest.mark.parametrize(
    ("reason", "deltas"),
    [
        ("length", [Delta("In "), Delta(cut="length")]),
        ("MAX_TOKENS", [Delta("In "), Delta(cut="length")]),
        ("content_filter", [Delta("In "), Delta(cut="content_filter")]),
        ("SAFETY", [Delta("In "), Delta(cut="content_filter")]),
        ("stop", [Delta("In ")]),
        ("eos", [Delta("In ")]),
        ({}, [Delta("In ")]),
    ],
)
async def test_a_reply_that_the_model_could_not_finish_says_why(
    server: Server, model: OpenAIModel, reason: object, deltas: list[Delta]
) -> None:
    server.replies[CHAT] = sse(chunk(content="In "), end(reason))
    assert await collect(model) == deltas


@pytest.mark.parametrize(
    "last",
    [
        ["data: [DONE]\n\n"],
        ["data: [DONE]"],
        ["data:[DONE]\r\n\r\n"],
        [end("stop")],
        [end("stop"), None],
        [end("length"), 'data: {"error": {"message": "no usage"}}\n\n'],
        ['data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}'],
    ],
    ids=["done", "done, unended", "done, crlf", "reason", "reason, then cut", "reason, then an error", "reason, unended"],
)
async def test_a_reason_or_a_done_is_enough_of_an_end(server: Server, model: OpenAIModel, last: list[Any]) -> None:
    server.replies[CHAT] = sse(chunk(content="In "), *last, done=False)
    assert (await collect(model))[0] == Delta("In ")


@pytest.mark.parametrize(
    "said",
    [
        [chunk(content="In ")],
        [chunk(content="In "), chunk(), {**chunk(), "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}],
        [chunk(content="In "), ": [DONE]\n\n"],
        [chunk(content="In [DONE]")],
        [chunk(content="In "), "data: [DO"],
        [chunk(content="In "), 'data: {"choices": [{"delta": {"content": "18'],
        [chunk(content="In "), end("error")],
        [chunk(content="In "), end("abort"), "data: [DONE]\n\n"],
        [chunk(reasoning_content="Hm.")],
        [chunk(content="In "), call("{}")],
    ],
)
async def test_a_stream_without_an_end_broke_off_though_it_closes_well(server: Server, model: OpenAIModel, said: list[Any]) -> None:
    server.replies[CHAT] = sse(*said, done=False)
    stream = model.stream(ASKED)
    assert not (await anext(stream)).tool_calls
    with pytest.raises(ModelUnavailable, match="reply broke off"):
        _ = [delta async for delta in stream]


async def test_a_reply_that_is_whole_does_not_wait_for_its_connection(server: Server, model: OpenAIModel) -> None:
    clock, never = LoopClock(), asyncio.Event()
    server.replies[CHAT] = sse(chunk(content="In "), end("stop"), never)
    stream = model.stream(ASKED)
    assert await anext(stream) == Delta("In ")
    rest = asyncio.ensure_future(anext(stream, None))
    await asyncio.sleep(0.05)
    clock.advance(3)
    assert await rest is None
    never.set()


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_a_tool_call_that_was_cut_off_is_no_call(server: Server, model: OpenAIModel, reason: str) -> None:
    server.replies[CHAT] = sse(call('{"query": "br'), end(reason))
    with pytest.raises(ModelUnavailable, match="cut off in a tool call"):
        await collect(model)


async def test_a_call_that_breaks_off_is_no_call(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = sse(call(), None)
    stream = model.stream(ASKED)
    with pytest.raises(ModelUnavailable):
        await anext(stream)
