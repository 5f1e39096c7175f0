"""The processes of one server: a request about a stream reaches the one that runs its turn, whichever accepted the request.

Each process also listens on a Unix socket in a folder that only this user can enter. One that does not have the stream of a request passes
it on to the others in turn, and relays the reply of the one that has it. If none has, it answers itself, from the store.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote.errors import NotFound
from footnote_http.app import MAX_JSON
from footnote_http.streams import Streams, read_event_id
from footnote_local.origin_guard import QUESTIONS

CLIENT = b"x-footnote-client"
"""The client of a request that is passed on: its scheme, address and port, as JSON."""
ELSEWHERE = b"x-footnote-elsewhere"
"""A header of the reply of a process that does not have the stream."""
ANSWER_S = 10.0
"""How long a process may take to say whether it has the stream."""
OF_ONE_HOP = frozenset({b"connection", b"transfer-encoding", b"keep-alive", b"date", b"expect"})
"""Headers that each connection has its own of."""


def open_socket(folder: Path, number: int) -> socket.socket:
    """The socket on which this process hears the others."""
    path = _path(folder, number)
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    return listener


def _path(folder: Path, number: int) -> Path:
    return folder / f"{number}.sock"


class Siblings:
    """ASGI middleware, outside of all others. `streams`: those of this process, whose number is `number` of `count`."""

    def __init__(self, app: ASGIApp, streams: Streams, folder: Path, number: int, count: int) -> None:
        self._app, self._streams = app, streams
        self._own = str(_path(folder, number))
        self._others = [_path(folder, other) for other in range(count) if other != number]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        trace_id = _asked_about(scope) if scope["type"] == "http" else None
        if scope["type"] == "http" and scope["server"] == (self._own, None):
            if trace_id is None or trace_id not in self._streams:
                reply = Response(status_code=404)
                reply.raw_headers.append((ELSEWHERE, b"1"))
                await reply(scope, receive, send)
                return
            scope = _from_client(scope)
        elif trace_id is not None and trace_id not in self._streams:
            messages = await _read(receive)
            for path in () if messages[-1].get("more_body") else self._others:
                if await _relay(path, scope, messages, receive, send):
                    return
            receive = _replay(messages, receive)
        await self._app(scope, receive, send)


def _asked_about(scope: Scope) -> str | None:
    """The trace id of the stream that is to be resumed or stopped; None = the request is another one."""
    path: str = scope["path"]
    if scope["method"] == "DELETE" and path.startswith(f"{QUESTIONS}/"):
        return path.removeprefix(f"{QUESTIONS}/")
    last = Headers(scope=scope).get("last-event-id") if path == QUESTIONS else None
    with suppress(NotFound):
        return read_event_id(last)[0] if last else None
    return None


async def _read(receive: Receive) -> list[Message]:
    """The messages with the body, or with its beginning if it is longer than a body may be. The last one may be that the client left."""
    messages, size = list[Message](), 0
    while True:
        messages.append(message := await receive())
        size += len(message.get("body", b""))
        if not message.get("more_body") or size > MAX_JSON:
            return messages


def _replay(messages: Sequence[Message], receive: Receive) -> Receive:
    waiting = list(messages)

    async def receive_again() -> Message:
        return waiting.pop(0) if waiting else await receive()

    return receive_again


async def _relay(path: Path, scope: Scope, messages: Sequence[Message], receive: Receive, send: Send) -> bool:
    """Passes the request on. False: that process does not have the stream, or does not answer."""
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(ANSWER_S):
                reader, writer = await asyncio.open_unix_connection(path)
                stack.callback(writer.close)
                writer.write(_request(scope, b"".join(message.get("body", b"") for message in messages)))
                status, *lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        except (OSError, TimeoutError, asyncio.IncompleteReadError):  # it has died, or is too busy
            return False
        headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines if line)]
        if ELSEWHERE in dict(headers):
            return False
        reply = StreamingResponse(_parts(reader), int(status.split()[1]))
        reply.raw_headers = [pair for pair in headers if pair[0] not in OF_ONE_HOP]
        await reply(scope, receive, send)
        return True


def _request(scope: Scope, body: bytes) -> bytes:
    """The request as HTTP/1.0, whose reply is not chunked and ends with the connection."""
    client = json.dumps([scope["scheme"], *(scope["client"] or ("", 0))]).encode()
    headers = [pair for pair in scope["headers"] if pair[0] not in (*OF_ONE_HOP, CLIENT, b"content-length")]
    headers += [(CLIENT, client), (b"content-length", b"%d" % len(body))]
    target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
    return b"%s %s HTTP/1.0\r\n%s\r\n%s" % (scope["method"].encode(), target, b"".join(b"%s: %s\r\n" % pair for pair in headers), body)


async def _parts(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The body as far as it comes: if the process dies, the client resumes once more."""
    with suppress(OSError):
        while part := await reader.read(MAX_JSON):
            yield part


def _from_client(scope: Scope) -> Scope:
    """The request as the process that passed it on received it."""
    scheme, *client = json.loads(dict(scope["headers"])[CLIENT])
    headers = [pair for pair in scope["headers"] if pair[0] != CLIENT]
    return {**scope, "scheme": scheme, "client": tuple(client), "headers": headers}
