"""Refuses questions beyond the number that the server can answer in a few seconds. Otherwise all of them would wait, most until their
clients give up, and the server would keep answering questions that nobody is waiting for."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from footnote.errors import Unavailable
from footnote_http.app import refusal
from footnote_http.routes import ErrorShape
from footnote_local.origin_guard import does_something

MOST_AT_ONCE = 64
"""Requests. Each takes 20 to 40 ms of a core before its first token, so the last of them waits for about two seconds."""
RETRY_S = 2
BUSY = "Too many questions are being answered. Try again in a few seconds."


class Admission:
    """ASGI middleware that replies with a 503 and `Retry-After` while `most` questions are being answered; reads are always served.

    `shapes`: path prefix → error shape."""

    def __init__(self, app: ASGIApp, shapes: Mapping[str, ErrorShape], most: int = MOST_AT_ONCE) -> None:
        self._app = app
        self._shapes = shapes
        self._most = most
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not does_something(scope):
            await self._app(scope, receive, send)
            return
        if self._under_way >= self._most:
            await refusal(Unavailable(BUSY), scope["path"], self._shapes, **{"retry-after": str(RETRY_S)})(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way -= 1
