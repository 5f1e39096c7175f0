"""OpenAI's Responses API, with OpenAI's client over a socket; and citations as links."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from footnote.ports import Delta
from footnote.types import Usage
from tests.fakes import Piece
from tests.functions.conftest import LOCAL, QUESTION, OpenSite, Serve, Site, read_events

BRIDGE_URL = "/documents/bridge/content?chunk_id=bridge%23000#page=3"
ASKED: Any = {"model": "footnote", "input": QUESTION}

Connect = Callable[..., Awaitable[tuple[Site, str, AsyncOpenAI]]]


@pytest.fixture
async def connect(open_site: OpenSite, serve: Serve) -> AsyncIterator[Connect]:
    async with AsyncExitStack() as stack:

        async def open_(*reply: Piece, **options: Any) -> tuple[Site, str, AsyncOpenAI]:
            site = await open_site(*reply, **options)
            address = await serve(site.app)
            client = AsyncOpenAI(base_url=f"{address}/v1", api_key="unused", max_retries=0)
            return site, address, await stack.enter_async_context(client)

        yield open_


async def test_a_response_carries_its_citations_as_annotations(connect: Connect) -> None:
    site, address, client = await connect("It was built in 1894 [1].", Delta(usage=Usage(11, 7)))
    reply = await client.responses.create(**ASKED, temperature=0.1, max_output_tokens=50, instructions="Be a pirate.", store=True)
    assert (reply.status, reply.output_text, reply.incomplete_details, reply.model) == (
        "completed", "It was built in 1894 [1].", None, "footnote",
    )  # fmt: skip
    (part,) = reply.output[0].content  # type: ignore[union-attr]
    (annotation,) = part.annotations  # type: ignore[union-attr]
    assert annotation.type == "url_citation"
    assert reply.output_text[annotation.start_index : annotation.end_index] == "[1]"
    assert (annotation.title, annotation.url) == ("Records", address + BRIDGE_URL)
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.total_tokens) == (11, 7, 18)
    model: Any = await site.core.models.pick(None)
    assert (model.sent[0].options["temperature"], model.sent[0].options["max_tokens"]) == (0.1, 50)
    more = reply.model_extra or {}
    assert [each["number"] for each in more["citations"]] == [1]
    assert (await site.core.turns.get(LOCAL, more["trace_id"]))["conversations"][0]["content"] == QUESTION


async def test_the_sdk_puts_a_stream_together(connect: Connect) -> None:
    _, address, client = await connect("In 1894 [1].")
    async with client.responses.stream(**ASKED) as stream:
        final = await stream.get_final_response()
    assert final.output_text == "In 1894 [1]."
    assert final.output[0].content[0].annotations[0].url == address + BRIDGE_URL  # type: ignore[union-attr]


async def test_earlier_messages_are_the_conversation(connect: Connect) -> None:
    site, _, client = await connect('{"queries": ["When was the bridge built?"]}')
    model: Any = await site.core.models.pick(None)
    model.replies.append(["In 1894 [1]."])
    said: Any = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "input_text", "text": "Tell me of the bridge"}]},
        {"type": "reasoning", "id": "r", "summary": []},
        {"role": "assistant", "content": [{"type": "output_text", "text": "It is blue."}]},
        {"role": "user", "content": [{"type": "input_text", "text": "And when was it built?"}]},
    ]
    reply = await client.responses.create(model="footnote", input=said)
    assert reply.output_text == "In 1894 [1]."
    assert "Tell me of the bridge" in model.sent[0].messages[0].content
    *earlier, asked = model.sent[1].messages[1:]
    assert [message.content for message in earlier] == ["Tell me of the bridge", "It is blue."]
    assert asked.content.endswith(f"And when was it built?\n\n(The documents were searched for: {QUESTION})")


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"text": {"format": {"type": "json_object"}}}, "text.format.type: Input should be 'text'"),
        ({"tool_choice": "required"}, "tool_choice: Input should be 'none' or 'auto'"),
        ({"background": True}, "background: Input should be False"),
        ({"previous_response_id": "resp_1"}, "Send the whole conversation as `input`"),
        ({"input": []}, "There is no message with role user."),
        ({"input": [{"content": "Who?"}]}, "a message has no role"),
        ({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "data:,"}]}]}, "a part of type “input_image”"),
    ],
)
async def test_an_invalid_request_is_a_400(changes: dict[str, Any], text: str, connect: Connect) -> None:
    _, _, client = await connect()
    with pytest.raises(openai.BadRequestError) as error:
        await client.responses.create(**ASKED | changes)
    assert text in error.value.message
    assert error.value.type == "invalid_request_error"


# --- warnings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "warned"), [("It was built in 1777 by pirates [1].", "unfounded"), ("It was built in 1894 [1].", "")])
async def test_the_warnings_are_in_the_metadata_which_openais_client_reads(text: str, warned: str, connect: Connect) -> None:
    site, _, client = await connect(text)
    said: Any = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
    response = await client.responses.create(**ASKED)
    found = [response.metadata]
    for stream in (False, True):
        site.core.models.model.replies.append([text])  # type: ignore[attr-defined]
        completed: Any = await client.chat.completions.create(**said, stream=stream)
        found.append([chunk async for chunk in completed][-1].metadata if stream else completed.metadata)
    assert found == [{"warnings": warned}] * 3


# --- links -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("sure_of_little")
@pytest.mark.parametrize("reply", [("Ferries cross [", "2]. It is blue [1, 2]."), ()], ids=["model", "quoted"])
async def test_citations_are_markdown_links_where_the_request_says_so(reply: tuple[str, ...], open_site: OpenSite) -> None:
    site = await open_site(*reply)
    question = "The bridge, and ferries on the river?" if reply else QUESTION
    body = {"model": "footnote", "messages": [{"role": "user", "content": question}], "citation_style": "links"}
    whole = (await site.client.post("/v1/chat/completions", json=body)).json()
    text = whole["choices"][0]["message"]["content"]
    link = {each["number"]: f"[{each['number']}]({each['url']})" for each in whole["citations"]}
    assert link[1].startswith("[1](http://footnote.test/documents/bridge/content?chunk_id=bridge%23")
    assert text == (
        f"Ferries cross {link[1]}. It is blue {link[2]} {link[1]}."
        if reply
        else f"**Records**\n\nThe bridge was built in 1894. It is painted blue. {link[1]}"
    )
    spans = [each["url_citation"] for each in whole["choices"][0]["message"]["annotations"]]
    assert [text[span["start_index"] : span["end_index"]] for span in spans] == ([link[1], link[2], link[1]] if reply else [link[1]])
    if reply:
        site.core.models.model.replies.append(reply)  # type: ignore[attr-defined]
    response = (await site.client.post("/v1/responses", json=ASKED | {"input": question, "citation_style": "links"})).json()
    assert response["output"][0]["content"][0]["text"] == text


async def test_links_are_not_split_in_a_stream_and_only_sent_on_request(open_site: OpenSite) -> None:
    site = await open_site("In 1894 [", "1", "].")
    model: Any = await site.core.models.pick(None)
    model.replies.append(["In 1894 [1]."])
    body = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
    streamed = await site.client.post("/v1/chat/completions", json=body | {"stream": True, "citation_style": "links"})
    pieces = [chunk["choices"][0]["delta"].get("content", "") for chunk in read_events(streamed.text.removesuffix("data: [DONE]\n\n"))]
    assert [piece for piece in pieces if "[" in piece] == [f" [1](http://footnote.test{BRIDGE_URL})."]
    plain = (await site.client.post("/v1/chat/completions", json=body)).json()
    assert plain["choices"][0]["message"]["content"] == "In 1894 [1]."
