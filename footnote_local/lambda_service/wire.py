"""HTTP/1.1 on loopback: request bodies chunk by chunk with their trailers, replies that stream.

Web frameworks hide trailers, and in trailers a function tells that its stream failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

import h11

READ = 2**16
"""Bytes read at once."""

HeaderList = Iterable[tuple[str, str]]


class Exchange:
    """One request and its reply. A reply that is begun and not ended is cut: the client sees that it is not whole."""

    def __init__(self, connection: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: h11.Request) -> None:
        self._connection, self._reader, self._writer = connection, reader, writer
        self.method = head.method.decode()
        self.target = head.target.decode()
        self.headers = _joined(head.headers)
        self.trailers: dict[str, str] = {}
        """Known when the body was read to its end."""

    async def body(self) -> AsyncGenerator[bytes, None]:
        while isinstance(event := await _next_event(self._connection, self._reader), h11.Data):
            yield bytes(event.data)
        if isinstance(event, h11.EndOfMessage):
            self.trailers = _joined(event.headers)

    async def read(self) -> bytes:
        return b"".join([part async for part in self.body()])

    async def reply(self, status: int, body: bytes = b"", headers: HeaderList = ()) -> None:
        await self.begin(status, [*headers, ("content-length", str(len(body)))])
        await self.write(body)
        await self.end()

    async def begin(self, status: int, headers: HeaderList) -> None:
        """Without a content-length among `headers`, the body goes out in chunks."""
        await self._send(h11.Response(status_code=status, headers=[(name.encode(), value.encode("latin-1")) for name, value in headers]))

    async def write(self, data: bytes) -> None:
        if data:
            await self._send(h11.Data(data))

    async def end(self) -> None:
        await self._send(h11.EndOfMessage())

    async def _send(self, event: h11.Response | h11.Data | h11.EndOfMessage) -> None:
        self._writer.write(self._connection.send(event) or b"")
        await self._writer.drain()


Handle = Callable[[Exchange], Awaitable[None]]


@asynccontextmanager
async def listening(handle: Handle) -> AsyncIterator[int]:
    """Serves on a free port of loopback → the port. At the end, what is still open is cut."""
    conversations: set[asyncio.Task[Any] | None] = set()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversations.add(task := asyncio.current_task())
        try:
            # A peer that leaves or talks nonsense ends its own connection, and so does the end of the server.
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
    """Lower-case names; what came more than once is joined by commas."""
    joined: dict[str, str] = {}
    for name, value in headers:
        key = name.decode()
        joined[key] = f"{joined[key]},{value.decode('latin-1')}" if key in joined else value.decode("latin-1")
    return joined
