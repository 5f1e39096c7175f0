"""What stands in for the network, so that nothing depends on its pace: connections in memory, on which the real clients and the real
HTTP server read and write."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from httpcore2 import AsyncNetworkStream
from httpcore2._backends.auto import AutoBackend
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from bench.peers.stub_model import HEAD, LIST, stream
from footnote.ingest.parse import parse
from footnote.types import Parsed
from footnote_local.server import make_server


class HashEmbedder:
    """`ports.Embedder` whose vectors depend on the text alone, and on no library's arithmetic."""

    name: str = "hashes"
    dimension: int = 32
    languages: frozenset[str] | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        made = np.array([[zlib.crc32(f"{at} {text}".encode()) % 1000 - 499.5 for at in range(self.dimension)] for text in texts])
        normalized: npt.NDArray[np.float32] = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
        return normalized


class HereParser:
    """`ports.Parser` in this process: the real one works in a child, where nothing would be counted."""

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        return parse(data, file_name)


class ModelConnection(AsyncNetworkStream):
    """A connection to a model that answers at once: each event arrives by itself."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._sent = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        await asyncio.sleep(0)
        return self._waiting.pop(0)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:  # h11 writes nothing at the end of a body
            return
        self._sent += buffer
        if self._sent.startswith(b"GET "):
            self._waiting.append(LIST)
            self._sent = b""
            return
        head, _, body = self._sent.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r")[0])
        if len(body) >= length:
            self._waiting += [HEAD, *stream(body)]
            self._sent = b""

    async def aclose(self) -> None:
        self._waiting.clear()

    def get_extra_info(self, info: str) -> Any:
        return None


def connect_to_model() -> None:
    """From now on, every client in this process gets a ModelConnection, whatever its address."""

    async def connect(*args: Any, **options: Any) -> AsyncNetworkStream:
        return ModelConnection()

    AutoBackend.connect_tcp = connect  # type: ignore[method-assign]


class Connection(asyncio.Transport):
    """A client's connection to the server, which keeps what the server writes."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__({"peername": ("127.0.0.1", 50000), "sockname": ("127.0.0.1", 8000)})
        config = make_server(app).config
        config.load()
        self.written: list[bytes] = []
        self._state = ServerState()
        make: Any = config.http_protocol_class
        self._protocol = make(config=config, server_state=self._state, app_state={}, _loop=asyncio.get_running_loop())
        self._protocol.connection_made(self)

    async def post(self, path: str, body: bytes) -> bytes:
        """Sends a request and returns the whole reply. RuntimeError if it is an error."""
        self.written.clear()
        head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:8000\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        self._protocol.data_received(head.encode() + body)
        while self._state.tasks:
            await asyncio.wait(self._state.tasks)
        reply = b"".join(self.written)
        if not reply.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(reply.decode())
        return reply

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass
