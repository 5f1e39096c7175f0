"""Types of one invocation: the function, the event, its streamed response, and errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

MAX_PAYLOAD = 6 * 2**20
"""Maximum bytes of an event, and of a response that is not streamed."""


class FunctionError(Exception):
    """The function failed. `payload`: the JSON object returned to the caller of Invoke."""

    def __init__(self, payload: bytes) -> None:
        super().__init__(payload.decode(errors="replace"))
        self.payload = payload

    @classmethod
    def of(cls, error_type: str, message: str) -> FunctionError:
        """An error with this type and message."""
        return cls(json.dumps({"errorType": error_type, "errorMessage": message}).encode())


class TooLarge(Exception):
    """The event exceeds Lambda's limit."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function's configuration."""

    name: str
    handler: str
    command: tuple[str, ...]
    """Starts the runtime, in `root`."""
    root: Path
    """LAMBDA_TASK_ROOT."""
    timeout_s: float = 3
    memory_mb: int = 128
    variables: Mapping[str, str] = field(default_factory=dict)
    extensions: tuple[tuple[str, ...], ...] = ()
    """Commands of external extensions, started before the runtime."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A function's response."""

    content_type: str
    body: AsyncIterator[bytes]
    """Streamed if the function streams, else one part. Raises FunctionError if a stream fails."""


class Invocation:
    """One event and its response."""

    def __init__(self, event: bytes) -> None:
        self.request_id = str(uuid4())
        self.event = event
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._parts: asyncio.Queue[bytes | FunctionError | None] = asyncio.Queue()
        self._ended = False

    def begin(self, content_type: str) -> None:
        """Begins the response."""
        if not self.reply.done():  # done if the caller has been cancelled
            self.reply.set_result(Reply(content_type, self._body()))

    def add(self, part: bytes) -> None:
        """Adds a part of the body."""
        self._parts.put_nowait(part)

    def end(self, error: FunctionError | None = None) -> None:
        """Ends the response, with an error if given. Only the first call counts."""
        if self._ended:
            return
        self._ended = True
        if error is not None and not self.reply.done():
            self.reply.set_exception(error)
        self._parts.put_nowait(error)

    async def _body(self) -> AsyncIterator[bytes]:
        while isinstance(part := await self._parts.get(), bytes):
            yield part
        if part is not None:
            raise part
