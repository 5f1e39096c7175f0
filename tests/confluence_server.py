"""A Confluence Data Center on a socket of this machine: the parts of its REST API that are used, with its way of expanding,
paging and refusing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from footnote_local.server import open_port
from tests.servers import running

TOKEN = "NjAxODI3MzY0NTEyOk1hcmtlZCB0b2tlbg"
CONTEXT = "/confluence"
API = f"{CONTEXT}/rest/api/content"


@dataclass
class File:
    """An attachment. `link`: its download link, if it is not the usual one."""

    name: str
    data: bytes
    media_type: str = "application/octet-stream"
    version: int = 1
    size: int | None = None
    link: str | None = None


@dataclass
class Page:
    """`readers`: (groups, users) of its own restriction; None = unrestricted. `parent`: the id of the page above it."""

    title: str
    body: str
    space: str = "ENG"
    version: int = 1
    kind: str = "page"
    labels: Sequence[str] = ()
    readers: tuple[Sequence[str], Sequence[str]] | None = None
    parent: str | None = None
    files: dict[str, File] = field(default_factory=dict)


@dataclass
class Confluence:
    """Pages by id. `replies`: path → responses that are sent instead, or delays in seconds, one after the other. `meanwhile`: path →
    what happens once after it was requested. `hidden`: what the account may not read. `page_size`: entries per list at most.
    `odd`: page id → fields of its entry in the list of its space, instead of the true ones."""

    origin: str = ""
    pages: dict[str, Page] = field(default_factory=dict)
    replies: dict[str, list[Response | float]] = field(default_factory=dict)
    meanwhile: dict[str, Callable[[], None]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    odd: dict[str, dict[str, Any]] = field(default_factory=dict)
    requests: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    authorization: str = f"Bearer {TOKEN}"
    page_size: int = 2

    @property
    def url(self) -> str:
        return self.origin + CONTEXT

    def asked(self, path: str) -> int:
        """How often a path was requested."""
        return sum(asked == path for asked, _ in self.requests)

    async def answer(self, request: Request) -> Response:
        reply = await self._answer(request)
        self.meanwhile.pop(request.url.path, lambda: None)()
        return reply

    async def _answer(self, request: Request) -> Response:
        path = request.url.path
        self.requests.append((path, dict(request.headers)))
        if self.replies.get(path):
            reply = self.replies[path].pop(0)
            if isinstance(reply, Response):
                return reply
            await asyncio.sleep(reply)
        if request.headers.get("authorization") != self.authorization:
            return JSONResponse({"statusCode": 401}, 401)
        parts = path.removeprefix(CONTEXT).strip("/").split("/")
        match parts:
            case ["rest", "api", "space", key] if key.upper() in {page.space for page in self.pages.values()}:
                return JSONResponse({"id": 98305, "key": key.upper(), "name": key, "type": "global"})
            case ["rest", "api", "content"]:
                return JSONResponse(self._list(request))
            case ["rest", "api", "content", page_id] if page_id in self.pages and page_id not in self.hidden:
                return JSONResponse(self._content(page_id, request.query_params.get("expand", "").split(",")))
            case ["rest", "api", "content", page_id, "child", "attachment"] if page_id in self.pages:
                return JSONResponse(self._files(page_id, request))
            case ["download", "attachments", page_id, file_id] if page_id in self.pages and file_id in self.pages[page_id].files:
                file = self.pages[page_id].files[file_id]
                return Response(file.data, media_type=file.media_type)
        return JSONResponse({"statusCode": 404, "message": "No content found"}, 404)

    def _content(self, page_id: str, expand: Sequence[str]) -> dict[str, Any]:
        """Only what is asked for is expanded."""
        page = self.pages[page_id]
        groups, users = page.readers or ((), ())
        found: dict[str, Any] = {"id": page_id, "type": page.kind, "status": "current", "title": page.title, "_expandable": {}}
        restricted = {
            "user": listed([{"type": "known", "username": name, "userKey": f"key-{name}"} for name in users]),
            "group": listed([{"type": "group", "name": name} for name in groups]),
        }
        wanted = {name: restricted[name] for name in restricted if f"restrictions.read.restrictions.{name}" in expand}
        possible = {
            "body.storage": {"body": {"storage": {"value": page.body, "representation": "storage"}}},
            "version": {"version": {"number": page.version, "minorEdit": False}},
            "space": {"space": {"id": 98305, "key": page.space, "name": page.space, "type": "global"}},
            "ancestors": {"ancestors": [{"id": each, "type": "page", "title": self.pages[each].title} for each in self._above(page_id)]},
            "metadata.labels": {"metadata": {"labels": listed([{"prefix": "global", "name": name} for name in page.labels])}},
        }
        if "children.attachment.version" in expand:
            files = self._attachments(page_id, list(page.files.items())[: self.page_size])
            found["children"] = {"attachment": {"results": files, "start": 0, "limit": self.page_size, "size": len(files)}}
        for name, part in possible.items():
            found |= part if name in expand else {}
        return found | ({"restrictions": {"read": {"operation": "read", "restrictions": wanted}}} if wanted else {})

    def _above(self, page_id: str) -> list[str]:
        """The pages above, the topmost first."""
        parent = self.pages[page_id].parent
        return [] if parent is None else [*self._above(parent), parent]

    def _list(self, request: Request) -> dict[str, Any]:
        """Pages or blog posts of a space; the last change of the list first, as in no order that holds."""
        asked = request.query_params
        start, limit = int(asked["start"]), min(int(asked["limit"]), self.page_size)
        there = [
            page_id
            for page_id, page in reversed(self.pages.items())
            if (page.space, page.kind) == (asked["spaceKey"], asked["type"]) and page_id not in self.hidden
        ]
        found = [self._content(page_id, asked["expand"].split(",")) for page_id in there[start : start + limit]]
        for each in found:
            each |= self.odd.get(each["id"], {})
        rest = {"next": f"/rest/api/content?{urlencode({**asked, 'start': start + limit, 'limit': limit})}"}
        links = {"base": self.url, "context": CONTEXT} | (rest if start + limit < len(there) else {})
        return {"results": found, "start": start, "limit": limit, "size": len(found), "_links": links}

    def _files(self, page_id: str, request: Request) -> dict[str, Any]:
        start, limit = int(request.query_params.get("start", 0)), min(int(request.query_params.get("limit", 25)), self.page_size)
        files = list(self.pages[page_id].files.items())
        found = self._attachments(page_id, files[start : start + limit])
        rest = {"next": f"/rest/api/content/{page_id}/child/attachment?expand=version&limit={limit}&start={start + limit}"}
        links = {"base": self.url, "context": CONTEXT} | (rest if start + limit < len(files) else {})
        return {"results": found, "start": start, "limit": limit, "size": len(found), "_links": links}

    @staticmethod
    def _attachments(page_id: str, files: Sequence[tuple[str, File]]) -> list[dict[str, Any]]:
        return [
            {
                "id": f"att{file_id}",
                "type": "attachment",
                "title": file.name,
                "version": {"number": file.version},
                "extensions": {"mediaType": file.media_type, "fileSize": len(file.data) if file.size is None else file.size},
                "_links": {"download": file.link or f"/download/attachments/{page_id}/{file_id}?version={file.version}&api=v2"},
            }
            for file_id, file in files
        ]


def listed(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"results": list(results), "start": 0, "limit": 200, "size": len(results)}


def redirect(location: str, status: int = 302) -> Response:
    return PlainTextResponse("", status, {"location": location})


@asynccontextmanager
async def serving(certificate: Path | None = None, **pages: Page) -> AsyncIterator[Confluence]:
    """`pages`: `p100=Page(…)` is the page with the id 100. `certificate`: a PEM file with its key, for https."""
    wiki = Confluence(pages={name.removeprefix("p"): page for name, page in pages.items()})
    app = Starlette(routes=[Route("/{path:path}", wiki.answer)])
    with open_port("127.0.0.1", 0) as listener:
        wiki.origin = f"{'https' if certificate else 'http'}://127.0.0.1:{listener.getsockname()[1]}"
        options: dict[str, Any] = {"ssl_certfile": certificate} if certificate else {}
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=1, **options))
        async with running(server, listener):
            yield wiki
