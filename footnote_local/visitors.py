"""Which requests may come in, where no sign-in is asked for: not those that a page of another site makes with the
browser of somebody who can reach this machine.

Such a page has three ways. It posts a form, which browsers send to anybody: its `Origin` is then not ours. It shows an
“image” that is a question to `/ask/stream`: that has no `Origin`, but a browser says that it comes from another site. Or
its own name is made to lead to this machine, by which it becomes ours: the `Host` is then a name that nobody gave us.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote.errors import Forbidden
from footnote.tracing import new_trace_id
from footnote_http.app import HEADERS, reply_with
from footnote_http.cors import ANY
from footnote_http.openapi import Problem
from footnote_http.routes import ErrorShape

OWN_SUFFIXES = (".localhost", ".local", ".internal")
"""Names that no name server of the internet gives out; `host.docker.internal` is how containers call this machine."""
HARMLESS = ("GET", "HEAD", "OPTIONS")
"""What another site's page may send, as it cannot read the reply, but for questions: they are answered, and kept."""
QUESTIONS = "/ask/stream"


class Visitors:
    """`names`: further host names that this server has, such as a proxy's. `origins`: whose pages may come in all the same.
    `shapes`: paths whose clients expect errors in another shape."""

    def __init__(
        self,
        app: ASGIApp,
        names: Collection[str] = (),
        origins: Collection[str] = (),
        shapes: Mapping[str, ErrorShape] = MappingProxyType({}),
    ) -> None:
        self._app = app
        self._shapes = shapes
        self._origins = frozenset(origins)
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = self._objection(scope) if scope["type"] == "http" else None
        if detail is None:
            await self._app(scope, receive, send)
            return
        problem = Problem(title=Forbidden.title, status=403, detail=detail, trace_id=new_trace_id())
        headers = {**HEADERS, "x-trace-id": problem.trace_id}
        await reply_with(problem, scope["path"], self._shapes, None, headers)(scope, receive, send)

    def _objection(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = _host_name(f"//{host}")
        if not self._is_ours(name):
            return f"This server does not go by the name {name[:100]}. If it should, start it with --name {name[:100]}."
        does_something = scope["method"] not in HARMLESS or scope["path"] == QUESTIONS
        if does_something and self._is_foreign(headers, name):
            return "This server takes nothing from pages of other sites."
        return None

    def _is_foreign(self, headers: Headers, name: str) -> bool:
        if (origin := headers.get("origin")) is None:
            return headers.get("sec-fetch-site") == "cross-site"
        if self._origins & {origin, ANY}:
            return False
        return _host_name(origin) != name and not self._is_named(_host_name(origin))

    def _is_ours(self, name: str) -> bool:
        """Addresses, names without a dot and reserved ones: none of them can be another site's."""
        return "." not in name or name.endswith(OWN_SUFFIXES) or _is_address(name) or self._is_named(name)

    def _is_named(self, name: str) -> bool:
        return name in self._names


def _host_name(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return "?.invalid"


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
