"""Protects a server without sign-in from requests that other websites make through the browser of a local user.

There are three attacks. A cross-site form POST has a foreign `Origin`. An `<img>` whose URL is a question to `/ask/stream` has no
`Origin`, but browsers mark it as cross-site in `Sec-Fetch-Site`. With DNS rebinding the attacker's own name resolves to this
machine; then the `Host` header is a name that this server does not have.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote.errors import Forbidden
from footnote_http.app import refusal
from footnote_http.cors import ANY
from footnote_http.routes import ErrorShape

OWN_SUFFIXES = (".localhost", ".local", ".internal")
"""Suffixes that public DNS never resolves; containers reach this machine as `host.docker.internal`."""
HARMLESS = ("GET", "HEAD", "OPTIONS")
"""Methods allowed cross-site, because the response cannot be read. Questions are excluded: they cost money and are stored."""
QUESTIONS = "/ask/stream"
PORTS = {"http": 80, "https": 443}
"""Default ports."""


class Origin(NamedTuple):
    """The form in which browsers compare origins."""

    scheme: str
    host: str
    port: int


class HostOriginGuard:
    """ASGI middleware that rejects requests with a foreign host or origin with a 403.

    An origin is this server's own only with its scheme, host and port. `names`: additional host names of this server, such as a proxy's,
    which is reached at the default ports. `origins`: other origins that are allowed. `shapes`: path prefix → error shape. `public_url`:
    the address at which browsers reach this server. `X-Forwarded-…` is believed: whoever may not send it, has it dropped before."""

    def __init__(
        self,
        app: ASGIApp,
        names: Collection[str] = (),
        origins: Collection[str] = (),
        shapes: Mapping[str, ErrorShape] = MappingProxyType({}),
        public_url: str | None = None,
    ) -> None:
        self._app = app
        self._shapes = shapes
        public, named = _origin(public_url or ""), [name.lower() for name in names]
        self._names = frozenset((*named, *([public.host] if public else ())))
        self._origins = frozenset(origins)
        own = {Origin(scheme, name, port) for name in named for scheme, port in PORTS.items()}
        self._own = frozenset(own | {public} if public else own)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = self._objection(scope) if scope["type"] == "http" else None
        if detail is None:
            await self._app(scope, receive, send)
            return
        await refusal(Forbidden(detail), scope["path"], self._shapes)(scope, receive, send)

    def _objection(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = _host_name(f"//{host}")
        if not self._is_ours(name):
            return f"Unknown host name {name[:100]}. To allow it, start the server with --name {name[:100]}."
        if does_something(scope) and self._is_foreign(scope, headers, host):
            return "Requests from other websites are not allowed. To allow an origin, set ALLOWED_ORIGINS."
        return None

    def _is_foreign(self, scope: Scope, headers: Headers, host: str) -> bool:
        site = headers.get("sec-fetch-site")
        if (text := headers.get("origin")) is None:
            return site in ("cross-site", "same-site")  # other ports of this host are the same site
        if self._origins & {text, ANY}:
            return False
        origin, called = _origin(text), _origin(f"{scope['scheme']}://{headers.get('x-forwarded-host', host)}")
        if origin is None or origin in self._own:
            return origin is None
        # Behind a proxy with TLS this server does not know its scheme and port, but the browser does, and no page can forge this header.
        if site == "same-origin" and called is not None and origin.host == called.host:
            return False
        return origin != called

    def _is_ours(self, name: str) -> bool:
        """IP addresses, names without a dot, and reserved names cannot belong to another website."""
        return "." not in name or name.endswith(OWN_SUFFIXES) or _is_address(name) or self._is_named(name)

    def _is_named(self, name: str) -> bool:
        return name in self._names


def does_something(scope: Scope) -> bool:
    """Whether the request asks or changes something, rather than only reading."""
    return scope["method"] not in HARMLESS or scope["path"] == QUESTIONS


def _origin(url: str) -> Origin | None:
    """The origin of a URL with its default port; None for `null` and for anything but the URL of a website."""
    try:
        parts = urlsplit(url.lower())
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in PORTS or not parts.hostname:
        return None
    return Origin(parts.scheme, parts.hostname, PORTS[parts.scheme] if port is None else port)


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
