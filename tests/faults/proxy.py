"""A loopback proxy between an adapter and its engine that injects faults into the calls.

Faults are injected per call for HTTP engines and per connection for MongoDB. The proxy runs an event loop in its own
thread, so the code under test may block.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

Action = Literal[
    "pass", "refuse", "reset", "cut", "cut_after", "error", "unavailable", "throttle", "hang", "partial", "late", "break_off", "stall"
]
"""refuse: the connection is closed before its call is read to the end; reset: torn down there. cut: after the call was
read, before it was passed on. cut_after: it had its effect, and its reply is lost. error: a 500. unavailable: a 503.
throttle: the engine's own way of saying too many. hang: no reply for as long as the client waits. partial: a shard of
OpenSearch failed; late: it ran out of time. break_off: half of the reply, then the end; stall: half, then silence."""


def _reply(status: int, body: bytes = b"{}", content_type: str = "application/json") -> bytes:
    return b"HTTP/1.1 %d x\r\ncontent-type: %s\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s" % (
        status, content_type.encode(), len(body), body,
    )  # fmt: skip


def _dynamodb(status: int, code: str) -> bytes:
    return _reply(status, b'{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":""}' % code.encode(), "application/x-amz-json-1.0")


def _xml(status: int, code: str) -> bytes:
    return _reply(status, b"<Error><Code>%s</Code><Message></Message></Error>" % code.encode(), "application/xml")


REPLIES: dict[str, dict[str, bytes]] = {
    "opensearch": {"error": _reply(500), "unavailable": _reply(503), "throttle": _reply(429)},
    "openai": {"error": _reply(500), "unavailable": _reply(503), "throttle": _reply(429)},
    "dynamodb": {
        "error": _dynamodb(500, "InternalServerError"),
        "unavailable": _reply(503, b""),
        "throttle": _dynamodb(400, "ThrottlingException"),
    },
    "aws": {"error": _xml(500, "InternalError"), "unavailable": _reply(503, b""), "throttle": _xml(503, "SlowDown")},
}
"""Of each kind of engine, where it answers by itself."""

TAMPERED = {"partial": (b'"failed":0', b'"failed":1'), "late": (b'"timed_out":false', b'"timed_out": true')}
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
NOT_PASSED = ("connection", "expect", "accept-encoding")


@dataclass(slots=True)
class Plan:
    """Decides the fault of each call. Calls are counted from 0 over all proxies of a test."""

    decide: Callable[[int, str], Action] = lambda number, call: "pass"
    calls: list[str] = field(default_factory=list)
    """`<name> <METHOD> <path>`; of AWS's JSON services the operation instead of the path."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def meet(self, call: str) -> Action:
        with self.lock:
            self.calls.append(call)
            number = len(self.calls) - 1
        return self.decide(number, call)


class Proxy:
    """`engine`: a key of REPLIES, or "mongodb". `url`: where the engine really is. `name`: the prefix of its calls in the plan."""

    def __init__(self, engine: str, url: str, plan: Plan, name: str = "") -> None:
        target = urlsplit(url)
        self._engine, self._plan, self._name = engine, plan, name or engine
        self._target = target.hostname or "127.0.0.1", target.port or 80
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._flow = asyncio.Event()
        self._flow.set()
        self._port = 0
        self.url = ""
        self.hanging = self.working = 0
        """Calls that get no reply, and whose clients still wait; calls that will get one."""

    def __enter__(self) -> Proxy:
        self._thread.start()
        self.come_back()
        scheme = "mongodb" if self._engine == "mongodb" else "http"
        self.url = f"{scheme}://127.0.0.1:{self._port}"
        return self

    def __exit__(self, *_: object) -> None:
        self.go_away()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def drop(self) -> None:
        """Cuts the open connections, as an idle timeout does."""
        self._run(self._cut())

    def go_away(self) -> None:
        """Stops listening and closes the open connections."""
        self._run(self._stop())

    def come_back(self) -> None:
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", self._port))
        self._port = self._server.sockets[0].getsockname()[1]

    def freeze(self) -> None:
        """Keeps the connections to MongoDB open without forwarding anything."""
        self._loop.call_soon_threadsafe(self._flow.clear)

    def thaw(self) -> None:
        self._loop.call_soon_threadsafe(self._flow.set)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _cut(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _stop(self) -> None:
        self._server.close()
        await self._cut()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await (self._pipe if self._engine == "mongodb" else self._answer)(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _hang(self, reader: asyncio.StreamReader) -> None:
        self.hanging += 1
        try:
            while await reader.read(65536):
                pass
        finally:
            self.hanging -= 1

    # --- HTTP: a connection for each call ---------------------------------------------------------

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
        method, path, _ = lines[0].split(" ", 2)
        action = self._plan.meet(f"{self._name} {_name_of(method, path, headers)}")
        if action == "reset":
            _reset(writer)
        if action in ("refuse", "reset"):
            return
        if headers.get("expect", "").lower() == "100-continue":
            writer.write(CONTINUE)
        body = await _read_body(reader, headers)
        if action == "cut":
            return
        if action == "hang":
            await self._hang(reader)
            return
        reply = REPLIES[self._engine].get(action) or await self._forward(lines, body)
        if action == "cut_after":
            return
        if action in TAMPERED:
            reply = reply.replace(*TAMPERED[action])
        if action in ("break_off", "stall"):
            reply = reply[: len(reply) // 2]
        writer.write(reply)
        await writer.drain()
        if action == "stall":
            await self._hang(reader)
        writer.close()
        await writer.wait_closed()

    async def _forward(self, lines: list[str], body: bytes) -> bytes:
        self.working += 1
        try:
            return await self._reply_to(lines, body)
        finally:
            self.working -= 1

    async def _reply_to(self, lines: list[str], body: bytes) -> bytes:
        kept = [line for line in lines[1:] if line and line.partition(":")[0].lower() not in NOT_PASSED]
        reader, writer = await asyncio.open_connection(*self._target)
        try:
            writer.write("\r\n".join([lines[0], *kept, "Connection: close", "", ""]).encode("latin-1") + body)
            await writer.drain()
            if self._engine == "openai":  # a test server, which closes when its client does
                writer.write_eof()
            reply = await reader.read()
            return reply.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)  # engines keep the connection alive, and clients would reuse it
        finally:
            writer.transport.abort()

    # --- MongoDB: bytes ---------------------------------------------------------------------------

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        action = self._plan.meet(f"{self._name} connection")
        if action == "hang":
            await self._hang(reader)
        if action != "pass":
            return
        upstream, sink = await asyncio.open_connection(*self._target)
        try:
            await asyncio.gather(self._copy(reader, sink), self._copy(upstream, writer))
        finally:
            sink.transport.abort()

    async def _copy(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            await self._flow.wait()
            sink.write(data)
            await sink.drain()
        with suppress(OSError):
            sink.write_eof()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Closes it with an RST."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    """The raw body, chunked encoding included."""
    if "chunked" not in headers.get("transfer-encoding", ""):
        return await reader.readexactly(int(headers.get("content-length", "0")))
    body = b""
    while True:
        size = await reader.readuntil(b"\r\n")
        data = await reader.readexactly(int(size.split(b";")[0], 16) + 2)
        body += size + data
        if size.split(b";")[0].strip() == b"0":
            return body


def _name_of(method: str, path: str, headers: dict[str, str]) -> str:
    if target := headers.get("x-amz-target"):
        return f"{method} {target.rpartition('.')[2]}"
    return f"{method} {urlsplit(path).path}"
