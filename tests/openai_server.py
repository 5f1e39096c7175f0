"""A loopback HTTP server that answers as a test tells it to, and remembers what it was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

PROBES = ("/v1/models", "/props", "/api/ps", "/api/show")
"""Where the limits of models are asked for. Requests there are remembered only where a test says what is answered."""
Part = str | bytes | float | asyncio.Event | None
"""Of a body: text is sent at once, a number is a pause in seconds, an event is waited for, None cuts the connection."""


@dataclass(slots=True)
class Reply:
    status: int = 200
    body: Sequence[Part] = ()
    content_type: str = "application/json"
    headers: str = ""
    """More of them, each with its CRLF."""


@dataclass(slots=True)
class Server:
    url: str = ""
    replies: dict[str, Reply | Callable[[Any], Reply]] = field(default_factory=dict)
    """Path → what is answered there, or what makes it from the request's JSON; 404 elsewhere."""
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                path = line.split()[1].decode()
                headers = {}
                while (header := (await reader.readline()).decode().strip()) != "":
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                sent = json.loads(body) if body else None
                if path in self.replies or path not in PROBES:
                    self.requests.append((path, headers, sent))
                reply = self.replies.get(path, Reply(404, ("{}",)))
                if (
                    not await self._answer(reply if isinstance(reply, Reply) else reply(sent), writer)
                    or headers.get("connection") == "close"
                ):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        head = f"HTTP/1.1 {reply.status} x\r\ncontent-type: {reply.content_type}\r\ntransfer-encoding: chunked\r\n{reply.headers}\r\n"
        writer.write(head.encode())
        for part in reply.body:
            if part is None:
                return False
            if isinstance(part, asyncio.Event):
                await part.wait()
                continue
            if isinstance(part, float):
                await asyncio.sleep(part)
                continue
            data = part.encode() if isinstance(part, str) else part
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


@asynccontextmanager
async def serving(port: int = 0) -> AsyncIterator[Server]:
    server = Server()
    listening = await asyncio.start_server(server.handle, "127.0.0.1", port)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
        await listening.wait_closed()


def sse(*chunks: dict[str, Any] | asyncio.Event | float | str | None, done: bool = True) -> Reply:
    """A stream of events: a dict is one chunk's JSON, text goes out as it stands."""
    parts: list[Part] = [f"data: {json.dumps(chunk)}\n\n" if isinstance(chunk, dict) else chunk for chunk in chunks]
    return Reply(200, [*parts, "data: [DONE]\n\n"] if done else parts, "text/event-stream")


def chunk(**delta: Any) -> dict[str, Any]:
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": delta}]}
