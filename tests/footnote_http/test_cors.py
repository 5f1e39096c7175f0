"""CORS: only pages of configured origins may read replies, and `*` never allows cookies."""

from __future__ import annotations

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
from footnote_local.server import create_app

KEYS = Auth(mode="api_key", api_keys={"ann": ApiKey(key="k" * 20)})
TOKEN = {"authorization": "Bearer " + "k" * 20}
APP = "https://app.example.com"
CORS = ("access-control-allow-origin", "access-control-allow-credentials")

Open = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def open_with(tmp_path: Path, clock: Clock) -> AsyncIterator[Open]:
    """A client of the whole product on one machine."""
    async with AsyncExitStack() as stack:

        async def open_(*origins: str, auth: Auth = KEYS) -> httpx.AsyncClient:
            settings = Settings(
                footnote_data=tmp_path,
                embedding=Embedding(builtin=False),
                llm=LLM(discover=False),
                auth=auth,
                allowed_origins=list(origins),
            )
            core = Core(settings, clock=clock)
            stack.push_async_callback(core.close)
            transport = httpx.ASGITransport(create_app(core), raise_app_exceptions=False)
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://localhost"))

        yield open_


def cors_headers(reply: httpx.Response) -> tuple[str | None, ...]:
    return tuple(reply.headers.get(name) for name in CORS)


def preflight(origin: str) -> dict[str, Any]:
    wanted = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type"}
    return {"headers": {"origin": origin, **wanted}}


@pytest.mark.parametrize("path", ["/collections", "/documents", "/feedback/metrics", "/stats"])
async def test_by_default_no_page_of_another_site_reads_anything(path: str, open_with: Open) -> None:
    client = await open_with()
    assert cors_headers(await client.get(path, headers={**TOKEN, "origin": APP})) == (None, None)
    assert (await client.options(path, **preflight(APP))).status_code == 405


@pytest.mark.parametrize("path", ["/collections", "/documents", "/feedback/metrics", "/stats"])
async def test_a_named_origin_reads_with_its_cookies_and_no_other_does(path: str, open_with: Open) -> None:
    client = await open_with(APP)
    reply = await client.get(path, headers={**TOKEN, "origin": APP})
    assert (reply.status_code, cors_headers(reply), reply.headers["vary"]) == (200, (APP, "true"), "Origin")
    assert "x-trace-id" in reply.headers["access-control-expose-headers"]
    other = await client.get(path, headers={**TOKEN, "origin": "https://evil.example"})
    assert other.headers.get("access-control-allow-origin") is None


async def test_a_preflight_needs_no_token_and_errors_can_be_read_too(open_with: Open) -> None:
    client = await open_with(APP)
    asked = await client.options("/ask", **preflight(APP))
    assert (asked.status_code, cors_headers(asked)) == (200, (APP, "true"))
    assert "POST" in asked.headers["access-control-allow-methods"]
    assert asked.headers["access-control-allow-headers"] == "authorization,content-type"
    assert (await client.options("/ask", **preflight("https://evil.example"))).status_code == 400
    for reply, status in (
        (await client.post("/ask", json={}, headers={"origin": APP}), 401),
        (await client.post("/ask", json={}, headers={**TOKEN, "origin": APP}), 422),
        (await client.post("/ask", content=b"x" * (2**20 + 1), headers={**TOKEN, "origin": APP}), 413),
    ):
        assert (reply.status_code, cors_headers(reply)) == (status, (APP, "true"))


async def test_a_defect_can_be_read_by_the_page_that_asked(open_with: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: Any) -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr("footnote.bootstrap.Core.collections", fail)
    client = await open_with(APP)
    reply = await client.get("/collections", headers={**TOKEN, "origin": APP})
    assert (reply.status_code, cors_headers(reply)) == (500, (APP, "true"))
    assert cors_headers(await client.get("/collections", headers={**TOKEN, "origin": "https://evil.example"})) == (None, None)


async def test_every_origin_may_be_allowed_but_never_with_cookies(open_with: Open) -> None:
    client = await open_with("*", APP)
    reply = await client.get("/collections", headers={**TOKEN, "origin": APP, "cookie": "footnote_session=x"})
    assert reply.headers.get("access-control-allow-credentials") is None
    assert (await client.get("/collections", headers={**TOKEN, "origin": APP})).headers["access-control-allow-origin"] == "*"
    assert (await client.post("/ask", json={}, headers={**TOKEN, "origin": APP})).status_code == 422


async def test_without_sign_in_a_wildcard_allows_no_origin(open_with: Open) -> None:
    client = await open_with("*", auth=Auth(mode="none"))
    assert cors_headers(await client.get("/collections", headers={"origin": APP})) == (None, None)
    assert (await client.post("/ask", json={}, headers={"origin": APP})).status_code == 403
    named = await open_with(APP, auth=Auth(mode="none"))
    assert cors_headers(await named.get("/collections", headers={"origin": APP})) == (APP, "true")


@pytest.mark.parametrize(("origins", "status"), [((APP,), 200), (("*",), 200), ((), 403), (("https://other.example",), 403)])
async def test_the_tools_are_for_the_same_pages(origins: tuple[str, ...], status: int, open_with: Open) -> None:
    client = await open_with(*origins)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    assert (await client.post("/mcp", json=call, headers={**TOKEN, **accept, "origin": APP})).status_code == status


@pytest.mark.parametrize("origin", ["app.example.com", "https://app.example.com/", "https://*.example.com", "null"])
def test_an_origin_that_no_browser_sends_is_refused(origin: str) -> None:
    with pytest.raises(ValidationError):
        Settings(allowed_origins=[origin])
