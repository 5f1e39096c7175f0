"""More questions at once than the server can answer in a few seconds are refused at once."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from footnote_http.routes import ErrorShape
from footnote_local.admission import BUSY, Admission
from footnote_query.app import create_app


class Slow:
    """An app whose questions are answered when `go` is set; reads are answered at once."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.fails = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST" or scope["path"] == "/ask/stream":
            await self.go.wait()
        if self.fails:
            raise RuntimeError
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"answer"})


def client_of(app: Slow, most: int, shapes: dict[str, ErrorShape] | None = None) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(Admission(app, shapes or {}, most)), base_url="http://here")


async def test_requests_over_the_limit_are_refused_with_retry_after() -> None:
    app = Slow()
    async with client_of(app, 2) as client:
        waiting = [asyncio.create_task(client.post("/ask/stream")), asyncio.create_task(client.get("/ask/stream"))]
        await asyncio.sleep(0)
        for ask in (client.post, client.get):
            refused = await ask("/ask/stream")
            assert (refused.status_code, refused.headers["retry-after"], refused.json()["detail"]) == (503, "2", BUSY)
            assert refused.headers["content-type"] == "application/problem+json"
            assert refused.json()["trace_id"] == refused.headers["x-trace-id"] != ""
        assert (await client.get("/documents")).text == "answer"
        app.go.set()
        assert [reply.text for reply in await asyncio.gather(*waiting)] == ["answer", "answer"]
        assert (await client.post("/ask/stream")).text == "answer"


@pytest.mark.parametrize("ending", ["fails", "leaves"])
async def test_a_question_that_failed_or_whose_client_left_counts_no_longer(ending: str) -> None:
    app = Slow()
    async with client_of(app, 1) as client:
        asked = asyncio.create_task(client.post("/ask"))
        await asyncio.sleep(0.01)
        assert (await client.post("/ask")).status_code == 503
        app.fails = ending == "fails"
        if ending == "fails":
            app.go.set()
        else:
            asked.cancel()
        with suppress(RuntimeError, asyncio.CancelledError):
            await asked
        app.fails = False
        app.go.set()
        assert (await client.post("/ask")).text == "answer"


async def test_each_api_is_refused_in_its_own_error_shape() -> None:
    app = Slow()
    async with client_of(app, 0, create_app().state.error_shapes) as client:
        openai = await client.post("/v1/chat/completions")
        assert (openai.status_code, openai.json()["error"]["message"]) == (503, BUSY)
