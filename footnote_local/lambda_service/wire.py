"""A minimal HTTP/1.1 server on loopback: request bodies in chunks with trailers, streamed responses.

Written by hand because web frameworks hide trailers, in which a function reports that its stream failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

import h11

READ = 2**16
"""Bytes per read."""

HeaderList = Iterable[tuple[str, str]]


class Exchange:
    """One request and its response. If a response is begun but not ended, the client sees that it is truncated."""

    def __init__(self, connection: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: h11.Request) -> None:
        self._connection, self._reader, self._writer = connection, reader, writer
        self.method = head.method.decode()
        self.target = head.target.decode()
        self.headers = _joined(head.headers)
        self.trailers: dict[str, str] = {}
        """Available after the body was read to its end."""

    async def body(self) -> AsyncGenerator[bytes, None]:
        """Yields the request body in chunks."""
        while isinstance(event := await _next_event(self._connection, self._reader), h11.Data):
            yield bytes(event.data)
        if isinstance(event, h11.EndOfMessage):
            self.trailers = _joined(event.headers)

    async def read(self) -> bytes:
        """The whole request body."""
        return b"".join([part async for part in self.body()])

    async def reply(self, status: int, body: bytes = b"", headers: HeaderList = ()) -> None:
        """Sends a complete response."""
        await self.begin(status, [*headers, ("content-length", str(len(body)))])
        await self.write(body)
        await self.end()

    async def begin(self, status: int, headers: HeaderList) -> None:
        """Sends the status and headers. Without a content-length the body is chunked."""
        await self._send(h11.Response(status_code=status, headers=[(name.encode(), value.encode("latin-1")) for name, value in headers]))

    async def write(self, data: bytes) -> None:
        """Sends a part of the body."""
        if data:
            await self._send(h11.Data(data))

    async def end(self) -> None:
        """Completes the response."""
        await self._send(h11.EndOfMessage())

    async def _send(self, event: h11.Response | h11.Data | h11.EndOfMessage) -> None:
        self._writer.write(self._connection.send(event) or b"")
        await self._writer.drain()


Handle = Callable[[Exchange], Awaitable[None]]


@asynccontextmanager
async def listening(handle: Handle) -> AsyncIterator[int]:
    """Serves on a free loopback port. → the port. On exit, open connections are closed."""
    conversations: set[asyncio.Task[Any] | None] = set()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversations.add(task := asyncio.current_task())
        try:
            # A disconnect, a protocol error or the server's shutdown ends only this connection.
            with suppress(ConnectionError, h11.ProtocolError, asyncio.CancelledError):
                await _converse(handle, reader, writer)
        finally:
            conversations.discard(task)
            writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        left = [task for task in conversations if task is not None]
        for task in left:
            task.cancel()
        await asyncio.gather(*left)
        await server.wait_closed()


async def _converse(handle: Handle, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    connection = h11.Connection(h11.SERVER)
    while isinstance(head := await _next_event(connection, reader), h11.Request):
        await handle(Exchange(connection, reader, writer, head))
        if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
            return
        connection.start_next_cycle()


async def _next_event(connection: h11.Connection, reader: asyncio.StreamReader) -> object:
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await reader.read(READ))
    return event


def _joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by lower-case name; repeated headers are joined by commas."""
    joined: dict[str, str] = {}
    for name, value in headers:
        key = name.decode()
        joined[key] = f"{joined[key]},{value.decode('latin-1')}" if key in joined else value.decode("latin-1")
    return joined
