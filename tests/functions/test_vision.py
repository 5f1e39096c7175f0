"""`POST /v2/vision/query`: images by URL and in the request, shown to a model at an OpenAI-compatible endpoint."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, Embedding, Settings
from footnote_query.app import create_app
from tests.functions.conftest import LOCAL, as_caller, read_events
from tests.openai_server import Server, chunk, serving, sse

PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n....").decode()


@asynccontextmanager
async def asking(folder: Path, clock: Clock, model: bool = True) -> AsyncIterator[tuple[httpx.AsyncClient, Server, Core]]:
    async with serving() as server:
        server.replies["/v1/chat/completions"] = sse(chunk(content="A blue bridge."))
        llm = LLM(base_url=f"{server.url}/v1", model="m", vision_model="sees") if model else LLM(discover=False)
        core = Core(Settings(footnote_data=folder, embedding=Embedding(builtin=False), llm=llm), clock=clock)
        transport = httpx.ASGITransport(as_caller(LOCAL, create_app)(lambda: core))
        async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
            yield client, server, core
        await core.close()


async def test_a_model_that_sees_is_shown_the_images(tmp_path: Path, clock: Clock) -> None:
    async with asking(tmp_path, clock) as (client, server, core):
        reply = await client.post("/v2/vision/query", json={"query": "What is it?", "images": [PNG], "room_id": "r"})
        events = read_events(reply.text)
        second = await client.post("/v2/vision/query", json={"query": "What colour?", "images": [PNG], "room_id": "r"})
        block = await core.turns.get(LOCAL, events[-1]["trace_id"])
    done = events[-1]
    assert (done["type"], done["search_type"], done["final_response"]) == ("done", "vision", "A blue bridge.")
    sent = server.requests[0][2]
    assert sent["model"] == "sees"
    text, image = sent["messages"][-1]["content"]
    assert (text["type"], text["text"].rpartition("\n\n")[2]) == ("text", "What is it?")
    assert image == {"type": "image_url", "image_url": {"url": PNG}}
    assert [message["role"] for message in server.requests[-1][2]["messages"]] == ["system", "user", "assistant", "user"]
    assert (second.status_code, block["search_type"]) == (200, "vision")
    assert "base64" not in str(block)


@pytest.mark.parametrize(
    ("images", "detail"),
    [
        ([], "images"),
        (["http://127.0.0.1/a.png"], "This URL could not be fetched"),
        (["http://169.254.169.254/latest/meta-data/"], "This URL could not be fetched"),
        (["http://localhost:8080/a.png"], "This URL could not be fetched"),
        (["file:///etc/passwd"], "It has to be a public http or https URL"),
        (["data:image/png;base64,AAAA"], "Use PNG, JPEG, WebP or GIF"),
        (["data:text/html;base64,AAAA"], "has to begin with data:image/"),
        ([PNG] * 5, "There are 5 images; 4 are allowed"),
    ],
)
async def test_an_invalid_image_is_refused_before_the_model_call(tmp_path: Path, clock: Clock, images: list[str], detail: str) -> None:
    async with asking(tmp_path, clock) as (client, server, _):
        reply = await client.post("/v2/vision/query", json={"query": "What is it?", "images": images})
    body: dict[str, Any] = reply.json()
    assert (reply.status_code, body["type"]) == (422, "error")
    assert detail in body["detail"]
    assert server.requests == []


async def test_the_route_decides_the_search_type_of_a_vision_query(tmp_path: Path, clock: Clock) -> None:
    body = {"query": "What is it?", "images": [PNG]}
    async with asking(tmp_path, clock) as (client, _, _):
        replies = [await client.post("/v2/vision/query", json=body | {"search_type": search_type}) for search_type in ("rag", "vision")]
    assert [reply.status_code for reply in replies] == [422, 200]


@pytest.mark.parametrize(("images", "size", "status"), [(4, 5, 200), (1, 6, 422), (6, 5, 413)])
async def test_images_may_be_as_large_as_the_settings_say(tmp_path: Path, clock: Clock, images: int, size: int, status: int) -> None:
    image = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n".ljust(size * 2**20, b".")).decode()
    async with asking(tmp_path, clock) as (client, _, _):
        reply = await client.post("/v2/vision/query", json={"query": "What is it?", "images": [image] * images})
    assert reply.status_code == status
    assert status == 200 or reply.json()["detail"]
