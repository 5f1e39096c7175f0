"""Errors of a stream, before its first token and after it, are reported as documented on every streaming route."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import product
from typing import Any

import httpx
import pytest

from footnote.errors import (
    BadRequest,
    FootnoteError,
    ModelTimeout,
    ModelUnavailable,
    SearchUnavailable,
    StepTimeout,
    StoreUnavailable,
    TooManyRequests,
    Unauthorized,
)
from footnote.types import Caller
from footnote_http.callers import caller_of
from tests.fakes import FakeModel, FakeModels
from tests.functions.conftest import ASK, QUESTION, OpenSite, Site

PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n....").decode()
SAID = (
    "It was built in 1894, and painted blue by hand in the same year. Ferries cross the river beside it every hour. Its three piers are of"
    " stone, its deck is of wood, and the toll house at its northern end has been a museum since the last war. "
)
"""More than an agent keeps back."""
DOWN = "This part is down."

TRD = ("POST /ask/stream", "GET /ask/stream")
SEARCHING = (*TRD, "POST /v2/rag/query")
MODELS_OWN = ("POST /v2/gpt/query", "POST /v2/pa/query", "POST /v2/vision/query")
OPENAI = "POST /v1/chat/completions"
WITH_ROOM = SEARCHING + MODELS_OWN
EVERY = (*WITH_ROOM, OPENAI)


class Failing:
    """A part whose every method fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def close(self) -> None:
        pass

    async def drain(self) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def fail(*args: Any, **options: Any) -> Any:
            raise self._error

        return fail


async def ask(client: httpx.AsyncClient, route: str, question: str = QUESTION) -> httpx.Response:
    method, path = route.split()
    if route == OPENAI:
        body: dict[str, Any] = {"model": "footnote", "stream": True, "messages": [{"role": "user", "content": question}]}
    elif path == "/ask/stream":
        body = ASK | {"query_text": question, "room_id": "r"}
    else:
        body = {"query": question, "room_id": "r"} | ({"images": [PNG]} if "vision" in path else {})
    return await client.request(method, path, **({"params": body} if method == "GET" else {"json": body}))


def check_problem(route: str, reply: httpx.Response, status: int, error: FootnoteError | None) -> None:
    """Before the first token: a status, and an error body in the format of the route."""
    body, expected = reply.json(), error.detail if error else None
    trace_id = reply.headers["x-trace-id"]
    if route in TRD:
        assert reply.headers["content-type"] == "application/problem+json"
        assert set(body) == {"type", "title", "status", "detail", "trace_id"}
        assert (body["status"], body["trace_id"]) == (status, trace_id)
        assert expected in (None, body["detail"])
    elif route == OPENAI:
        assert set(body) == {"error"}
        assert set(body["error"]) == {"message", "type", "param", "code"}
        assert expected in (None, body["error"]["message"])
        status = 400 if status == 422 else status
    else:
        assert set(body) == {"type", "content", "detail", "final_response", "usage"}
        assert (body["type"], body["final_response"], body["usage"]["total_tokens"]) == ("error", "", 0)
        assert body["detail"].endswith(f" (trace {trace_id})")
        assert expected in (None, body["detail"].rpartition(" (trace ")[0])
        status = 500 if isinstance(error, StoreUnavailable) else status
    assert reply.status_code == status
    assert "Traceback" not in reply.text


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site(SAID)


@pytest.mark.parametrize("route", EVERY)
async def test_a_question_that_is_too_long_gets_no_stream(route: str, site: Site) -> None:
    check_problem(route, await ask(site.client, route, "why " * 600), 422, None)


@pytest.mark.parametrize("route", EVERY)
async def test_without_sign_in_there_is_no_stream(route: str, open_site: OpenSite) -> None:
    site, error = await open_site(SAID), Unauthorized("Sign in first.")

    def unauthorized() -> Caller:
        raise error

    site.app.dependency_overrides[caller_of] = unauthorized
    check_problem(route, await ask(site.client, route), 401, error)


@pytest.mark.parametrize("route", EVERY)
async def test_too_many_questions_get_a_time_to_wait_instead_of_a_stream(route: str, open_site: OpenSite) -> None:
    site, error = await open_site(SAID, caller=Caller("ann")), TooManyRequests("Too many.", retry_after_s=7)
    site.core.limiter = Failing(error)  # type: ignore[assignment]
    reply = await ask(site.client, route)
    check_problem(route, reply, 429, error)
    assert reply.headers["retry-after"] == "7"


@pytest.mark.parametrize("route", [route for route in EVERY if route not in ("GET /ask/stream", "POST /v2/vision/query")])
async def test_a_body_that_is_too_long_gets_no_stream(route: str, site: Site) -> None:
    check_problem(route, await ask(site.client, route, "a" * 2**21), 413, None)


@pytest.mark.sample
@pytest.mark.parametrize(
    ("route", "error"),
    [
        *product((*SEARCHING, OPENAI), (RuntimeError(DOWN), BadRequest(DOWN))),
        *product(("POST /v2/rag/query", OPENAI), (SearchUnavailable(DOWN), StepTimeout(DOWN))),  # the others give a safe answer
    ],
)
async def test_a_search_that_fails_is_a_status(route: str, error: Exception, site: Site) -> None:
    site.core.index = Failing(error)  # type: ignore[assignment]
    ours = error if isinstance(error, FootnoteError) else FootnoteError()
    check_problem(route, await ask(site.client, route), ours.status, ours)


@pytest.mark.sample
@pytest.mark.parametrize("error", [StoreUnavailable(DOWN), StepTimeout(DOWN), RuntimeError(DOWN)], ids=repr)
@pytest.mark.parametrize("route", WITH_ROOM)
async def test_a_conversation_that_cannot_be_read_is_a_status(route: str, error: Exception, site: Site) -> None:
    site.core.turns = Failing(error)  # type: ignore[assignment]
    ours = error if isinstance(error, FootnoteError) else FootnoteError()
    check_problem(route, await ask(site.client, route), ours.status, ours)


@pytest.mark.parametrize("route", MODELS_OWN)
async def test_a_question_that_needs_a_missing_model_is_a_503_with_the_remedy(route: str, open_site: OpenSite) -> None:
    site = await open_site()
    reply = await ask(site.client, route)
    check_problem(route, reply, 503, None)
    assert "No language model is configured. Connect one in the page" in reply.json()["detail"]


@pytest.mark.parametrize("mode", ["gpt", "pa"])
async def test_an_unreachable_model_is_distinguished_from_a_missing_one(mode: str, open_site: OpenSite) -> None:
    site = await open_site()
    asked = ASK | {"mode": mode}
    none = (await site.client.post("/ask/stream", json=asked)).json()
    site.core.models = FakeModels(ModelUnavailable(DOWN))
    down = (await site.client.post("/ask/stream", json=asked)).json()
    assert none["type"] == "urn:footnote:no-model"
    assert (down["type"], down["detail"]) == ("urn:footnote:model-unavailable", DOWN)


@pytest.mark.parametrize("error", [ModelUnavailable(DOWN), ModelTimeout(DOWN), RuntimeError(DOWN)], ids=repr)
@pytest.mark.parametrize("route", MODELS_OWN)
async def test_a_model_that_fails_before_its_first_word_is_a_status_if_only_it_answers(
    route: str, error: Exception, open_site: OpenSite
) -> None:
    site = await open_site()
    site.core.models = FakeModels(FakeModel([[error], [error]]))  # an agent asks again, without tools
    ours = error if isinstance(error, FootnoteError) else FootnoteError()
    check_problem(route, await ask(site.client, route), ours.status, ours)


@pytest.mark.sample
@pytest.mark.parametrize("error", [ModelUnavailable(DOWN), ModelTimeout(DOWN), RuntimeError(DOWN)], ids=repr)
@pytest.mark.parametrize("route", EVERY)
async def test_an_error_after_the_first_token_is_the_last_message(route: str, error: Exception, open_site: OpenSite) -> None:
    site = await open_site(SAID, error)
    reply = await ask(site.client, route)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    trace_id = reply.headers["x-trace-id"]
    messages = [json.loads(line.removeprefix("data: ")) for line in reply.text.split("\n") if line.startswith("data: ")]
    last = messages[-1]
    ours = error if isinstance(error, FootnoteError) else FootnoteError()
    if route == OPENAI:
        assert set(last) == {"error"}
        assert last["error"]["message"] == f"{ours.detail} (trace {trace_id})"
        spoken = "".join(message["choices"][0]["delta"].get("content", "") for message in messages[:-1] if message["choices"])
    else:
        assert set(last) == {"type", "content", "detail", "final_response", "usage"} | ({"trace_id", "problem"} if route in TRD else set())
        assert (last["type"], last["detail"]) == ("error", f"{ours.detail} (trace {trace_id})")
        assert ours.title in last["content"]
        spoken = "".join(message["content"] for message in messages if message["type"] == "token")
        assert last["final_response"] == spoken
    assert spoken
    assert SAID.startswith(spoken)
    assert [message for message in messages if message.get("type") == "done"] == []


async def test_a_stream_that_ended_in_an_error_can_be_asked_for_again(open_site: OpenSite) -> None:
    site = await open_site(SAID, ModelUnavailable(DOWN))
    trace_id = (await ask(site.client, TRD[0])).headers["x-trace-id"]
    reply = await site.client.post("/ask/stream", json=ASK, headers={"last-event-id": f"{trace_id}.0"})
    last = json.loads(reply.text.split("data: ")[-1])
    assert (reply.status_code, last["type"], last["detail"]) == (200, "error", f"{DOWN} (trace {trace_id})")
