"""What goes over the wire besides text: tools, images, and what a server does not take."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.language_model import OpenAIModel
from footnote.adapters.openai.reply_stream import joined
from footnote.adapters.shared.models import ModelBusy, ModelRefused
from footnote.errors import ModelTimeout, ModelUnavailable
from footnote.ports import Delta, Tool
from footnote.types import Message, ToolCall, Usage
from tests.openai_server import Reply, Server, chunk, sse

CHAT = "/v1/chat/completions"
ASKED = (Message("user", "When?"),)
SEARCH = Tool("search", "Finds passages.", {"type": "object", "properties": {"query": {"type": "string"}}})


@pytest.fixture
def model(endpoint: OpenAIEndpoint) -> OpenAIModel:
    return OpenAIModel(endpoint, "tiny", temperature=None, max_tokens=50)


async def collect(model: OpenAIModel, messages: Any = ASKED, **options: Any) -> list[Delta]:
    """What was sent at once may come in one piece, or in several."""
    return [*joined([delta async for delta in model.stream(messages, **options)])]


def piece(index: int | None = None, call_id: str | None = None, name: str | None = None, arguments: str = "") -> dict[str, Any]:
    """Of a tool call."""
    known: dict[str, Any] = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {key: value for key, value in known.items() if value is not None}


# --- what goes out -------------------------------------------------------------------------------


async def test_tools_calls_their_results_and_images_have_the_shape_of_the_api(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = sse(chunk(content="x"))
    messages = (
        Message("user", "What is this?", images=("data:image/png;base64,AA==",)),
        Message("assistant", "", tool_calls=(ToolCall("c1", "search", '{"query": "bridge"}'),)),
        Message("tool", "Built in 1894.", tool_call_id="c1", name="search"),
    )
    await collect(model, messages, tools=(SEARCH,))
    sent = server.requests[0][2]
    assert sent["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            ],
        },
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "bridge"}'}}],
        },
        {"role": "tool", "content": "Built in 1894.", "tool_call_id": "c1"},
    ]
    assert sent["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "search",
                "description": "Finds passages.",
                "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
            },
        }
    ]


async def test_without_tools_the_request_has_none(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = sse(chunk(content="x"))
    await collect(model)
    assert "tools" not in server.requests[0][2]


@pytest.mark.parametrize(
    ("name", "own", "asked", "sent"),
    [
        ("tiny", None, None, {"temperature": 0.2, "max_tokens": 10_000}),
        ("llama3.2:latest", None, None, {"temperature": 0.3, "top_p": 0.7, "max_tokens": 4_000}),
        ("Qwen2.5:7b-instruct", None, None, {"temperature": 0.7, "top_p": 0.95, "max_tokens": 10_000}),
        ("anthropic/claude-3-opus", None, None, {"temperature": 0.7, "top_p": 0.9, "max_tokens": 10_000}),
        ("llama3.2", 0.2, None, {"temperature": 0.2, "max_tokens": 4_000}),  # what somebody set, though it is the default
        ("llama3.2", None, 0.0, {"temperature": 0.0, "max_tokens": 4_000}),
    ],
)
async def test_a_model_is_asked_as_suits_it_where_nobody_says_otherwise(
    server: Server, endpoint: OpenAIEndpoint, name: str, own: float | None, asked: float | None, sent: dict[str, float]
) -> None:
    server.replies[CHAT] = sse(chunk(content="x"))
    await collect(OpenAIModel(endpoint, name, temperature=own, max_tokens=10_000), temperature=asked)
    body = server.requests[0][2]
    assert {key: body[key] for key in ("temperature", "top_p", "max_tokens") if key in body} == sent


# --- tool calls that come back -------------------------------------------------------------------


async def test_a_tool_call_in_pieces_comes_whole_at_the_end(server: Server, model: OpenAIModel) -> None:
    usage = {**chunk(), "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    server.replies[CHAT] = sse(
        chunk(content="Let me see."),
        chunk(tool_calls=[piece(0, "c1", "search")]),
        chunk(tool_calls=[piece(0, arguments='{"query": ')]),
        chunk(tool_calls=[piece(1, "c2", "clock", "{}")]),
        chunk(tool_calls=[piece(0, arguments='"bridge"}')]),
        usage,
    )
    assert await collect(model) == [
        Delta("Let me see."),
        Delta(usage=Usage(7, 3)),
        Delta(tool_calls=(ToolCall("c1", "search", '{"query": "bridge"}'), ToolCall("c2", "clock", "{}"))),
    ]


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        ([piece(0, "a", "x", "{}"), piece(0, "b", "y", "{}")], (ToolCall("a", "x", "{}"), ToolCall("b", "y", "{}"))),
        ([piece(None, "a", "x", '{"n"'), piece(arguments=": 1}")], (ToolCall("a", "x", '{"n": 1}'),)),
        ([piece(None, "a", "x", "{}"), piece(None, "b", "y", "{}")], (ToolCall("a", "x", "{}"), ToolCall("b", "y", "{}"))),
        ([piece(0, None, "x"), piece(1, None, "y")], (ToolCall("call_0", "x", "{}"), ToolCall("call_1", "y", "{}"))),
        ([piece(0, "a", "x"), piece(0, "a", None, "[]")], (ToolCall("a", "x", "[]"),)),
        ([piece(0, "a", "x"), piece(arguments="[]")], (ToolCall("a", "x", "[]"),)),
    ],
    ids=["every call the first", "no numbers", "no numbers, two calls", "no ids, no arguments", "the id each time", "a number once"],
)
async def test_servers_that_number_calls_carelessly_are_understood(
    server: Server, model: OpenAIModel, pieces: list[dict[str, Any]], calls: tuple[ToolCall, ...]
) -> None:
    server.replies[CHAT] = sse(*(chunk(tool_calls=[each]) for each in pieces))
    assert await collect(model) == [Delta(tool_calls=calls)]


async def test_a_character_that_was_cut_in_two_is_whole_again(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = sse(
        chunk(content="a \ud83d"), chunk(reasoning_content="\ud83d"), chunk(content="\ude42 b"), chunk(content="\ude42\ud83d")
    )
    assert await collect(model, (Message("user", "Half \ud83d?"),)) == [Delta("a 🙂 b\ufffd")]
    assert server.requests[0][2]["messages"] == [{"role": "user", "content": "Half \ufffd?"}]


async def test_a_model_that_writes_a_call_has_begun_to_answer(server: Server, model: OpenAIModel) -> None:
    more = asyncio.Event()
    server.replies[CHAT] = sse(chunk(tool_calls=[piece(0, "a", "x")]), more, chunk(tool_calls=[piece(0, arguments="{}")]))
    asyncio.get_running_loop().call_later(2.5, more.set)
    assert await collect(model, first_token_s=2.0, total_s=60) == [Delta(tool_calls=(ToolCall("a", "x", "{}"),))]


# --- what a server does not take -----------------------------------------------------------------


def picky(*names: str, status: int = 400) -> Any:
    """Takes no request with any of these; complains of one at a time."""

    def reply(sent: dict[str, Any]) -> Reply:
        for name in names:
            if name in sent:
                error = {"message": f"Unsupported parameter: '{name}' is not supported with this model.", "param": name}
                return Reply(status, (json.dumps({"error": error}),))
        return sse(chunk(content="x"))

    return reply


@pytest.mark.parametrize("status", [400, 422])
async def test_refused_parameters_are_left_out_from_then_on(server: Server, model: OpenAIModel, status: int) -> None:
    server.replies[CHAT] = picky("temperature", "stream_options", status=status)
    assert await collect(model) == [Delta("x")]
    assert [sorted({"temperature", "stream_options"} & body.keys()) for _, _, body in server.requests] == [
        ["stream_options", "temperature"],
        ["stream_options"],
        [],
    ]
    assert await collect(model, temperature=0.9) == [Delta("x")]
    assert len(server.requests) == 4


async def test_the_longest_answer_goes_by_its_other_name_before_it_goes(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = picky("max_tokens")
    assert await collect(model) == [Delta("x")]
    assert server.requests[1][2]["max_completion_tokens"] == 50
    server.replies[CHAT] = picky("max_tokens", "max_completion_tokens")
    assert await collect(model) == [Delta("x")]
    assert "max_completion_tokens" not in server.requests[-1][2]
    asked = len(server.requests)
    assert await collect(model) == [Delta("x")]
    assert [{"max_tokens", "max_completion_tokens"} & body.keys() for _, _, body in server.requests[asked:]] == [set()]


async def test_a_parameter_refused_by_one_model_is_sent_to_others(server: Server, endpoint: OpenAIEndpoint, model: OpenAIModel) -> None:
    server.replies[CHAT] = picky("temperature")
    await collect(model)
    server.replies[CHAT] = sse(chunk(content="x"))
    await collect(OpenAIModel(endpoint, "other", temperature=0.5, max_tokens=50))
    assert server.requests[-1][2]["temperature"] == 0.5


async def test_a_model_is_told_how_long_to_think(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = sse(chunk(content="x"))
    await collect(model, effort="high")
    await collect(model)
    assert [body.get("reasoning_effort") for _, _, body in server.requests] == ["high", None]


@pytest.mark.parametrize("told", ["Unrecognized request argument supplied: reasoning_effort", '"tiny" does not support thinking'])
async def test_a_model_that_cannot_be_told_answers_without_and_is_not_told_again(server: Server, model: OpenAIModel, told: str) -> None:
    server.replies[CHAT] = lambda sent: (
        Reply(400, (json.dumps({"error": {"message": told}}),)) if "reasoning_effort" in sent else sse(chunk(content="x"))
    )
    assert await collect(model, effort="high") == await collect(model, effort="high") == [Delta("x")]
    assert [body.get("reasoning_effort") for _, _, body in server.requests] == ["high", None, None]


@pytest.mark.parametrize("told", ["This model does not support tools.", "The context is too long.", "messages must not be empty"])
async def test_refused_essential_parameters_are_not_retried(server: Server, model: OpenAIModel, told: str) -> None:
    server.replies[CHAT] = Reply(400, (json.dumps({"error": {"message": told}}),))
    with pytest.raises(ModelRefused, match="status 400"):
        await collect(model)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "headers", "error", "wait_s"),
    [
        (401, "", ModelRefused, None), (403, "", ModelRefused, None), (404, "", ModelRefused, None), (413, "", ModelRefused, None),
        (408, "", ModelUnavailable, None), (500, "", ModelUnavailable, None), (503, "", ModelUnavailable, None),
        (429, "retry-after: 7\r\n", ModelBusy, 7.0), (429, "", ModelBusy, 0.0),
        (429, "retry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\n", ModelBusy, 0.0),
    ],
)  # fmt: skip
async def test_an_error_says_whether_another_try_may_help(
    server: Server, model: OpenAIModel, status: int, headers: str, error: type[ModelUnavailable], wait_s: float | None
) -> None:
    server.replies[CHAT] = Reply(status, ("{}",), headers=headers)
    with pytest.raises(ModelUnavailable) as caught:
        await collect(model)
    assert type(caught.value) is error
    assert not isinstance(caught.value, ModelTimeout)
    assert getattr(caught.value, "retry_after_s", None) == wait_s
