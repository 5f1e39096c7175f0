"""`Idempotency-Key`: a repeated request is answered only once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from footnote.errors import StoreUnavailable
from footnote.types import Caller
from tests.functions.conftest import ASK, LOCAL, QUESTION, OpenSite, Site, read_events
from tests.recordings.play import Failing

REPLIES = {
    "/ask": (ASK, ("It was built in 1894 [^bridge].",)),
    "/ask/stream": (ASK, ("It was built in 1894 [^bridge].",)),
    "/chat": ({"query": QUESTION, "session_id": "r1"}, ("It was built in 1894 [1].",)),
    "/v2/rag/query": ({"query": QUESTION, "room_id": "r1"}, ("It was built in 1894.\nSOURCES_USED: 1",)),
    "/v2/gpt/query": ({"query": QUESTION, "room_id": "r1"}, ("In 1894.",)),
    "/v2/pa/query": ({"query": QUESTION, "room_id": "r1"}, ("In 1894, I think.",)),
}
"""API → (body, what the model says)."""


async def open_asked(open_site: OpenSite, path: str, **options: Any) -> tuple[Site, Mapping[str, Any]]:
    body, replies = REPLIES[path]
    site = await open_site(replies[0], **options)
    site.core.models.model.replies += [[reply] for reply in replies[1:]]  # type: ignore[attr-defined]
    return site, body


async def send(site: Site, path: str, body: Mapping[str, Any], key: str = "k1") -> httpx.Response:
    return await site.client.post(path, json=dict(body), headers={"idempotency-key": key})


def content_of(reply: httpx.Response) -> Any:
    """The reply without the fields that always differ; of a stream its last message."""
    body = read_events(reply.text)[-1] if reply.headers["content-type"].startswith("text/event-stream") else reply.json()
    return {name: value for name, value in body.items() if name != "latency_ms"}


def calls_of(site: Site) -> int:
    return len(site.sent)


@pytest.mark.parametrize("path", REPLIES)
async def test_a_finished_request_gets_the_stored_reply_and_no_model_is_asked(open_site: OpenSite, path: str) -> None:
    site, body = await open_asked(open_site, path)
    first = await send(site, path, body)
    calls = calls_of(site)
    again = await send(site, path, body)
    assert (first.status_code, again.status_code) == (200, 200)
    assert content_of(again) == content_of(first)
    assert again.headers["x-trace-id"] == first.headers["x-trace-id"]
    assert (calls, calls_of(site)) == (len(REPLIES[path][1]), calls)


async def test_another_key_is_another_request(open_site: OpenSite) -> None:
    site, body = await open_asked(open_site, "/v2/gpt/query")
    site.core.models.model.replies.append(["In 1895."])  # type: ignore[attr-defined]
    first, second = await send(site, "/v2/gpt/query", body), await send(site, "/v2/gpt/query", body, "k2")
    assert content_of(first)["trace_id"] != content_of(second)["trace_id"]


@pytest.mark.parametrize(
    ("path", "changes"), [("/ask", {"query_text": "Who painted it?"}), ("/chat", {"top_k": 3}), ("/v2/rag/query", {"top_k": 3})]
)
async def test_a_key_that_was_used_with_another_body_is_refused(open_site: OpenSite, path: str, changes: dict[str, Any]) -> None:
    site, body = await open_asked(open_site, path)
    await send(site, path, body)
    refused = await send(site, path, {**body, **changes})
    assert (refused.status_code, "Idempotency-Key" in refused.json()["detail"]) == (422, True)


async def test_a_key_that_was_used_on_another_route_is_refused(open_site: OpenSite) -> None:
    site, body = await open_asked(open_site, "/ask")
    await send(site, "/ask", body)
    assert (await send(site, "/ask/stream", body)).status_code == 422


async def test_a_request_that_still_runs_is_a_409_with_the_time_to_wait(open_site: OpenSite) -> None:
    let_go = asyncio.Event()
    site = await open_site(let_go, "It was built in 1894 [^bridge].")
    running = asyncio.create_task(send(site, "/ask", ASK))
    while not calls_of(site):
        await asyncio.sleep(0)
    refused = await send(site, "/ask", ASK)
    assert (refused.status_code, refused.json()["title"], refused.headers["retry-after"]) == (409, "Still running", "10")
    let_go.set()
    assert content_of(await running) == content_of(await send(site, "/ask", ASK))


async def test_a_request_that_failed_runs_again_with_the_same_trace(open_site: OpenSite) -> None:
    site = await open_site(StoreUnavailable("down"), "never said")
    failed = await send(site, "/v2/gpt/query", {"query": QUESTION})
    site.core.models.model.replies.append(["In 1894."])  # type: ignore[attr-defined]
    done = await send(site, "/v2/gpt/query", {"query": QUESTION})
    assert (failed.status_code, done.status_code, content_of(done)["final_response"]) == (500, 200, "In 1894.")
    assert failed.headers["x-trace-id"] == done.headers["x-trace-id"]


@pytest.mark.parametrize("key", ["", "two words", "x" * 256, "schlüssel"])
async def test_an_invalid_key_is_refused(open_site: OpenSite, key: str) -> None:
    site = await open_site()
    reply = await site.client.post("/ask", json=ASK, headers={"idempotency-key": key.encode()})
    assert reply.status_code == 422


async def test_a_store_that_is_down_is_reported_before_any_model_call(open_site: OpenSite) -> None:
    site, body = await open_asked(open_site, "/ask")
    site.core.checkpoints = Failing(site.core.checkpoints, "take", StoreUnavailable("The store is down."))
    reply = await send(site, "/ask", body)
    assert (reply.status_code, calls_of(site)) == (503, 0)


async def test_the_reply_to_a_test_question_is_not_stored(open_site: OpenSite) -> None:
    site = await open_site("In 1894.")
    site.core.models.model.replies.append(["In 1894."])  # type: ignore[attr-defined]
    body = {"query": QUESTION, "is_test": True}
    await send(site, "/v2/gpt/query", body)
    await send(site, "/v2/gpt/query", body)
    assert calls_of(site) == 2


async def test_a_key_is_private_to_its_user(open_site: OpenSite) -> None:
    site, body = await open_asked(open_site, "/v2/gpt/query")
    site.core.models.model.replies.append(["In 1895."])  # type: ignore[attr-defined]
    own = await send(site, "/v2/gpt/query", {**body, "user_id": "ann"})
    other = await send(site, "/v2/gpt/query", {**body, "user_id": "bob"})
    assert (content_of(own)["final_response"], content_of(other)["final_response"]) == ("In 1894.", "In 1895.")


async def test_a_withdrawn_document_is_not_in_the_stored_reply(open_site: OpenSite) -> None:
    site, body = await open_asked(open_site, "/ask", caller=Caller("ann", frozenset({"staff"})))
    assert "1894" in content_of(await send(site, "/ask", body))["answer"]
    await site.core.generations.remove("bridge", 1)
    again = content_of(await send(site, "/ask", body))
    assert (again["outcome"], again["answer"]) == (
        "withdrawn",
        "This answer is not shown because it quotes a document that was deleted or that you can no longer access.",
    )


@pytest.mark.parametrize("delete", ["/conversations/r1", "/me/data"])
async def test_a_deleted_turn_is_answered_again(open_site: OpenSite, delete: str) -> None:
    site, body = await open_asked(open_site, "/v2/gpt/query")
    site.core.models.model.replies.append(["In 1895."])  # type: ignore[attr-defined]
    await send(site, "/v2/gpt/query", body)
    assert (await site.client.delete(delete)).status_code == 204
    assert content_of(await send(site, "/v2/gpt/query", body))["final_response"] == "In 1895."


async def test_without_a_key_no_reply_is_stored(open_site: OpenSite) -> None:
    site, body = await open_asked(open_site, "/ask")
    await site.client.post("/ask", json=dict(body))
    assert not (site.core.settings.data / "checkpoints.db").exists()
    assert LOCAL.user_id == "local"
