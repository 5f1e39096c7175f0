"""Headers for a gateway in front of the models, and the ids of calls in the spans of a turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from pydantic import SecretStr

from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, ApiKey, Auth, Embedding, Fallback, Settings
from footnote_query.app import create_app
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, QUESTION
from tests.openai_server import Reply, Server, chunk, serving, sse

CHAT = "/v1/chat/completions"
OURS = ("x-dep-ticket", "send-system-name", "user-id", "user-type", "prompt-msg-id", "completion-msg-id")
KEYS = Auth(mode="api_key", api_keys={"김 민수": ApiKey(key="k" * 20)})
TOKEN = {"api-key": "k" * 20}

Open = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def gateway() -> AsyncIterator[Server]:
    async with serving() as server:
        server.replies[CHAT] = sse(chunk(content="It was built in 1894 [^bridge]."))
        yield server


@pytest.fixture
async def open_with(tmp_path: Path, clock: Clock, gateway: Server) -> AsyncIterator[Open]:
    async with AsyncExitStack() as stack:

        async def open_(auth: Auth = KEYS, ticket: str | None = None, **llm: Any) -> httpx.AsyncClient:
            model = LLM(discover=False, base_url=f"{gateway.url}/v1", model="m", retries=0, **llm)
            settings = Settings(
                footnote_data=tmp_path,
                embedding=Embedding(builtin=False),
                llm=model,
                auth=auth,
                dep_ticket=SecretStr(ticket) if ticket else None,
            )
            core = Core(settings, clock=clock)
            stack.push_async_callback(core.close)
            await put_document(core.generations, make_document("bridge", groups=("*",)), BRIDGE)
            transport = httpx.ASGITransport(create_app(lambda: core), raise_app_exceptions=False)
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test"))

        yield open_


def our_headers(server: Server) -> list[dict[str, str]]:
    """Our headers of each model call."""
    return [{name: headers[name] for name in OURS if name in headers} for path, headers, _ in server.requests if path == CHAT]


async def test_by_default_an_endpoint_gets_no_data_about_the_caller(open_with: Open, gateway: Server) -> None:
    client = await open_with()
    reply = (await client.post("/ask", json=ASK | {"debug": True}, headers={**TOKEN, "x-dep-ticket": "t-1"})).json()
    assert our_headers(gateway) == [{}]
    assert not any("prompt_msg_id" in step["out"] for step in reply["debug"]["steps"])


async def test_a_gateway_gets_the_caller_and_its_ids_are_in_the_span_of_the_step(open_with: Open, gateway: Server) -> None:
    client = await open_with(ticket="t-0", system_name="Footnote", user_type="AD")
    reply = (await client.post("/ask", json=ASK | {"debug": True}, headers=TOKEN)).json()
    (headers,) = our_headers(gateway)
    assert headers == {
        "x-dep-ticket": "t-0",
        "send-system-name": "Footnote",
        "user-id": "%EA%B9%80 %EB%AF%BC%EC%88%98",
        "user-type": "AD",
        "prompt-msg-id": str(UUID(reply["trace_id"])),
        "completion-msg-id": str(UUID(headers["completion-msg-id"])),
    }
    steps = {step["name"]: step["out"] for step in reply["debug"]["steps"]}
    ids = {"prompt_msg_id": headers["prompt-msg-id"], "completion_msg_ids": [headers["completion-msg-id"]]}
    assert steps["generate"] == steps["generate"] | ids
    assert [name for name, out in steps.items() if "prompt_msg_id" in out] == ["generate"]
    spans = (await client.get(f"/traces/{reply['trace_id']}", headers=TOKEN)).json()["spans"]
    assert next(span["detail"] for span in spans if span["name"] == "generate") == steps["generate"]


async def test_each_call_of_a_turn_has_an_id_of_its_own_and_the_same_prompts(open_with: Open, gateway: Server) -> None:
    client = await open_with(system_name="Footnote")
    for question in ("When was the bridge built?", "And when was it painted?"):
        await client.post("/v2/rag/query", json={"query": question, "room_id": "r"}, headers=TOKEN)
    first, *second = our_headers(gateway)
    assert len({call["prompt-msg-id"] for call in second}) == 1
    assert len(second) == len({call["completion-msg-id"] for call in second}) >= 2  # the rewrite, and the answer
    assert first["prompt-msg-id"] != second[0]["prompt-msg-id"]
    assert all("x-dep-ticket" not in call for call in (first, *second))


async def test_a_call_that_failed_is_in_its_span_too(open_with: Open, gateway: Server) -> None:
    gateway.replies[CHAT] = Reply(500, ("{}",))
    client = await open_with(system_name="Footnote")
    reply = (await client.post("/ask", json=ASK | {"debug": True}, headers=TOKEN)).json()
    (headers,) = our_headers(gateway)
    answer = next(step for step in reply["debug"]["steps"] if step["name"] == "generate")
    assert (answer["status"], answer["out"]["completion_msg_ids"]) == ("fallback", [headers["completion-msg-id"]])


@pytest.mark.parametrize(
    ("ticket", "sent", "expected"),
    [
        ("t-0", {**TOKEN, "x-dep-ticket": "t-1"}, "t-1"),
        ("t-0", {"x-dep-ticket": "k" * 20}, "t-0"),
        ("t-0", {**TOKEN, "x-dep-ticket": "k" * 20}, "t-0"),
        (None, {**TOKEN, "x-dep-ticket": "t-1"}, None),
    ],
)
async def test_a_requests_ticket_overrides_the_setting_and_no_token_is_forwarded(
    ticket: str | None, sent: dict[str, str], expected: str | None, open_with: Open, gateway: Server
) -> None:
    client = await open_with(ticket=ticket)
    assert (await client.post("/ask", json=ASK, headers=sent)).status_code == 200
    assert [call.get("x-dep-ticket") for call in our_headers(gateway)] == [expected]


@pytest.mark.sample
@pytest.mark.parametrize(
    ("ticket", "sent", "expected"),
    [
        ("t-0", {"x-dep-ticket": "t-1"}, "t-1"),
        ("t-0", {**TOKEN, "x-dep-ticket": "t-1"}, "t-1"),
        ("t-0", {}, "t-0"),
        (None, {"x-dep-ticket": "t-1"}, None),
    ],
)
@pytest.mark.parametrize("path", ["/ask", "/chat"])
async def test_without_sign_in_a_requests_ticket_is_forwarded_too(
    path: str, ticket: str | None, sent: dict[str, str], expected: str | None, open_with: Open, gateway: Server
) -> None:
    client = await open_with(Auth(mode="none"), ticket=ticket)
    asked = ASK if path == "/ask" else {"query": QUESTION}
    assert (await client.post(path, json=asked, headers=sent)).status_code == 200
    assert {call.get("x-dep-ticket") for call in our_headers(gateway)} == {expected}


async def test_another_endpoint_gets_no_gateway_headers(open_with: Open, gateway: Server) -> None:
    gateway.replies[CHAT] = Reply(500, ("{}",))
    async with serving() as other:
        other.replies[CHAT] = sse(chunk(content="It was built in 1894 [^bridge]."))
        client = await open_with(ticket="t-0", system_name="Footnote", fallback=Fallback(base_url=f"{other.url}/v1", model="n"))
        assert (await client.post("/ask", json=ASK, headers=TOKEN)).json()["model"] == "n"
        assert our_headers(other) == [{}]
