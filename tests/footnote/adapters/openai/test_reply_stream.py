"""The stream of a reply: events in bytes that come in any pieces, and what is joined."""

from __future__ import annotations

import asyncio
import json

import pytest

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.language_model import OpenAIModel
from footnote.adapters.openai.reply_stream import EventData, joined
from footnote.ports import Delta
from footnote.types import Message, Usage
from tests.openai_server import Server, chunk, sse

STREAM = ': ping\n\ndata: {"a": "é 안"}\n\nevent: x\nid: 1\ndata:two\ndata: lines\n\n\nid: 2\n\nretry: 5\n\ndata\n\ndata:  [DONE]'
DATA = ['{"a": "é 안"}', "two\nlines", "", " [DONE]"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_the_same_however_the_bytes_are_split(end: str, size: int) -> None:
    data, sent = EventData(), STREAM.replace("\n", end).encode()
    heard = [each for at in range(0, len(sent), size) for each in data.feed(sent[at : at + size])]
    assert [*heard, *data.end()] == DATA


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_event_is_heard_with_its_empty_line(end: str) -> None:
    data = EventData()
    assert [*data.feed(f"data: a{end}{end}".encode())] == ["a"]
    assert [*data.feed(b"")] == []
    assert [*data.feed(f"data: b{end}{end}data: c{end}".encode())] == ["b"]
    assert [*data.end()] == ["c"]


def test_only_neighbours_of_the_same_kind_are_joined() -> None:
    both, used, cut = Delta("x", "y"), Delta(usage=Usage(1, 2)), Delta("z", cut="length")
    pieces = [Delta("a"), Delta("b"), Delta(thinking="c"), Delta(thinking="d"), Delta("e"), both, both, used, cut, Delta("f")]
    assert [*joined(pieces)] == [Delta("ab"), Delta(thinking="cd"), Delta("e"), both, both, used, cut, Delta("f")]


async def test_what_comes_while_the_reader_is_busy_is_one_piece(server: Server, endpoint: OpenAIEndpoint) -> None:
    more = asyncio.Event()
    server.replies["/v1/chat/completions"] = sse(chunk(content="a"), more, *(chunk(content=letter) for letter in "bcd"))
    stream = OpenAIModel(endpoint, "llama", temperature=None, max_tokens=50).stream([Message("user", "When?")])
    assert await anext(stream) == Delta("a")
    more.set()
    await asyncio.sleep(0.1)
    assert await anext(stream) == Delta("bcd")
    assert [delta async for delta in stream] == []


async def test_a_connection_is_used_again_after_a_reply(server: Server, endpoint: OpenAIEndpoint) -> None:
    made: list[str] = []
    server.replies["/v1/chat/completions"] = sse(chunk(content="a"))
    client = await endpoint.client()
    client._client.event_hooks = {"request": [], "response": [lambda reply: _note(reply, made)]}
    model = OpenAIModel(endpoint, "llama", temperature=None, max_tokens=50)
    for _ in range(3):
        assert [delta async for delta in model.stream([Message("user", json.dumps(made))])] == [Delta("a")]
    assert len(set(made)) == 1


async def _note(reply: object, made: list[str]) -> None:
    stream = reply.extensions["network_stream"]  # type: ignore[attr-defined]
    made.append(str(stream.get_extra_info("client_addr")))
