"""Finds language model servers on this machine: Ollama, LM Studio and llama.cpp at their usual ports.

Only the loopback interface is asked. A server is recognised by the form of its own list of models, so that text of documents is not
sent to an unrelated program on that port. Models that run elsewhere (Ollama's cloud models) and embedding models are left out.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from io import BytesIO
from typing import Any

from footnote.types import ModelSource

HOST = "127.0.0.1"
LOOK_S = 1.0
"""A look is made when a model is asked for and the last look began at least this long ago. It takes a millisecond or two."""
WAIT_S = 0.05
"""Longest wait of a question for a look; it then uses what was found before."""
FIRST_WAIT_S = 0.4
"""Longest wait where nothing is known yet."""
LIMIT_S = 1.0
"""Time limit of a look, which goes on in the background."""
MAX_BYTES = 2**20
"""Of a list of models."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A kind of server. `path`: its list of models; `models`: reads the names of its chat models from that list, and raises an
    error if this is another program."""

    name: str
    port: int
    path: str
    models: Callable[[Any], list[str]]

    @property
    def address(self) -> str:
        """Host and port, for display."""
        return f"localhost:{self.port}"


def _ollama(listed: Any) -> list[str]:
    return [str(model["name"]) for model in listed["models"] if _may_chat(model)]


def _may_chat(model: Any) -> bool:
    if model.get("remote_host"):
        return False
    if capabilities := model.get("capabilities"):  # missing in earlier versions
        return "completion" in capabilities
    details = model.get("details") or {}
    family, name = str(details.get("family")), str(model["name"]).lower()
    return "bert" not in family and "embed" not in name and "rerank" not in name


def _lm_studio(listed: Any) -> list[str]:
    chat = [model for model in listed["data"] if model["type"] in ("llm", "vlm")]
    return [str(model["id"]) for model in sorted(chat, key=lambda model: model["state"] != "loaded")]


def _llama_cpp(listed: Any) -> list[str]:
    names = [str(model["id"]) for model in listed["data"] if model["owned_by"] == "llamacpp"]
    if not names:
        raise ValueError("not llama.cpp")
    return names


SERVERS = (
    LocalServer("Ollama", 11434, "/api/tags", _ollama),
    LocalServer("LM Studio", 1234, "/api/v0/models", _lm_studio),
    LocalServer("llama.cpp", 8080, "/v1/models", _llama_cpp),
)
"""In order of preference."""


class LocalServers:
    """What is found on this machine, looked up again whenever a model is asked for."""

    def __init__(self, servers: Sequence[LocalServer] = SERVERS, timer: Callable[[], float] = time.monotonic) -> None:
        self._servers = servers
        self._timer = timer
        self._looked_at = float("-inf")
        self._looking: asyncio.Task[None] | None = None
        self._models: dict[LocalServer, list[str]] = {}
        """The chat models of each server that replied."""
        self._is_known = False

    async def look(self) -> ModelSource:
        """What there is now, or what was found before if the servers do not reply within WAIT_S."""
        task = self._looking
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            if self._timer() - self._looked_at < LOOK_S:
                return self.source
            self._looked_at = self._timer()
            task = self._looking = asyncio.create_task(self._look())
        await asyncio.wait({task}, timeout=WAIT_S if self._is_known else FIRST_WAIT_S)
        return self.source

    @property
    def source(self) -> ModelSource:
        """What the last look found."""
        for server, models in self._models.items():
            if models:
                return ModelSource("found", server.name, server.address, models[0])
        for server in self._models:
            return ModelSource("no_chat_model", server.name, server.address)
        return ModelSource("not_found", looked_for=tuple((server.name, server.port) for server in self._servers))

    @property
    def base_url(self) -> str | None:
        """The OpenAI-compatible API of the server that was found; of one without chat models, too."""
        server = next((server for server, models in self._models.items() if models), next(iter(self._models), None))
        return f"http://{HOST}:{server.port}/v1" if server else None

    async def close(self) -> None:
        """Ends a look that is still running."""
        if self._looking is not None and not self._looking.done() and self._looking.get_loop() is asyncio.get_running_loop():
            self._looking.cancel()
            await asyncio.wait({self._looking})

    async def _look(self) -> None:
        found = await asyncio.gather(*(self._ask(server) for server in self._servers))
        self._models = {server: models for server, models in zip(self._servers, found, strict=True) if models is not None}
        self._is_known = True

    async def _ask(self, server: LocalServer) -> list[str] | None:
        """The server's chat models; None if it is not running. One that is too busy to reply counts as unchanged."""
        try:
            async with asyncio.timeout(LIMIT_S):
                return server.models(json.loads(await _get(server.port, server.path)))
        except TimeoutError:
            return self._models.get(server)
        except (OSError, HTTPException, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None  # nothing listens there, or another program


async def _get(port: int, path: str) -> bytes:
    """The body of a reply with status 200. By hand, because importing an HTTP client takes longer than this."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nAccept: application/json\r\nConnection: close\r\n\r\n".encode())
        raw = bytearray()
        while part := await reader.read(65_536):
            raw += part
            if len(raw) > MAX_BYTES:
                raise ValueError("too long")
    finally:
        writer.close()
    reply = HTTPResponse(_Received(bytes(raw)))  # type: ignore[arg-type]  # only makefile is used
    reply.begin()
    if reply.status != 200:
        raise ValueError(f"status {reply.status}")
    return reply.read()


class _Received:
    """The part of a socket that HTTPResponse reads from."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, *_: Any) -> BytesIO:
        return BytesIO(self._data)
