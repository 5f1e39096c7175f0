"""Limits and roles that a model does not take: they are learned from its errors, and its next request keeps to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.language_model import OpenAIModel
from footnote.adapters.shared.models import ModelRefused
from footnote.errors import ModelUnavailable, PromptTooLong
from footnote.ports import Delta
from footnote.types import Message
from tests.openai_server import Reply, Server, chunk, sse

CHAT = "/v1/chat/completions"
ASKED = (Message("user", "When?"),)
GOOD = sse(chunk(content="x"))


@pytest.fixture
def model(endpoint: OpenAIEndpoint) -> OpenAIModel:
    return OpenAIModel(endpoint, "tiny-20240307", temperature=None, max_tokens=10_000)


async def collect(model: OpenAIModel, messages: Any = ASKED, **options: Any) -> list[Delta]:
    return [delta async for delta in model.stream(messages, **options)]


def refusal(message: str, status: int = 400) -> Reply:
    return Reply(status, (json.dumps({"error": {"message": message, "type": "invalid_request_error"}}),))


def at_most(longest: int, message: str) -> Callable[[Any], Reply]:
    return lambda sent: refusal(message.replace("SENT", str(sent["max_tokens"]))) if sent["max_tokens"] > longest else GOOD


def limits(server: Server) -> list[int | None]:
    return [body.get("max_tokens", body.get("max_completion_tokens")) for _, _, body in server.requests]


# --- the length of a reply -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "longest"),
    [
        ("max_tokens is too large: SENT. This model supports at most 4096 completion tokens, whereas you provided SENT.", 4096),
        ("`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window`", 8192),
        ("max_tokens: SENT > 4,096, which is the maximum allowed number of output tokens for tiny-20240307", 4096),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192),
        ("Invalid max_tokens value, the valid range of max_tokens is [1,8192]", 8192),
        ("max_tokens must be <= 8192", 8192),
        ("The maximum tokens you requested exceeds the model limit of 5120.", 5120),
    ],
)
async def test_a_limit_that_an_error_names_is_kept_to(server: Server, model: OpenAIModel, message: str, longest: int) -> None:
    server.replies[CHAT] = at_most(longest, message)
    assert await collect(model) == [Delta("x")]
    assert await collect(model) == [Delta("x")]
    assert await collect(model, max_tokens=99) == [Delta("x")]
    assert limits(server) == [10_000, longest, longest, 99]


async def test_a_limit_of_one_model_is_not_that_of_another(server: Server, endpoint: OpenAIEndpoint, model: OpenAIModel) -> None:
    server.replies[CHAT] = at_most(4096, "At most 4096 tokens.")
    await collect(model)
    server.replies[CHAT] = GOOD
    await collect(OpenAIModel(endpoint, "other", temperature=None, max_tokens=10_000))
    assert limits(server) == [10_000, 4096, 10_000]


async def test_a_limit_has_its_other_name_first_where_the_server_wants_that(server: Server, model: OpenAIModel) -> None:
    def reply(sent: Any) -> Reply:
        if "max_tokens" in sent:
            return refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return refusal("At most 4096 completion tokens.") if sent["max_completion_tokens"] > 4096 else GOOD

    server.replies[CHAT] = reply
    assert await collect(model) == [Delta("x")]
    assert limits(server) == [10_000, 10_000, 4096]
    assert await collect(model) == [Delta("x")]
    assert limits(server)[3:] == [4096]


@pytest.mark.parametrize("message", ["At most 10000 completion tokens.", "max tokens is wrong for tiny-20240307", "At most 20000 tokens."])
async def test_an_error_without_a_lower_limit_is_told(server: Server, model: OpenAIModel, message: str) -> None:
    server.replies[CHAT] = refusal(message)
    with pytest.raises(ModelRefused, match="status 400"):
        await collect(model)
    assert len(server.requests) == 1


# --- the context window --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested TOTAL tokens (50 in the messages, SENT in the"
        " completion). Please reduce the length of the messages or completion.",
        "'max_tokens' or 'max_completion_tokens' is too large: SENT. This model's maximum context length is 4096 tokens and your request"
        " has 50 input tokens (SENT > 4096 - 50).",
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 50 `inputs` tokens and SENT `max_new_tokens`",
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of TOTAL tokens: 50 tokens"
        " from the input messages and SENT tokens for the completion.",
        "input length and `max_tokens` exceed context limit: 50 + SENT > 4096, decrease input length or `max_tokens` and try again",
    ],
)
async def test_a_reply_gets_the_room_that_its_prompt_leaves(server: Server, model: OpenAIModel, message: str) -> None:
    def reply(sent: Any) -> Reply:
        said = message.replace("TOTAL", str(sent["max_tokens"] + 50)).replace("SENT", str(sent["max_tokens"]))
        return refusal(said) if sent["max_tokens"] + 50 > 4096 else GOOD

    server.replies[CHAT] = reply
    assert await collect(model) == [Delta("x")]
    assert await collect(model) == [Delta("x")]
    assert limits(server) == [10_000, 4046, 2048]  # then as for models whose window is known


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 1024 tokens. However, your messages resulted in 5000 tokens.",
        "This model's maximum context length is 1024 tokens. However, you requested 15000 tokens (5000 in the messages, 10000 in the"
        " completion).",
        "request (5000 tokens) exceeds the available context size (1024 tokens), try increasing it",
        "Prompt contains 5000 tokens and 0 draft tokens, too large for model with 1024 maximum context length",
    ],
)
async def test_a_prompt_that_does_not_fit_is_told_with_the_window(server: Server, model: OpenAIModel, message: str) -> None:
    server.replies[CHAT] = refusal(message)
    with pytest.raises(PromptTooLong, match="context window of 1024 tokens"):
        await collect(model)
    assert len(server.requests) == 1


async def test_a_window_without_the_length_of_the_prompt_is_tried_once(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = refusal("This model's maximum context length is 4096 tokens. Please reduce the length of the messages.")
    with pytest.raises(PromptTooLong):
        await collect(model)
    assert limits(server) == [10_000, 2048]


# --- the system role -----------------------------------------------------------------------------

IMAGE = "data:image/png;base64,AA=="
TALK = (
    Message("system", "Be brief."),
    Message("user", "When?"),
    Message("assistant", "In 1894."),
    Message("user", "What is this?", images=(IMAGE,)),
)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
        (400, "Developer instruction is not enabled for models/tiny"),
        (400, "System role not supported"),
        (422, "Input should be 'user' or 'assistant' for role"),
        (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (500, "Only user and assistant roles are supported!"),
    ],
)
async def test_a_refused_system_role_goes_into_the_message_of_the_user(
    server: Server, model: OpenAIModel, status: int, message: str
) -> None:
    server.replies[CHAT] = lambda sent: refusal(message, status) if sent["messages"][0]["role"] == "system" else GOOD
    assert await collect(model, TALK) == [Delta("x")]
    assert server.requests[1][2]["messages"] == [
        {"role": "user", "content": "Be brief.\n\nWhen?"},
        {"role": "assistant", "content": "In 1894."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": IMAGE}},
            ],
        },
    ]
    assert await collect(model, (TALK[0], TALK[3])) == [Delta("x")]
    (told,) = server.requests[2][2]["messages"]
    assert (len(server.requests), told["content"][:2]) == (3, [{"type": "text", "text": each} for each in ("Be brief.", "What is this?")])


async def test_a_system_message_that_nothing_follows_becomes_one_of_the_user(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = lambda sent: refusal("No role system.") if sent["messages"][0]["role"] == "system" else GOOD
    assert await collect(model, TALK[:1]) == [Delta("x")]
    assert server.requests[1][2]["messages"] == [{"role": "user", "content": "Be brief."}]


@pytest.mark.parametrize(("status", "message"), [(503, "The system is overloaded; its role is unclear."), (400, "This role is unknown.")])
async def test_a_role_that_is_not_at_fault_stays(
    server: Server, endpoint: OpenAIEndpoint, model: OpenAIModel, status: int, message: str
) -> None:
    server.replies[CHAT] = refusal(message, status)
    with pytest.raises(ModelUnavailable, match=f"status {status}"):
        await collect(model, TALK)
    assert endpoint.quirks == {}
