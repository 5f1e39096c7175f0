"""The routes of one module, in several apps."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from footnote.bootstrap import Core
from footnote.settings import Embedding, Settings
from footnote.types import Caller
from footnote_http.app import make_app
from footnote_http.callers import CallerOf, CoreOf, caller_of
from footnote_http.routes import Later, LazyRoute, Router


async def test_each_app_answers_for_its_own_core_and_its_own_caller(tmp_path: Path) -> None:
    router = Router()

    @router.get("/whoami")
    async def whoami(caller: CallerOf, core: CoreOf) -> list[str]:
        return [caller.user_id, core.settings.data.name]

    def open_app(name: str) -> FastAPI:
        core = Core(Settings(footnote_data=tmp_path / name, embedding=Embedding(builtin=False)))
        app = make_app("Footnote: test", lambda: core)
        router.add_to(app)
        app.dependency_overrides[caller_of] = lambda: Caller(f"user of {name}")
        return app

    apps = [open_app(name) for name in ("a", "b", "c")]
    replies = []
    for app in apps:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footnote.test") as client:
            replies.append((await client.get("/whoami")).json())
    assert replies == [["user of a", "a"], ["user of b", "b"], ["user of c", "c"]]


async def test_a_route_is_built_when_a_request_first_matches_it() -> None:
    router = Router()

    @router.get("/one/{number}")
    async def one(number: int) -> int:
        return number

    @router.get("/other")
    async def other() -> str:
        return "other"

    app = make_app("Footnote: test", lambda: Core(Settings(embedding=Embedding(builtin=False))))
    router.add_to(app)
    lazy = [route for route in app.router.routes if isinstance(route, LazyRoute)]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footnote.test") as client:
        assert (await client.get("/one/7")).json() == 7
        assert (await client.post("/one/7")).status_code == 405
        assert (await client.get("/one/seven")).status_code == 422
        assert ["built" in vars(route) for route in lazy] == [True, False]
    assert [*app.openapi()["paths"]] == ["/one/{number}", "/other"]


async def test_a_module_is_imported_when_a_path_first_begins_like_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "seldom.py").write_text(
        "from footnote_http.routes import Router\n"
        "router = Router()\n"
        "for name, method in (('all', 'get'), ('one', 'get'), ('drop', 'delete')):\n"
        "    path = '/seldom' if name == 'all' else '/seldom/{number}'\n"
        "    getattr(router, method)(path, name=name)(lambda name=name: name)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    router = Router()

    @router.get("/often")
    async def often() -> str:
        return "often"

    app = make_app("Footnote: test", lambda: Core(Settings(embedding=Embedding(builtin=False))))
    Later("seldom", "/seldom").add_to(app)
    router.add_to(app)
    try:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footnote.test") as client:
            assert (await client.get("/often")).json() == "often"
            assert (await client.get("/nothing")).status_code == 404
            assert "seldom" not in sys.modules
            assert (await client.get("/seldom")).json() == "all"
            assert "seldom" in sys.modules
            assert [(await client.request(method, "/seldom/1")).status_code for method in ("GET", "DELETE", "PUT")] == [200, 200, 405]
            assert [(await client.get(path)).status_code for path in ("/seldom/", "/seldom/1/2")] == [307, 404]
        assert [*app.openapi()["paths"]] == ["/seldom", "/seldom/{number}", "/often"]
    finally:
        sys.modules.pop("seldom", None)
