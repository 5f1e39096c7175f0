"""An admin connects a language model: what is tried and saved, where keys go, and who may do it."""

from __future__ import annotations

import json
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.settings import LLM, Embedding, Settings
from footnote.settings.saved_model import FILE
from footnote.types import Caller
from footnote_query.app import create_app
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, as_caller
from tests.openai_server import Reply, Server, chunk, serving, sse

ANN = Caller("ann", frozenset({"*"}))
KEY = "sk-hush-0123456789"
Open = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def endpoint() -> AsyncIterator[Server]:
    """Lists two models, which answer."""
    async with serving() as server:
        listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in ("small", "large")]}
        server.replies = {
            "/v1/models": Reply(body=(json.dumps(listed),)),
            "/v1/chat/completions": sse(chunk(content="In 1894 it was built [^bridge].")),
        }
        yield server


@pytest.fixture
async def open_(tmp_path: Path) -> AsyncIterator[Open]:
    async with AsyncExitStack() as stack:

        async def open_(caller: Caller = LOCAL, *, file: Path | None = tmp_path / FILE, **llm: Any) -> httpx.AsyncClient:
            settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(**{"discover": False} | llm))
            core = Core(settings, saved_model=file)
            stack.push_async_callback(core.close)
            await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
            transport = httpx.ASGITransport(as_caller(caller, create_app)(lambda: core))
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test"))

        yield open_


def keys_sent(server: Server) -> set[str]:
    return {headers["authorization"] for _, headers, _ in server.requests}


async def model_that_answers(client: httpx.AsyncClient) -> str | None:
    return (await client.post("/ask", json=ASK)).json()["model"]


async def test_a_trial_lists_the_models_asks_one_and_saves_nothing(open_: Open, endpoint: Server, tmp_path: Path) -> None:
    client = await open_()
    tried = (await client.post("/model/try", json={"base_url": f"{endpoint.url}/v1", "api_key": KEY})).json()
    assert (tried["listed"], tried["model"], tried["problem"]) == (["small", "large"], "small", None)
    assert 0 < tried["seconds"] < 15
    assert keys_sent(endpoint) == {f"Bearer {KEY}"}
    assert not (tmp_path / FILE).exists()
    assert (await client.get("/model")).json()["model"] is None


@pytest.mark.parametrize(
    ("status", "problem"),
    [(401, "rejected the key"), (404, "has no model large"), (429, "is over its rate limit"), (500, "responded with status 500")],
)
async def test_a_trial_that_fails_says_why_and_still_lists(open_: Open, endpoint: Server, status: int, problem: str) -> None:
    endpoint.replies["/v1/chat/completions"] = Reply(status, ("{}",))
    tried = (await (await open_()).post("/model/try", json={"base_url": f"{endpoint.url}/v1", "model": "large"})).json()
    assert (tried["listed"], tried["model"], tried["seconds"]) == (["small", "large"], "large", None)
    assert problem in tried["problem"]


async def test_an_endpoint_that_lists_nothing_is_asked_for_the_model_given(open_: Open, endpoint: Server) -> None:
    del endpoint.replies["/v1/models"]
    tried = (await (await open_()).post("/model/try", json={"base_url": f"{endpoint.url}/v1", "model": "large"})).json()
    assert (tried["listed"], tried["model"], tried["problem"]) == ([], "large", None)


async def test_nothing_that_listens_is_a_problem_too(open_: Open) -> None:
    assert (await (await open_()).post("/model/try", json={})).json()["problem"] == "No language model is configured."
    tried = (await (await open_()).post("/model/try", json={"base_url": "http://127.0.0.1:9/v1"})).json()
    assert tried["problem"] == "The language model's endpoint cannot be reached. Check LLM__BASE_URL."


async def test_a_connected_model_answers_the_next_question_until_it_is_removed(open_: Open, endpoint: Server, tmp_path: Path) -> None:
    client = await open_()
    assert await model_that_answers(client) is None
    saved = await client.put("/model", json={"base_url": f"{endpoint.url}/v1", "model": "large", "api_key": KEY})
    assert saved.status_code == 204
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert await model_that_answers(client) == "large"
    assert keys_sent(endpoint) == {f"Bearer {KEY}"}
    shown = (await client.get("/model/endpoint")).json()
    assert shown["providers"][0] == {"key": "ollama", "name": "Ollama", "base_url": "http://localhost:11434/v1", "needs_key": False}
    del shown["providers"]
    assert shown == {"base_url": f"{endpoint.url}/v1", "model": "large", "has_key": True, "source": "saved", "changeable": True}
    assert (await client.delete("/model")).status_code == 204
    assert not (tmp_path / FILE).exists()
    assert await model_that_answers(client) is None


async def test_the_audit_log_has_the_change_and_nothing_shows_the_key(open_: Open, endpoint: Server) -> None:
    client = await open_()
    body = {"base_url": f"{endpoint.url}/v1", "api_key": KEY}
    replies = [await client.post("/model/try", json=body), await client.put("/model", json=body)]
    replies += [await client.get(path) for path in ("/model", "/model/endpoint", "/settings", "/audit")]
    replies += [await client.put("/model", json={**body, "base_url": ["no text"]}), await client.put("/model", json={**body, "model": 7})]
    assert [reply.status_code for reply in replies] == [200, 204, 200, 200, 200, 200, 422, 422]
    assert not [reply.request.url for reply in replies if KEY in reply.text]
    entries = (await client.get("/audit")).json()["data"]
    assert [entry["action"] for entry in entries if entry["action"].startswith("model")] == ["model.set"]


async def test_a_saved_key_is_kept_for_its_address_and_sent_to_no_other(open_: Open, endpoint: Server) -> None:
    client = await open_()
    await client.put("/model", json={"base_url": f"{endpoint.url}/v1", "api_key": KEY})
    await client.put("/model", json={"base_url": f"{endpoint.url}/v1", "model": "large"})
    assert await model_that_answers(client) == "large"
    async with serving() as other:
        other.replies = endpoint.replies
        await client.post("/model/try", json={"base_url": f"{other.url}/v1"})
        await client.put("/model", json={"base_url": f"{other.url}/v1"})
        assert await model_that_answers(client) == "small"
        assert keys_sent(other) == {"Bearer none"}
    assert keys_sent(endpoint) == {f"Bearer {KEY}"}


async def test_the_key_of_a_saved_endpoint_without_an_address_is_kept_for_openais(open_: Open, tmp_path: Path) -> None:
    client = await open_()
    await client.put("/model", json={"api_key": KEY})
    await client.put("/model", json={"base_url": "https://api.openai.com/v1", "model": "gpt-4o"})
    assert json.loads((tmp_path / FILE).read_text())["api_key"] == KEY


async def test_a_provider_is_named_by_its_key(open_: Open) -> None:
    client = await open_()
    await client.put("/model", json={"base_url": "openrouter", "model": "m", "api_key": KEY})
    assert (await client.get("/model/endpoint")).json()["base_url"] == "https://openrouter.ai/api/v1"
    azure = await client.put("/model", json={"base_url": "azure", "api_key": KEY})
    assert (azure.status_code, azure.json()["detail"]) == (
        422,
        "Give the address with your own part in place of the braces: https://{resource}.openai.azure.com/openai/v1",
    )


@pytest.mark.parametrize("address", ["ftp://example.org", "http://ann:pass@example.org/v1", "http://example.org/v1?key=1", "example"])
async def test_an_invalid_address_is_refused(open_: Open, address: str) -> None:
    client = await open_()
    for reply in (await client.put("/model", json={"base_url": address}), await client.post("/model/try", json={"base_url": address})):
        assert reply.status_code == 422
        assert reply.json()["detail"].startswith("The address must begin with http:// or https://")


@pytest.mark.parametrize("key", ["sk with space", "sk\r\nx-admin: 1", "schlüssel", "k" * 5000])
async def test_a_key_that_no_header_can_carry_is_refused(open_: Open, endpoint: Server, key: str) -> None:
    client = await open_()
    reply = await client.put("/model", json={"base_url": f"{endpoint.url}/v1", "api_key": key})
    assert (reply.status_code, reply.json()["detail"]) == (422, "The API key contains a space, or a character that no key has.")


async def test_a_configured_endpoint_is_shown_without_its_key(open_: Open, endpoint: Server) -> None:
    client = await open_(base_url=f"{endpoint.url}/v1", api_key=KEY, model="large")
    shown = (await client.get("/model/endpoint")).json()
    assert (shown["source"], shown["base_url"], shown["has_key"]) == ("configured", f"{endpoint.url}/v1", True)


async def test_where_the_endpoint_is_deployed_it_is_shown_and_tried_but_not_changed(open_: Open, endpoint: Server) -> None:
    client = await open_(file=None, base_url=f"{endpoint.url}/v1")
    assert (await client.get("/model/endpoint")).json()["changeable"] is False
    assert (await client.post("/model/try", json={"base_url": f"{endpoint.url}/v1"})).json()["problem"] is None
    for reply in (await client.put("/model", json={"base_url": "ollama"}), await client.delete("/model")):
        assert (reply.status_code, "LlmBaseUrl" in reply.json()["detail"]) == (409, True)
    assert not [entry for entry in (await client.get("/audit")).json()["data"] if entry["action"].startswith("model")]


async def test_only_admins_see_try_and_change_the_endpoint(open_: Open, endpoint: Server, tmp_path: Path) -> None:
    client = await open_(ANN)
    body = {"base_url": f"{endpoint.url}/v1"}
    replies = [await client.get("/model/endpoint"), await client.post("/model/try", json=body)]
    replies += [await client.put("/model", json=body), await client.delete("/model")]
    assert [reply.status_code for reply in replies] == [403] * 4
    assert (endpoint.requests, (tmp_path / FILE).exists()) == ([], False)


async def test_numbered_markers_are_asked_for_where_a_program_shows_the_text(open_: Open, endpoint: Server) -> None:
    endpoint.replies["/v1/chat/completions"] = sse(chunk(content="It was built in 1894 [1]."))
    client = await open_(base_url=f"{endpoint.url}/v1", model="large")
    reply = (await client.post("/ask", json={**ASK, "citation_style": "numbered"})).json()
    assert reply["answer"] == "It was built in 1894 [1]."
    assert [citation["number"] for citation in reply["citations"]] == [1]
    assert (await client.post("/ask", json={**ASK, "citation_style": "footnotes"})).status_code == 422
