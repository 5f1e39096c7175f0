"""OpenAI's API, with OpenAI's client over a socket."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from footnote.bootstrap import Core
from footnote.errors import ModelTimeout
from footnote.ports import Delta
from footnote.settings import LLM, Auth, Embedding, Limits, Settings
from footnote.types import Caller, Exchange, Usage
from footnote_query.app import create_app
from footnote_query.dialects.openai.turns import ChatMessage, earlier
from tests.fakes import Piece, make_document, put_document, work_all
from tests.functions.conftest import LOCAL, QUESTION, OpenSite, Serve, Site, read_events

ASKED: Any = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
BRIDGE_URL = "/documents/bridge/content?chunk_id=bridge%23000#page=3"


SPOKEN = {
    "en": (QUESTION, "The bridge was built in 1894.", "It was built in 1894 [1].", "Searching the documents", "Passages found: 1"),
    "de": (
        "Wann wurde die Brücke gebaut?",
        "Die Brücke wurde 1894 gebaut.",
        "Sie wurde 1894 gebaut – für Fußgänger [1].",
        "Die Dokumente werden durchsucht",
        "Gefundene Textstellen: 1",
    ),
    "ko": ("다리는 언제 지어졌나요?", "다리는 1894년에 지어졌다.", "1894년에 지어졌습니다 [1].", "문서를 검색하는 중", "찾은 구절: 1개"),
}


class Open:
    """A site, its address, and OpenAI's client for it."""

    def __init__(self, site: Site, address: str, client: AsyncOpenAI) -> None:
        self.site, self.address, self.client = site, address, client


OpenClient = Callable[..., Awaitable[Open]]


@pytest.fixture
async def connect(open_site: OpenSite, serve: Serve) -> AsyncIterator[OpenClient]:
    async with AsyncExitStack() as stack:

        async def open_(*reply: Piece, **options: Any) -> Open:
            site = await open_site(*reply, **options)
            address = await serve(site.app)
            client = AsyncOpenAI(base_url=f"{address}/v1", api_key="unused", max_retries=0)
            return Open(site, address, await stack.enter_async_context(client))

        yield open_


# --- a whole reply -----------------------------------------------------------------------------


@pytest.mark.parametrize("lang", SPOKEN)
async def test_an_answer_carries_its_citations_twice_as_annotations_and_in_full(lang: str, connect: OpenClient) -> None:
    question, passage, answer, *_ = SPOKEN[lang]
    to = await connect(answer, Delta(usage=Usage(11, 7)), filled=False)
    await put_document(to.site.core.generations, make_document("bridge", title="Records", groups=("*",)), [passage], lang=lang, page=3)
    messages: Any = [
        {"role": "system", "content": "You are a pirate."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": [{"type": "text", "text": question}]},
    ]
    reply = await to.client.chat.completions.create(model="footnote", messages=messages, temperature=0.1, max_tokens=50, user="ann")
    (choice,) = reply.choices
    assert (choice.message.role, choice.message.content, choice.finish_reason) == ("assistant", answer, "stop")
    (annotation,) = choice.message.annotations or ()
    marked = annotation.url_citation
    assert answer[marked.start_index : marked.end_index] == "[1]"
    assert (marked.title, marked.url) == ("Records", to.address + BRIDGE_URL)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens) == (11, 7, 18)
    more = reply.model_extra or {}
    assert more["citations"] == [
        {
            "number": 1,
            "doc_id": "bridge",
            "chunk_id": "bridge#000",
            "title": "Records",
            "page": 3,
            "snippet": passage,
            "url": to.address + BRIDGE_URL,
        }
    ]
    block = await to.site.core.turns.get(LOCAL, more["trace_id"])
    assert (block["dialect"], block["conversations"][0]["content"], block["lang"]) == ("openai", question, lang)


@pytest.mark.parametrize("streamed", [False, True])
async def test_an_unsupported_answer_is_withheld_where_it_is_not_streamed(streamed: bool, open_site: OpenSite) -> None:
    site = await open_site("It was built in 1777 by pirates [1].")
    assert (await site.client.put("/settings/rag.output_check", json={"value": "reject"})).status_code == 200
    for path, body in (("/v1/chat/completions", ASKED), ("/v1/responses", {"model": "footnote", "input": QUESTION})):
        site.core.models.model.replies = [["It was built in 1777 by pirates [1]."]]  # type: ignore[attr-defined]
        reply = await site.client.post(path, json=body | {"stream": streamed})
        assert reply.status_code == 200
        assert (re.search(r"\b1777\b", reply.text) is not None) is streamed


async def test_model_options_of_clients_are_passed_on(open_site: OpenSite) -> None:
    site = await open_site("In 1894 [1].")
    body = ASKED | {"temperature": 0.1, "max_tokens": 5, "max_completion_tokens": 50, "top_p": 0.5, "tools": [], "seed": 1, "n": 1}
    assert (await site.client.post("/v1/chat/completions", json=body)).status_code == 200
    model = await site.core.models.pick(None)
    assert model.sent[0].options["temperature"] == 0.1  # type: ignore[union-attr]
    assert model.sent[0].options["max_tokens"] == 50  # type: ignore[union-attr]


def test_an_earlier_message_counts_as_long_as_a_question_may_be() -> None:
    said = [("user", "x" * 3000), ("assistant", "It was."), ("user", "And then?")]
    assert earlier([ChatMessage(role=role, content=text) for role, text in said]) == (Exchange("x" * 2000, "It was."),)


async def test_earlier_messages_are_the_conversation_that_a_follow_up_is_understood_by(open_site: OpenSite) -> None:
    site = await open_site('{"queries": ["When was the bridge built?"]}')
    model: Any = await site.core.models.pick(None)
    model.replies.append(["In 1894 [1]."])
    messages = [
        {"role": "user", "content": "Never answered"},
        *[
            {"role": role, "content": f"{said} {number}"}
            for number in range(1, 6)
            for role, said in (("user", "A bridge"), ("assistant", "Yes"))
        ],
        {"role": "user", "content": [{"type": "text", "text": "And when was it built?"}]},
    ]
    reply = await site.client.post("/v1/chat/completions", json=ASKED | {"messages": messages})
    assert reply.json()["choices"][0]["message"]["content"] == "In 1894 [1]."
    rewriting, answering = model.sent
    assert [f"A bridge {number}" in rewriting.messages[0].content for number in range(1, 6)] == [False, True, True, True, True]
    assert "Never answered" not in rewriting.messages[0].content
    said, asked = answering.messages[1:-1], answering.messages[-1].content
    assert [message.content for message in said[:2]] == ["A bridge 1", "Yes 1"]
    assert len(said) == 10
    assert asked.endswith(f"And when was it built?\n\n(The documents were searched for: {QUESTION})")


@pytest.mark.parametrize(
    ("headers", "origin"),
    [
        ({}, "http://footnote.test"),
        ({"host": "10.0.0.7:81"}, "http://10.0.0.7:81"),
        ({"x-forwarded-proto": "https, http", "x-forwarded-host": "docs.example.org"}, "https://docs.example.org"),
        ({"x-forwarded-proto": "https"}, "https://footnote.test"),
    ],
)
async def test_addresses_are_those_that_the_client_used(headers: dict[str, str], origin: str, open_site: OpenSite) -> None:
    site = await open_site()
    body = (await site.client.post("/v1/chat/completions", json=ASKED, headers=headers)).json()
    assert body["citations"][0]["url"] == origin + BRIDGE_URL


@pytest.mark.parametrize("url", ["https://docs.example.org", "https://docs.example.org/"])
async def test_the_configured_base_url_overrides_forwarded_headers(url: str, tmp_path: Path, clock: Any, open_client: Any) -> None:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), public_url=url)
    core = Core(settings, clock=clock)
    await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), ["The bridge was built in 1894."], page=3)
    client = await open_client(lambda _: create_app(lambda: core))
    forged = {"x-forwarded-proto": "http", "x-forwarded-host": "evil.example"}
    body = (await client.post("/v1/chat/completions", json=ASKED, headers=forged)).json()
    await core.close()
    assert body["citations"][0]["url"] == "https://docs.example.org" + BRIDGE_URL


# --- streams -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", SPOKEN)
async def test_a_stream_says_what_it_does_then_the_answer_then_its_sources(lang: str, connect: OpenClient) -> None:
    question, passage, answer, searching, found = SPOKEN[lang]
    to = await connect(Delta(thinking="Hm."), answer[:9], answer[9:], Delta(usage=Usage(11, 7)), filled=False)
    await put_document(to.site.core.generations, make_document("bridge", title="Records", groups=("*",)), [passage], lang=lang, page=3)
    stream = await to.client.chat.completions.create(
        model="footnote", messages=[{"role": "user", "content": question}], stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert len({(chunk.id, chunk.model, chunk.created) for chunk in chunks}) == 1
    *forged, usage = chunks
    deltas = [chunk.choices[0].delta for chunk in forged]
    assert (deltas[0].role, "".join(delta.content or "" for delta in deltas)) == ("assistant", answer)
    assert [text for delta in deltas if (text := (delta.model_extra or {}).get("reasoning_content"))] == ["Hm."]
    assert [chunk.choices[0].finish_reason for chunk in forged] == [None] * (len(forged) - 1) + ["stop"]
    assert (usage.choices, usage.usage.total_tokens if usage.usage else None) == ([], 18)
    url = to.address + BRIDGE_URL
    *statuses, source = [event for chunk in forged if (event := (chunk.model_extra or {}).get("event"))]
    assert statuses == [
        {"type": "status", "data": {"description": searching, "done": False}},
        {"type": "status", "data": {"description": found, "done": True}},
    ]
    score = source["data"].pop("distances")
    name = {"en": "Records, p. 3", "de": "Records, S. 3", "ko": "Records, 3쪽"}[lang]
    assert 0 < score[0] <= 1
    assert source == {
        "type": "source",
        "data": {
            "source": {"id": url, "name": name, "url": url},
            "document": [passage],
            "metadata": [{"source": url, "name": name, "source_url": url, "external": True, "page": 2}],
        },
    }
    last = forged[-1].model_extra or {}
    assert [citation["url"] for citation in last["citations"]] == [url]
    assert (forged[-2].model_extra or {})["type"] == "response.output_text.annotation.added"  # which Open WebUI ignores
    (annotation,) = (deltas[-2].model_extra or {})["annotations"]
    marked = annotation["url_citation"]
    assert (answer[marked["start_index"] : marked["end_index"]], marked["url"]) == ("[1]", url)
    assert (await to.site.core.turns.get(LOCAL, last["trace_id"]))["status"] == "done"


async def test_streamed_markers_are_numbered_as_the_sources_are(open_site: OpenSite) -> None:
    site = await open_site("Ferries cross the river [", "2]. Nobody knows [9]. The bridge is painted blue [1]", " [2].")
    body = ASKED | {"messages": [{"role": "user", "content": "The bridge, and ferries on the river?"}], "stream": True}
    reply = await site.client.post("/v1/chat/completions", json=body)
    assert reply.text.endswith("\n\ndata: [DONE]\n\n")
    chunks = read_events(reply.text.removesuffix("data: [DONE]\n\n"))
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert text == "Ferries cross the river [1]. Nobody knows. The bridge is painted blue [2] [1]."
    sources = [chunk["event"]["data"]["document"][0] for chunk in chunks if chunk.get("event", {}).get("type") == "source"]
    assert [each["number"] for each in chunks[-1]["citations"]] == [1, 2]
    assert [each["snippet"] for each in chunks[-1]["citations"]] == sources
    spans = [each["url_citation"] for each in chunks[-2]["choices"][0]["delta"]["annotations"]]
    assert [text[span["start_index"] : span["end_index"]] for span in spans] == ["[1]", "[2]", "[1]"]


async def test_a_stream_that_breaks_off_raises_in_the_client_and_is_not_done(connect: OpenClient) -> None:
    to = await connect("It was built", " then", ModelTimeout("The model took too long."))
    heard = []

    async def listen() -> None:
        async for chunk in await to.client.chat.completions.create(**ASKED, stream=True):
            heard.append(chunk.choices[0].delta.content or "")

    with pytest.raises(openai.APIError, match=r"The model took too long\. \(trace [0-9a-f]{32}\)") as error:
        await listen()
    assert "".join(heard) == "It was built then"
    assert error.value.type == "server_error"


# --- models ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("sure_of_little")
async def test_every_collection_that_a_caller_may_read_is_a_model(connect: OpenClient) -> None:
    to = await connect(caller=Caller("ann", frozenset({"eng"})), filled=False)
    for name, collection, groups in (("a.txt", "town", ["*"]), ("b.txt", "pay", ["hr"])):
        await to.site.core.ingestor.accept(
            LOCAL, b"The ferry leaves at noon.", file_name=name, collection=collection, permission_groups=groups
        )
    await work_all(to.site.core)
    assert [model.id async for model in await to.client.models.list()] == ["footnote", "footnote/town"]
    reply = await to.client.chat.completions.create(
        model="footnote/town", messages=[{"role": "user", "content": "When does the ferry leave?"}]
    )
    assert (reply.choices[0].message.content, reply.model) == ("**a**\n\nThe ferry leaves at noon. [1]", "footnote/town")
    for unknown in ("footnote/pay", "footnote/none", "gpt-4o", "footnotes"):
        with pytest.raises(openai.NotFoundError) as error:
            await to.client.chat.completions.create(**ASKED | {"model": unknown})
        assert (error.value.code, error.value.param, error.value.type) == ("model_not_found", "model", "invalid_request_error")
        with pytest.raises(openai.NotFoundError):
            await to.client.models.retrieve(unknown)


async def test_one_model_is_described_and_an_unknown_one_is_not(connect: OpenClient) -> None:
    to = await connect(filled=False)
    await to.site.core.ingestor.accept(LOCAL, b"The ferry leaves.", file_name="a.txt", collection="town", permission_groups=["*"])
    await work_all(to.site.core)
    for name in ("footnote", "footnote/town", "footnote:maximum", "footnote/town:basic"):
        model = await to.client.models.retrieve(name)
        assert (model.id, model.object, model.owned_by) == (name, "model", "footnote")
    assert [model.id async for model in await to.client.models.list()] == ["footnote", "footnote/town"]
    unknown = "footnote/none", "footnote/none:basic", "footnote:high", "footnote/town:high", "footnote:", "footnote/town:", "footnote/"
    for name in unknown:
        with pytest.raises(openai.NotFoundError) as error:
            await to.client.models.retrieve(name)
        assert (error.value.code, error.value.type) == ("model_not_found", "invalid_request_error")
        assert ":basic, :standard, :enhanced, :maximum" in error.value.message
        for asked in (to.client.chat.completions.create(**ASKED | {"model": name}), to.client.responses.create(model=name, input="x")):
            with pytest.raises(openai.NotFoundError) as error:
                await asked
            assert (error.value.code, error.value.param) == ("model_not_found", "model")


# --- invalid requests -----------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("changes", "param", "text"),
    [
        ({"n": 2}, "n", "Input should be 1"),
        ({"response_format": {"type": "json_object"}}, "response_format.type", "Input should be 'text'"),
        ({"tool_choice": "required"}, "tool_choice", "Input should be 'none' or 'auto'"),
        ({"messages": []}, "messages", "at least 1 item"),
        ({"messages": [{"role": "system", "content": "Hi"}]}, None, "There is no message with role user."),
        ({"messages": [{"role": "user", "content": None}]}, None, "There is no message with role user."),
        ({"messages": [{"role": "user", "content": ""}]}, None, "The question is empty."),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]},
            None,
            "contains a part of type “image_url”. Only text is supported.",
        ),
    ],
)
async def test_a_request_that_cannot_be_used_is_a_400_in_the_shape_of_openai(
    changes: dict[str, Any], param: str | None, text: str, stream: bool, open_site: OpenSite
) -> None:
    site = await open_site()
    reply = await site.client.post("/v1/chat/completions", json=ASKED | changes | {"stream": stream})
    error = reply.json()["error"]
    assert (reply.status_code, error["type"], error["param"], error["code"]) == (400, "invalid_request_error", param, None)
    assert text in error["message"]
    assert len(reply.headers["x-trace-id"]) == 32


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("POST", "/v1/chat/completions", b"{", 400),
        ("POST", "/v1/chat/completions", b"x" * (2**20 + 1), 413),
        ("GET", "/v1/chat/completions", None, 405),
        ("DELETE", "/v1/models", None, 405),
        ("POST", "/v1/embeddings", b"{}", 404),
        ("GET", "/v1/files/none", None, 404),
        ("GET", "/v1", None, 404),
    ],
)
async def test_an_error_before_a_route_has_the_same_format(
    method: str, path: str, content: bytes | None, status: int, open_site: OpenSite
) -> None:
    site = await open_site()
    reply = await site.client.request(method, path, content=content, headers={"content-type": "application/json"})
    assert reply.status_code == status
    assert set(reply.json()["error"]) == {"message", "type", "param", "code"}
    assert reply.json()["error"]["message"]
    assert (await site.client.get("/v10")).headers["content-type"] == "application/problem+json"


async def test_unauthorized_and_rate_limited_requests_get_an_error_in_the_same_format(tmp_path: Path, clock: Any, open_client: Any) -> None:
    keys = {"ann": {"key": "ann-key"}}
    settings = Settings(
        footnote_data=tmp_path,
        embedding=Embedding(builtin=False),
        llm=LLM(discover=False),
        auth=Auth.model_validate({"mode": "api_key", "api_keys": keys}),
        limits=Limits(user_per_minute=1),
    )
    core = Core(settings, clock=clock)
    client = await open_client(lambda _: create_app(lambda: core))
    ann = {"authorization": "Bearer ann-key"}
    replies = [await client.post("/v1/chat/completions", json=ASKED, headers=headers) for headers in ({}, ann, ann)]
    await core.close()
    assert [reply.status_code for reply in replies] == [401, 200, 429]
    errors = [reply.json()["error"] for reply in replies[::2]]
    assert [(error["type"], error["code"]) for error in errors] == [
        ("invalid_request_error", "invalid_api_key"),
        ("rate_limit_error", "rate_limit_exceeded"),
    ]
    assert int(replies[2].headers["retry-after"]) >= 1


# --- tasks of Open WebUI ----------------------------------------------------------
