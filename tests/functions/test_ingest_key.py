"""`RAG_API_KEY`: what programs that add documents send besides the caller's token."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, ApiKey, Auth, Embedding, Settings
from footnote_http.callers import check_ingest_key
from footnote_http.routes import LazyRoute
from footnote_ingest.app import create_app as create_ingest
from footnote_local.server import create_app
from tests.functions.test_insert_doc import example

KEY = "zq-ingest-key-8Xw2"
KEYS = Auth(mode="api_key", api_keys={"ann": ApiKey(key="k" * 20)})
ANN = {"authorization": "Bearer " + "k" * 20}

Open = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def open_with(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Open]:
    """A client of the whole product on one machine."""
    monkeypatch.setattr("footnote_ingest.insert.WAIT_S", 0.0)
    async with AsyncExitStack() as stack:

        async def open_(auth: Auth | None = None, **settings: Any) -> httpx.AsyncClient:
            core = Core(
                Settings(
                    footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), auth=auth or Auth(), **settings
                ),
                clock=clock,
            )
            stack.push_async_callback(core.close)
            transport = httpx.ASGITransport(create_app(core), raise_app_exceptions=False)
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://localhost"))

        yield open_


async def statuses(client: httpx.AsyncClient, headers: dict[str, str], *, body: dict[str, Any] | None = None) -> list[int]:
    """Of /insert-doc, /ingest/file, /ingest/confluence and /ingest/jobs."""
    file = {"file": ("a.md", b"# A\n\nThe bridge was built in 1894.")}
    page = {"base_url": "https://wiki.test", "page_id": "1", "index_name": "default"}
    replies = [
        await client.post("/insert-doc", json=body or example(permission_groups=["*"]), headers=headers),
        await client.post("/ingest/file", files=file, data={"index_name": "default"}, headers=headers),
        await client.post("/ingest/confluence", json=page, headers=headers),
        await client.get("/ingest/jobs/ABCD0001", headers=headers),
    ]
    return [reply.status_code for reply in replies]


@pytest.fixture
async def client(open_with: Open) -> httpx.AsyncClient:
    return await open_with(rag_api_key=KEY)


def test_every_route_below_ingest_requires_the_key() -> None:
    routes = [route.built for route in create_ingest().router.routes if isinstance(route, LazyRoute)]
    keyed = {route.path for route in routes if any(each.call is check_ingest_key for each in route.dependant.dependencies)}
    below = {route.path for route in routes if route.path.startswith(("/ingest", "/insert-doc"))}
    assert keyed == below - {"/ingest/health", "/ingest/ready", "/ingest/status"}  # for admins, on the page
    assert keyed == {"/insert-doc", "/ingest/file", "/ingest/confluence", "/ingest/jobs/{job_id}"}


@pytest.mark.parametrize("headers", [{"x-api-key": KEY}, {"api-key": KEY}, {"x-api-key": "wrong", "api-key": KEY}])
async def test_with_the_key_nothing_changes(headers: dict[str, str], open_with: Open, client: httpx.AsyncClient) -> None:
    assert await statuses(client, headers) == await statuses(await open_with(), {}) == [202, 202, 422, 200]


@pytest.mark.parametrize(
    "headers", [{}, {"x-api-key": KEY[:-1]}, {"api-key": ""}, {"x-api-key": KEY + "x"}, {"authorization": "Bearer " + KEY}]
)
async def test_without_the_key_the_reply_says_what_to_send(headers: dict[str, str], client: httpx.AsyncClient) -> None:
    assert await statuses(client, headers) == [401] * 4
    reply = await client.post("/insert-doc", json=example(), headers=headers)
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["detail"] == "This deployment requires the key of its setting RAG_API_KEY here. Send it as the header `x-api-key`."
    assert (await client.get("/documents")).json()["data"] == []


async def test_the_key_is_checked_before_the_body_is_read(client: httpx.AsyncClient) -> None:
    assert (await client.post("/insert-doc", content=b"{")).status_code == 401
    assert (await client.post("/insert-doc", content=b"{", headers={"x-api-key": KEY})).status_code == 422


async def test_other_routes_do_not_require_it(client: httpx.AsyncClient) -> None:
    form = await client.post("/uploads", json={"file_name": "a.md", "size": 10})
    assert (form.status_code, (await client.get("/collections")).status_code) == (201, 200)


@pytest.mark.parametrize(
    "headers",
    [
        {**ANN, "x-api-key": KEY},
        {**ANN, "api-key": KEY},
        {"api-key": "k" * 20, "x-api-key": KEY},
        {"x-dep-ticket": "k" * 20, "api-key": KEY},
        {"cookie": "footnote_session=" + "k" * 20, "api-key": KEY},
    ],
)
async def test_the_key_goes_with_a_token_in_any_place(headers: dict[str, str], open_with: Open) -> None:
    client = await open_with(KEYS, rag_api_key=KEY)
    assert await statuses(client, headers, body=example(permission_groups=[])) == [202, 202, 422, 200]


@pytest.mark.parametrize("headers", [{"x-api-key": KEY}, {"api-key": KEY}, ANN, {"authorization": "Bearer " + KEY, "x-api-key": KEY}])
async def test_neither_replaces_the_other(headers: dict[str, str], open_with: Open) -> None:
    client = await open_with(KEYS, rag_api_key=KEY)
    assert await statuses(client, headers) == [401] * 4


async def test_guessing_is_rate_limited_and_the_key_still_works(client: httpx.AsyncClient) -> None:
    most = Settings().limits.address_per_minute
    guessed = [(await client.get("/ingest/jobs/x", headers={"x-api-key": f"guess{n}"})).status_code for n in range(most + 1)]
    assert guessed == [401] * most + [429]
    assert (await client.get("/ingest/jobs/x", headers={"x-api-key": KEY})).status_code == 404


async def test_the_key_is_in_no_reply_and_no_log(open_with: Open, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = await open_with(rag_api_key=KEY)
    sent: dict[str, str] = {"x-api-key": KEY}
    texts = [
        (await client.post("/insert-doc", json={}, headers=sent)).text,
        (await client.post("/insert-doc", json=example(), headers={"api-key": KEY[:-1]})).text,
        (await client.get("/settings", headers=sent)).text,
        (await client.get("/ready", headers=sent)).text,
    ]
    assert KEY[:-1] not in "".join(texts) + caplog.text


def test_an_empty_key_is_refused() -> None:
    with pytest.raises(ValidationError, match="rag_api_key"):
        Settings(rag_api_key="")
