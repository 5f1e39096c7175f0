"""An endpoint that speaks OpenAI's wire format, over a real socket on this machine."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from footnote.adapters.openai.embedder import OpenAIEmbedder
from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.language_model import OpenAIModel
from footnote.adapters.openai.models import LIST_S, ConfiguredModels
from footnote.adapters.openai.reply_stream import joined
from footnote.errors import ModelTimeout, ModelUnavailable
from footnote.ports import Delta
from footnote.types import Message, Usage
from tests.fakes import LoopClock
from tests.openai_server import Reply, Server, chunk, sse

CHAT, EMBEDDINGS, MODELS = "/v1/chat/completions", "/v1/embeddings", "/v1/models"
ASKED = (Message("system", "Be brief."), Message("user", "When?"))
OPTIONS: dict[str, Any] = {"temperature": 0.2, "max_tokens": 50}


@pytest.fixture
def model(endpoint: OpenAIEndpoint) -> OpenAIModel:
    return OpenAIModel(endpoint, "llama", temperature=0.2, max_tokens=50)


async def collect(model: OpenAIModel, **options: Any) -> list[Delta]:
    """What was sent at once may come in one piece, or in several."""
    return [*joined([delta async for delta in model.stream(ASKED, **options)])]


# --- a reply -----------------------------------------------------------------------------------


async def test_a_reply_comes_in_pieces_with_its_usage_last(server: Server, model: OpenAIModel) -> None:
    usage = {**chunk(), "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}}
    server.replies[CHAT] = sse(
        chunk(role="assistant", content=""), chunk(content="In "), ": ping\n\n", chunk(content="1894"), chunk(), usage
    )
    assert await collect(model) == [Delta("In 1894"), Delta(usage=Usage(7, 3))]
    path, headers, body = server.requests[0]
    assert (path, headers["authorization"]) == (CHAT, "Bearer hush")
    assert body == {
        "model": "llama",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "When?"}],
        "temperature": 0.2,
        "max_tokens": 50,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_kept_apart_from_the_text(server: Server, model: OpenAIModel, field: str) -> None:
    server.replies[CHAT] = sse(chunk(**{field: "Hm."}), chunk(content="1894"))
    assert await collect(model) == [Delta(thinking="Hm."), Delta("1894")]


async def test_a_question_may_set_its_own_temperature_and_length(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = sse(chunk(content="x"))
    await collect(model, temperature=0.0, max_tokens=9)
    assert (server.requests[0][2]["temperature"], server.requests[0][2]["max_tokens"]) == (0.0, 9)


async def test_a_piece_is_given_as_soon_as_it_is_there(server: Server, model: OpenAIModel) -> None:
    more = asyncio.Event()
    server.replies[CHAT] = sse(chunk(content="a"), more, chunk(content="b"))
    stream = model.stream(ASKED, total_s=5)
    assert await anext(stream) == Delta("a")
    more.set()
    assert [delta async for delta in stream] == [Delta("b")]


async def test_a_reply_may_take_longer_than_its_beginning(server: Server, model: OpenAIModel) -> None:
    clock, more = LoopClock(), asyncio.Event()
    server.replies[CHAT] = sse(chunk(content="a"), more, chunk(content="b"))
    stream = model.stream(ASKED, first_token_s=10, total_s=100)
    assert await anext(stream) == Delta("a")
    clock.advance(25)
    more.set()
    assert [delta async for delta in stream] == [Delta("b")]


# --- what goes wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize("first", [(), (chunk(role="assistant", content=""),)])
async def test_a_model_that_does_not_begin_in_time_is_given_up(server: Server, model: OpenAIModel, first: tuple[Any, ...]) -> None:
    never = asyncio.Event()
    server.replies[CHAT] = sse(*first, never, chunk(content="late"))
    with pytest.raises(ModelTimeout, match="llama did not answer in time"):
        await collect(model, first_token_s=0.1, total_s=5)
    never.set()


async def test_a_model_that_does_not_end_in_time_is_given_up_after_what_it_said(server: Server, model: OpenAIModel) -> None:
    never = asyncio.Event()
    server.replies[CHAT] = sse(chunk(content="a"), never)
    stream = model.stream(ASKED, first_token_s=5, total_s=0.3)
    assert await anext(stream) == Delta("a")
    with pytest.raises(ModelTimeout):
        await anext(stream)
    never.set()


@pytest.mark.parametrize("piece", [{"content": "b"}, {"reasoning_content": "Hm."}, {"content": ""}, {"tool_calls": [{"index": 0}]}])
async def test_a_reply_that_stalls_is_given_up_and_any_piece_is_a_sign_of_life(
    server: Server, endpoint: OpenAIEndpoint, piece: dict[str, Any]
) -> None:
    clock, more, last, never = LoopClock(), asyncio.Event(), asyncio.Event(), asyncio.Event()
    server.replies[CHAT] = sse(chunk(content="a"), more, chunk(**piece), last, chunk(content="c"), never)
    stream = OpenAIModel(endpoint, "llama", **OPTIONS, stall_timeout_s=30).stream(ASKED, first_token_s=10, total_s=1000)
    assert await anext(stream) == Delta("a")
    for sent in (more, last):
        clock.advance(20)
        sent.set()
        await asyncio.sleep(0.05)
    while not (await anext(stream)).text.endswith("c"):
        pass
    task = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0.05)
    clock.advance(29)
    await asyncio.sleep(0.05)
    assert not task.done()
    clock.advance(2)
    with pytest.raises(ModelTimeout, match="llama did not answer in time"):
        await task
    never.set()


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(401, ('{"error": {"message": "bad key hush"}}',)), "rejected the key. Check LLM__API_KEY"),
        (Reply(403, ("{}",)), "rejected the key"),
        (Reply(404, ("{}",)), "has no model llama. Check LLM__MODEL"),
        (Reply(429, ("{}",)), "over its rate limit"),
        (Reply(500, ("Traceback: hush",), "text/plain"), "responded with status 500"),
        (Reply(400, ("{}",)), "responded with status 400"),
        (sse(chunk(content="a"), 'data: {"error": {"message": "hush"}}\n\n'), "reply broke off"),
        (sse(chunk(content="a"), "data: {broken\n\n"), "reply broke off"),
        (sse(chunk(content="a"), None), "reply broke off"),
        (Reply(200, (None,), "text/event-stream"), "cannot be reached"),
    ],
)
async def test_errors_of_an_endpoint_contain_no_secrets(server: Server, model: OpenAIModel, reply: Reply, told: str) -> None:
    server.replies[CHAT] = reply
    with pytest.raises(ModelUnavailable, match=told) as caught:
        await collect(model)
    assert not isinstance(caught.value, ModelTimeout)
    assert caught.value.__cause__ is not None
    assert "hush" not in caught.value.detail
    assert server.url not in caught.value.detail
    assert len(server.requests) == 1  # nothing is retried here


async def test_a_page_instead_of_a_stream_is_no_reply(server: Server, model: OpenAIModel) -> None:
    server.replies[CHAT] = Reply(200, ("<html>Sign in</html>",), "text/html")
    with pytest.raises(ModelUnavailable, match="sent no reply"):
        await collect(model)


async def test_a_name_that_somebody_made_up_is_not_kept(server: Server, endpoint: OpenAIEndpoint) -> None:
    server.replies[CHAT] = Reply(404, ("{}",))
    with pytest.raises(ModelUnavailable, match="has no model"):
        await collect(OpenAIModel(endpoint, "made up", **OPTIONS))
    assert endpoint.quirks == {}


async def test_an_endpoint_that_is_not_there_cannot_be_reached() -> None:
    endpoint = OpenAIEndpoint("http://127.0.0.1:1/v1", None)
    with pytest.raises(ModelUnavailable, match=r"cannot be reached\. Check LLM__BASE_URL"):
        await collect(OpenAIModel(endpoint, "llama", **OPTIONS))
    await endpoint.close()


# --- which model -------------------------------------------------------------------------------


def listed(*names: str) -> Reply:
    data = [{"id": name, "object": "model", "created": 1, "owned_by": "x"} for name in names]
    return Reply(200, (json.dumps({"object": "list", "data": data}),))


async def picked(models: ConfiguredModels, name: str | None = None) -> str | None:
    model = await models.pick(name)
    return model.name if model else None


async def test_the_model_is_the_one_asked_for_or_configured_or_listed_first(server: Server) -> None:
    server.replies[MODELS] = listed("first", "second")
    models = ConfiguredModels(f"{server.url}/v1", "mine", None, **OPTIONS)
    assert (await picked(models), await picked(models, "other")) == ("mine", "other")
    assert server.requests == []
    models = ConfiguredModels(f"{server.url}/v1", None, None, **OPTIONS)
    assert (await picked(models), await picked(models)) == ("first", "first")
    assert [path for path, _, _ in server.requests] == [MODELS]
    await models.close()
    assert await picked(ConfiguredModels(None, None, "key", **OPTIONS)) == "gpt-4o-mini"


async def test_an_endpoint_that_lists_no_model_says_what_to_set(server: Server) -> None:
    models = ConfiguredModels(f"{server.url}/v1", None, None, **OPTIONS)
    server.replies[MODELS] = listed()
    with pytest.raises(ModelUnavailable, match="Set LLM__MODEL"):
        await models.pick(None)
    server.replies[MODELS] = Reply(500, ("{}",))
    with pytest.raises(ModelUnavailable, match="status 500"):
        await models.pick(None)
    await models.close()


async def test_an_endpoint_that_never_lists_its_models_is_given_up_in_time(server: Server) -> None:
    models, never, loop = ConfiguredModels(f"{server.url}/v1", None, None, **OPTIONS), asyncio.Event(), LoopClock()
    server.replies[MODELS] = Reply(200, (never,))
    picking = asyncio.create_task(models.pick(None))
    while not server.requests:
        await asyncio.sleep(0)
    loop.advance(LIST_S + 1)
    with pytest.raises(ModelTimeout, match="Set LLM__MODEL"):
        await picking
    never.set()
    await models.close()


# --- embeddings --------------------------------------------------------------------------------


async def test_vectors_of_another_length_than_configured_name_the_setting(server: Server, endpoint: OpenAIEndpoint) -> None:
    data = [{"object": "embedding", "index": 0, "embedding": [3.0, 4.0]}]
    server.replies[EMBEDDINGS] = Reply(200, (json.dumps({"object": "list", "model": "m", "data": data}),))
    with pytest.raises(ModelUnavailable, match=r"length 2, not 768\. Set EMBEDDING__DIMENSION"):
        await OpenAIEmbedder(endpoint, "m", 768).embed(["x"])
    assert (await OpenAIEmbedder(endpoint, "m", 2).embed(["x"])).round(4).tolist() == [[0.6000000238418579, 0.800000011920929]]
    server.replies[EMBEDDINGS] = Reply(429, ("{}",))
    with pytest.raises(ModelUnavailable, match="over its rate limit"):
        await OpenAIEmbedder(endpoint, "m", 2).embed(["x"])


@pytest.mark.parametrize(
    "data",
    [
        None, [], "x", [{}], [{"embedding": None}], [{"embedding": ["a", "b"]}], [{"embedding": [3.0, 4.0]}],
        [{"embedding": [3.0, 4.0]}, {"embedding": [1.0]}], [{"embedding": [3.0, 4.0]}, {"embedding": [0.0, None]}],
    ],
)  # fmt: skip
async def test_a_reply_without_a_vector_for_every_text_is_an_error(server: Server, endpoint: OpenAIEndpoint, data: Any) -> None:
    server.replies[EMBEDDINGS] = Reply(200, (json.dumps({"object": "list", "data": data}),))
    with pytest.raises(ModelUnavailable, match="unexpected response instead of vectors"):
        await OpenAIEmbedder(endpoint, "m", 2).embed(["x", "y"])


async def test_a_vector_without_a_direction_stays_as_it_is(server: Server, endpoint: OpenAIEndpoint) -> None:
    data = [{"embedding": [3.0, 4.0]}, {"embedding": [0.0, 0.0]}]
    server.replies[EMBEDDINGS] = Reply(200, (json.dumps({"object": "list", "data": data}),))
    made = await OpenAIEmbedder(endpoint, "m", 2).embed(["x", "y"])
    assert made.round(4).tolist() == [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]


async def test_questions_and_passages_are_sent_with_the_prefixes_of_their_model(server: Server, endpoint: OpenAIEndpoint) -> None:
    data = [{"embedding": [3.0, 4.0]}]
    server.replies[EMBEDDINGS] = Reply(200, (json.dumps({"object": "list", "data": data}),))
    embedder = OpenAIEmbedder(endpoint, "m", 2, ("search_query: ", "search_document: "))
    await embedder.embed(["When?"], query=True)
    await embedder.embed(["In 1894."])
    sent = [(body["model"], body["input"]) for _, _, body in server.requests]
    assert sent == [("m", ["search_query: When?"]), ("m", ["search_document: In 1894."])]


@pytest.mark.parametrize(
    ("prefixes", "name"),
    [
        (("", ""), "m"),
        (("query: ", ""), "m"),
        (("query: ", "passage: "), 'm "passage: "'),
        (("query: ", "passage:"), 'm "passage:"'),
    ],
)
def test_vectors_of_passages_are_told_apart_by_the_prefix_before_them(
    endpoint: OpenAIEndpoint, prefixes: tuple[str, str], name: str
) -> None:
    assert OpenAIEmbedder(endpoint, "m", 2, prefixes).name == name


async def test_a_page_in_place_of_vectors_is_told(server: Server, endpoint: OpenAIEndpoint) -> None:
    server.replies[EMBEDDINGS] = Reply(200, ("<html>Sign in</html>",), "text/html")
    with pytest.raises(ModelUnavailable, match="unexpected response instead of vectors"):
        await OpenAIEmbedder(endpoint, "m", 2).embed(["x", "y"])
