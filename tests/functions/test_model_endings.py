"""What every API makes of a model whose reply is truncated or breaks off, by the adapter and over a socket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Cut
from footnote_query.app import create_app
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, QUESTION, Serve, as_caller
from tests.openai_server import Reply, Server, chunk, serving, sse

CHAT = "/v1/chat/completions"
QUOTED = "The language model did not answer. These sentences are quoted from the documents instead."
SAID = "The bridge was built in 1894 [^1]. The bridge was built in 18"
LONG = (
    "The bridge was built in 1894 [^1]. It was painted green by the town, whose council had paid for it. Two ferries crossed the river"
    " before, and nobody misses them. The records were kept in the hall of the parish until it burned down in 19"
)
MESSAGES = [{"role": "user", "content": QUESTION}]

HELD: dict[str, tuple[str, dict[str, Any]]] = {
    "ask": ("/ask", ASK),
    "chat": ("/chat", {"query": QUESTION}),
    "completion": ("/v1/chat/completions", {"model": "footnote", "messages": MESSAGES}),
    "response": ("/v1/responses", {"model": "footnote", "input": QUESTION}),
    "pipeline": ("/v1/chat", {"message": QUESTION}),
    "vexora": ("/api/chat", {"messages": MESSAGES, "rag": {"enabled": True}}),
}
LIVE: dict[str, tuple[str, dict[str, Any]]] = {
    "ask": ("/ask/stream", ASK),
    "completion": ("/v1/chat/completions", {"model": "footnote", "messages": MESSAGES, "stream": True}),
    "response": ("/v1/responses", {"model": "footnote", "input": QUESTION, "stream": True}),
    "pipeline": ("/v1/chat", {"message": QUESTION}),
    "vexora": ("/api/chat", {"messages": MESSAGES, "rag": {"enabled": True}, "stream": True}),
    "v2": ("/v2/rag/query", {"query": QUESTION}),
    "v2_gpt": ("/v2/gpt/query", {"query": QUESTION}),
    "v2_agent": ("/v2/pa/query", {"query": QUESTION}),
}


@dataclass
class Site:
    core: Core
    client: httpx.AsyncClient
    model: Server

    async def ask(self, path: str, body: dict[str, Any], *, live: bool = False) -> httpx.Response:
        return await self.client.post(path, json=body, headers={"accept": "text/event-stream"} if live else {})

    def replies(self, text: str, *ends: dict[str, Any] | str | None, done: bool = False) -> None:
        pieces = [chunk(content=text[at : at + 9]) for at in range(0, len(text), 9)]
        self.model.replies[CHAT] = sse(*pieces, *ends, done=done)

    def asked(self) -> int:
        return sum(path == CHAT for path, _, _ in self.model.requests)


@pytest.fixture
async def site(tmp_path: Path, clock: Clock) -> AsyncIterator[Site]:
    async with serving() as model:
        llm = LLM(base_url=f"{model.url}/v1", model="tiny", api_key=SecretStr("hush-hush"), retries=0)
        core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=llm), clock=clock)
        await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE, page=3)
        transport = httpx.ASGITransport(create_app(lambda: core), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
            yield Site(core, client, model)
        await core.close()


USED = {**chunk(), "choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 7, "total_tokens": 907}}
"""The last chunk of the model's endpoint."""


def end(reason: str) -> dict[str, Any]:
    return {**chunk(), "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def events_of(reply: httpx.Response) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in reply.text.split("\n") if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


# --- what it took --------------------------------------------------------------------------------


def took(body: dict[str, Any]) -> tuple[int, int]:
    """(tokens sent to the model, tokens that it wrote), in either of OpenAI's forms."""
    usage = body["usage"]
    return usage.get("prompt_tokens", usage.get("input_tokens")), usage.get("completion_tokens", usage.get("output_tokens"))


@pytest.mark.parametrize("api", HELD)
async def test_every_reply_has_its_tokens_and_its_trace_id(api: str, site: Site) -> None:
    site.replies("It was built in 1894 [^1].", end("stop"), USED)
    reply = await site.ask(*HELD[api])
    assert (took(reply.json()), reply.json()["trace_id"]) == ((900 * site.asked(), 7 * site.asked()), reply.headers["x-trace-id"])


@pytest.mark.parametrize("api", LIVE)
async def test_every_stream_ends_with_its_tokens_and_its_trace_id(api: str, site: Site) -> None:
    site.replies("It was built in 1894 [^1].", end("stop"), USED)
    reply = await site.ask(*LIVE[api], live=True)
    last = events_of(reply)[-1]
    last = last.get("response", last)
    assert (took(last), last["trace_id"]) == ((900 * site.asked(), 7 * site.asked()), reply.headers["x-trace-id"])


# --- broken off ----------------------------------------------------------------------------------


@pytest.mark.parametrize("api", HELD)
async def test_a_held_answer_that_broke_off_is_quoted_instead_and_not_kept(api: str, site: Site) -> None:
    site.replies(SAID)
    for _ in range(2):
        asked = site.asked()
        reply = await site.ask(*HELD[api])
        assert reply.status_code == 200
        assert "The bridge was built in 1894." in reply.text
        assert 'built in 18"' not in reply.text
        assert "[^1]" not in reply.text
        assert site.asked() > asked
        if "degraded" in reply.json():
            assert reply.json()["degraded"]
        assert reply.json()["warnings"] == ["model_failed"]
    site.replies(SAID.removesuffix(" The bridge was built in 18"), end("stop"))
    asked = site.asked()
    await site.ask(*HELD[api])
    assert site.asked() > asked  # the quotes were not kept, either


@pytest.mark.parametrize("api", LIVE)
async def test_a_live_answer_that_broke_off_ends_with_an_error(api: str, site: Site) -> None:
    site.replies(LONG)
    for asked in (1, 2):
        reply = await site.ask(*LIVE[api], live=True)
        assert "data: [DONE]" not in reply.text
        events = events_of(reply)
        told = json.dumps(events[-1])
        assert "The language model's reply broke off. Ask again." in told
        if api not in ("completion", "response"):
            assert events[-1]["type"] == "error"
            assert "The bridge was built in 1894" in events[-1]["final_response"]
        assert not any(event.get("type") in ("done", "response.completed") for event in events)
        assert site.asked() == asked


async def test_the_turn_of_an_answer_that_broke_off_has_the_status_error(site: Site) -> None:
    site.replies(SAID)
    reply = await site.ask(*LIVE["ask"], live=True)
    stored = await site.client.get(f"/turns/{reply.headers['x-trace-id']}")
    assert (stored.status_code, stored.json()["status"]) == (200, "error")
    assert stored.json()["answer"].startswith("The bridge was built in 1894")


async def test_a_query_that_broke_off_is_not_searched_for(site: Site) -> None:
    site.replies("The bridge was built in 1894 [^1].", end("stop"))
    first = (await site.ask("/ask", ASK)).json()
    site.model.replies[CHAT] = lambda sent: (
        sse(chunk(content='{"query": "ferries"}'), done=False)
        if "response_format" in sent
        else sse(chunk(content="In 1894 [^bridge]."), end("stop"))
    )
    reply = (await site.ask("/ask", ASK | {"query_text": "And who painted it?", "room_id": first["room_id"]})).json()
    assert "response_format" in site.model.requests[1][2]
    assert "ferries" not in " ".join(reply["searched_for"])
    assert (reply["degraded"], reply["outcome"]) == (True, "answered")


@pytest.mark.parametrize("api", [api for api in LIVE if not api.startswith("v2")])
async def test_a_stream_of_quotes_says_that_they_stand_in_for_the_model(api: str, site: Site) -> None:
    site.model.replies[CHAT] = Reply(500, ("{}",))
    events = events_of(await site.ask(*LIVE[api], live=True))
    last = next(event for event in reversed(events) if event.get("choices") != [])
    assert last.get("response", last)["warnings"] == ["model_failed"]


async def test_where_no_model_was_to_answer_nothing_stands_in_for_it(tmp_path: Path, clock: Clock, site: Site) -> None:
    core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)), clock=clock)
    transport = httpx.ASGITransport(create_app(lambda: core))
    async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
        reply = (await client.post("/ask", json=ASK)).json()
    await core.close()
    assert (reply["extractive"], reply["warnings"]) == (True, [])


# --- refused -------------------------------------------------------------------------------------

LIMITED = Reply(400, ('{"error": {"message": "This tier has no access to tiny with the key hush-hush."}}',))


async def test_admins_learn_what_the_endpoint_said(site: Site) -> None:
    site.model.replies[CHAT] = LIMITED
    said = "The language model's endpoint responded with status 400. “This tier has no access to tiny with the key ….”"
    reply = (await site.ask("/ask", ASK)).json()
    quoted = "These sentences are quoted from the documents instead."
    assert reply["notice"] == f"{said} The model at {site.model.url}/v1 did not answer. {quoted}"
    stored = (await site.client.get(f"/turns/{reply['trace_id']}")).json()
    assert stored["notice"] == reply["notice"]
    failed = (await site.ask("/ask", ASK | {"mode": "gpt"})).json()
    assert failed["detail"] == said
    (model, *_) = (await site.client.get("/admin/health")).json()["data"]
    assert (model["state"], model["detail"]) == ("broken", said)


async def test_nobody_else_learns_what_the_endpoint_said(site: Site) -> None:
    site.model.replies[CHAT] = LIMITED
    transport = httpx.ASGITransport(as_caller(Caller("ann"), create_app)(lambda: site.core))
    async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
        reply = await client.post("/ask", json=ASK)
        assert (reply.json()["model_failed"], reply.json()["notice"]) == (True, QUOTED)
        failed = await client.post("/ask", json=ASK | {"mode": "gpt"})
        assert failed.json()["detail"] == "The language model's endpoint responded with status 400."
        stored = await client.get(f"/turns/{reply.json()['trace_id']}")
    assert "tier has" not in reply.text + failed.text + stored.text
    assert "tier has" not in (await site.client.get(f"/traces/{reply.json()['trace_id']}")).text


# --- truncated -----------------------------------------------------------------------------------

CUTS: tuple[Cut, ...] = ("length", "content_filter")
INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


def told(api: str, body: dict[str, Any]) -> object:
    """How the API says that an answer is truncated."""
    if api == "completion":
        return body["choices"][0]["finish_reason"]
    if api == "response":
        return (body["status"], body["incomplete_details"]["reason"])
    return [warning for warning in body["warnings"] if warning.startswith("cut")]


def expected(api: str, cut: Cut) -> object:
    return {"completion": cut, "response": ("incomplete", INCOMPLETE[cut])}.get(api, [f"cut_{cut}"])


@pytest.mark.sample
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("api", HELD)
async def test_a_truncated_answer_says_so_every_time(api: str, cut: Cut, site: Site) -> None:
    text = "The bridge was built in 1894 [1]. It" if api != "ask" else "The bridge was built in 1894 [^1]. It"
    site.replies(text.replace("[1]", "[Source 1]") if api == "pipeline" else text, end(cut))
    for _ in range(2):
        asked = site.asked()
        reply = await site.ask(*HELD[api])
        assert told(api, reply.json()) == expected(api, cut)
        assert "in 1894" in reply.text
        assert site.asked() > asked
        assert (await site.client.get(f"/turns/{reply.headers['x-trace-id']}")).json()["finish_reason"] == cut


async def test_a_notice_in_place_of_a_truncated_answer_says_so(site: Site) -> None:
    site.replies("The bridge was built", end("length"))
    reply = (await site.ask(*HELD["chat"])).json()
    assert (reply["answer"], reply["warnings"]) == ("The generated answer cites no source, so it is not shown.", ["cut_length"])


@pytest.mark.sample
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("api", LIVE)
async def test_a_truncated_stream_says_so_every_time(api: str, cut: Cut, site: Site) -> None:
    site.replies("The bridge was built in 1894. It", end(cut))
    for asked in (1, 2):
        events = events_of(await site.ask(*LIVE[api], live=True))
        last = next(event for event in reversed(events) if event.get("choices") != [])
        assert told(api, last.get("response", last)) == expected(api, cut)
        assert site.asked() == asked


@pytest.mark.parametrize("cut", CUTS)
async def test_a_truncated_answer_says_so_to_a_client_of_mcp(cut: Cut, site: Site, serve: Serve) -> None:
    from mcp import Client

    site.replies("The bridge was built in 1894 [1]. It", end(cut))
    async with Client(f"{await serve(create_app(lambda: site.core))}/mcp") as client:
        result = await client.call_tool("ask", {"question": QUESTION})
    assert result.structured_content["warnings"] == [f"cut_{cut}"]
