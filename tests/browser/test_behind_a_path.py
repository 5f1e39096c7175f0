"""The page behind a proxy that serves Footnote below a path and strips it."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Thread

import httpx
import pytest
import uvicorn
from playwright.sync_api import Route as PageRoute
from playwright.sync_api import expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.browser.conftest import Screen, serving

AT = "/team/docs"


@contextmanager
def proxy_to(server: str) -> Iterator[str]:
    """A proxy on a free port: `AT/…` → `server/…`, anything else is a 404. → the address below which Footnote is."""

    async def forward(request: Request) -> Response:
        told = {"host": request.headers["host"], "x-forwarded-host": request.headers["host"], "x-forwarded-prefix": AT}
        headers = {**dict(request.headers), **told}
        url = f"{server}/{request.path_params['path']}?{request.url.query}"
        sent = client.build_request(request.method, url, headers=headers, content=await request.body())
        reply = await client.send(sent, stream=True)

        async def body() -> AsyncIterator[bytes]:
            async for part in reply.aiter_raw():
                yield part
            await reply.aclose()

        return StreamingResponse(body(), reply.status_code, {name: value for name, value in reply.headers.items() if name != "connection"})

    @asynccontextmanager
    async def closing(app: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    client = httpx.AsyncClient(timeout=60)
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    app = Starlette(routes=[Route(f"{AT}/{{path:path}}", forward, methods=methods)], lifespan=closing)  # AT itself is redirected to AT/
    listener = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}{AT}"
    finally:
        running.should_exit = True
        thread.join(10)


OpenScreen = Callable[..., Screen]
TEXT = b"# Pets\n\nCats are allowed in the office on Fridays. Dogs are not."


@pytest.mark.nightly
def test_below_a_path_every_page_loads_and_files_are_added_asked_and_linked(tmp_path: Path, open_screen: OpenScreen) -> None:
    with serving(tmp_path, TRUSTED_PROXIES='["127.0.0.1"]', EMBEDDING__BUILTIN="false") as server, proxy_to(server) as address:
        screen = open_screen(address)
        page = screen.page
        screen.add("pets.md", TEXT)
        screen.answer_to("When are cats allowed in the office?")
        expect(page.locator(".answer").last).to_contain_text("Fridays")
        page.locator(".cite").first.click()
        expect(page.locator("#source-view")).to_contain_text("Cats are allowed")
        saved = page.locator("#source-file").evaluate("link => link.href")
        assert page.request.get(saved).body() == TEXT
        asked = {"model": f"footnote/{screen.index}", "messages": [{"role": "user", "content": "When are cats allowed in the office?"}]}
        url = httpx.post(f"{address}/v1/chat/completions", json=asked).json()["citations"][0]["url"]
        assert url.startswith(f"{address}/documents/")
        page.goto(url)
        expect(page.locator("#source-view")).to_contain_text("Cats are allowed")
        assert page.url.startswith(f"{address}/")

        page.route(f"{address}/openapi.json", of_health_alone)
        for path, shown in (("docs", "Health"), ("admin", "Overview"), ("statistics", "Statistics")):
            page.goto(f"{address}/{path}")
            expect(page.get_by_text(shown, exact=True).first).to_be_visible()
        reply = httpx.post(f"{address}/sessions", json={"token": "any"})
        assert (reply.status_code, f"Path={AT}/" in reply.headers["set-cookie"]) == (204, True)


def of_health_alone(route: PageRoute) -> None:
    """The reference of one operation: all of them take seconds to draw."""
    reply = route.fetch()
    document = reply.json()
    route.fulfill(response=reply, json=document | {"paths": {"/health": document["paths"]["/health"]}, "components": {}})
