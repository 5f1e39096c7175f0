"""Values asked of a model, at endpoints that take a schema, refuse it, or ignore it, over a real socket on this machine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field

from footnote.adapters.openai.models import ConfiguredModels
from footnote.adapters.openai.wire import ModelRefused
from footnote.adapters.resilience.models import ResilientModels, RetryPolicy
from footnote.errors import ModelUnavailable, UnusableReply
from footnote.model_calls import ask, read_value
from footnote.tracing import collect_calls
from footnote.types import Message, Usage
from tests.fakes import FakeModel, FakeModels, LoopClock
from tests.openai_server import Reply, Server, chunk, sse
from tests.turns import make_turn

CHAT = "/v1/chat/completions"
QUESTION = [Message("user", 'When? Reply with nothing but JSON: {"year": …, "where": "…"}')]
USED = {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 4}}


class Built(BaseModel, defer_build=True):
    year: int = Field(description="a whole number")
    where: str = Field(description="a text, a city")


FORMAT = {
    "type": "json_schema",
    "json_schema": {
        "name": "reply",
        "schema": {
            "type": "object",
            "properties": {
                "year": {"type": "integer", "description": "a whole number"},
                "where": {"type": "string", "description": "a text, a city"},
            },
            "required": ["year", "where"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
GOOD = '{"year": 1894, "where": "Köln"}'


@pytest.fixture
async def models(server: Server) -> AsyncIterator[ResilientModels]:
    configured = ConfiguredModels(f"{server.url}/v1", "tiny", None, temperature=None, max_tokens=50)
    models = ResilientModels(configured, retry_policy=RetryPolicy(0))
    yield models
    await models.close()


async def built(models: Any) -> Built:
    return await ask(models, None, QUESTION, Built, max_tokens=50, timeout_s=9)


def says(text: str) -> Reply:
    return sse(chunk(content=text[:5]), chunk(content=text[5:]), USED)


def formats(server: Server) -> list[Any]:
    return [body.get("response_format") for _, _, body in server.requests]


def refusing(status: int, body: str) -> Callable[[Any], Reply]:
    return lambda sent: Reply(status, (body,)) if "response_format" in sent else says(GOOD)


async def test_an_endpoint_that_takes_a_schema_is_sent_it(server: Server, models: Any) -> None:
    server.replies[CHAT] = says(GOOD)
    assert await built(models) == Built(year=1894, where="Köln")
    assert formats(server) == [FORMAT]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."}}),
        (400, {"error": "'response_format.type' must be 'json_object' or 'text'"}),
        (400, {"error": {"message": "This model does not support response format `json_schema`.", "type": "invalid_request_error"}}),
        (400, {"object": "error", "message": "The provided JSON schema contains features not supported by xgrammar."}),
        (400, {"error": {"code": 400, "message": "JSON schema conversion failed"}}),
        (422, {"error": "Tool error: grammar is not supported"}),
        (400, {}),
        (500, {"error": {"code": 500, "message": 'response_format type must be one of "text" or "json_object", but got: json_schema'}}),
    ],
    ids=["openai", "lm studio", "groq", "vllm", "llama.cpp", "tgi", "says nothing", "llama.cpp, with a 500"],
)
async def test_a_schema_that_was_refused_is_not_sent_again(server: Server, models: Any, status: int, body: Any) -> None:
    server.replies[CHAT] = refusing(status, json.dumps(body))
    for _ in range(2):
        assert (await built(models)).year == 1894
    assert formats(server) == [FORMAT, None, None]


async def test_a_request_refused_with_and_without_a_schema_says_nothing_about_schemas(server: Server, models: Any) -> None:
    server.replies[CHAT] = Reply(400, ('{"error": {"message": "The context is too long."}}',))
    with pytest.raises(ModelRefused, match="status 400"):
        await built(models)
    server.replies[CHAT] = says(GOOD)
    await built(models)
    assert formats(server) == [FORMAT, None, FORMAT]


async def test_an_endpoint_that_is_down_is_not_asked_without_a_schema(server: Server, models: Any) -> None:
    server.replies[CHAT] = Reply(503, ('{"error": {"message": "overloaded"}}',))
    with pytest.raises(ModelUnavailable):
        await built(models)
    assert formats(server) == [FORMAT]


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! Here it is:\n```json\n{GOOD}\n```\nAnything else?",
        f'I was asked for {{"year": …}} and an empty {{}}. {GOOD}',
        f"<think>{{}}</think>{GOOD}",
        f"[{GOOD}]",
    ],
)
async def test_an_endpoint_that_ignores_a_schema_may_write_prose_around_the_value(server: Server, models: Any, text: str) -> None:
    server.replies[CHAT] = says(text)
    assert await built(models) == Built(year=1894, where="Köln")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("first", "fault"),
    [
        ("It was built in 1894.", "It contains no JSON object."),
        ('{"year": 1894', "It contains no JSON object."),
        ('{"year": "then"}', "year: Input should be a valid integer, unable to parse string as an integer. where: Field required."),
    ],
)
async def test_a_reply_that_does_not_fit_is_answered_with_what_is_wrong_about_it(
    server: Server, models: Any, first: str, fault: str
) -> None:
    replies = [says(first), says(GOOD)]
    server.replies[CHAT] = lambda _: replies.pop(0)
    with collect_calls("rewrite", make_turn()) as collector:
        assert (await built(models)).where == "Köln"
    before, after = (body["messages"] for _, _, body in server.requests)
    assert after[:2] == [*before, {"role": "assistant", "content": first}]
    assert after[2]["content"].splitlines() == [
        f"Your reply cannot be used: {fault}",
        "Reply once more, with one JSON object and nothing else. It has these fields:",
        '"year": a whole number',
        '"where": a text, a city',
        "Write the texts in the language that you were asked to write them in.",
    ]
    assert [(call.model, call.usage) for call in collector.calls] == [("tiny", Usage(20, 4))] * 2


async def test_two_replies_that_do_not_fit_are_an_error_that_quotes_neither(server: Server, models: Any) -> None:
    server.replies[CHAT] = says("It was built in 1894.")
    with collect_calls("rewrite", make_turn()) as collector, pytest.raises(UnusableReply) as caught:
        await built(models)
    assert (len(server.requests), caught.value.detail) == (2, "The language model's reply cannot be used")
    assert [call.usage for call in collector.calls] == [Usage(20, 4)] * 2


async def test_the_time_limit_is_that_of_both_calls() -> None:
    clock = LoopClock()

    class Slow(FakeModel):
        async def stream(self, messages, **options):  # type: ignore[no-untyped-def]
            async for delta in super().stream(messages, **options):
                clock.advance(6)
                yield delta

    model = Slow([["no"], ["no"]])
    with pytest.raises(UnusableReply):
        await built(FakeModels(model))
    assert [round(sent.options["total_s"]) for sent in model.sent] == [9, 3]
    model = Slow([["n", "o"]])
    with pytest.raises(UnusableReply):
        await built(FakeModels(model))
    assert len(model.sent) == 1


async def test_an_empty_reply_and_no_model_are_errors_as_of_any_call() -> None:
    with pytest.raises(ModelUnavailable, match="empty answer"):
        await built(FakeModels(FakeModel([["<think>Hm.</think>"]])))
    with pytest.raises(ModelUnavailable, match="There is no language model"):
        await built(FakeModels(None))


def test_half_a_character_in_a_value_is_repaired() -> None:
    assert read_value(r'{"year": 1, "where": "K\ud83d"}', Built).where == "K\ufffd"


@pytest.mark.parametrize("text", ['{"a": ' * 2000, "[" * 5000 + "{}", "{" * 3000])
def test_nesting_without_end_is_no_object(text: str) -> None:
    with pytest.raises(ValueError, match=r"It contains no JSON object|Field required"):
        read_value(text, Built)
