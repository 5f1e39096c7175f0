"""What passes between a caller and a function: the event, the reply as it comes, the error."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

MAX_PAYLOAD = 6 * 2**20
"""Bytes of an event, and of a reply that is not streamed."""


class FunctionError(Exception):
    """The function failed. `payload` is the JSON object that the caller of Invoke gets."""

    def __init__(self, payload: bytes) -> None:
        super().__init__(payload.decode(errors="replace"))
        self.payload = payload

    @classmethod
    def of(cls, error_type: str, message: str) -> FunctionError:
        return cls(json.dumps({"errorType": error_type, "errorMessage": message}).encode())


class TooLarge(Exception):
    """The event is larger than Lambda takes."""


@dataclass(frozen=True, slots=True)
class Function:
    """What the service knows of a function before it runs."""

    name: str
    handler: str
    command: tuple[str, ...]
    """Starts its runtime, in `root`."""
    root: Path
    """LAMBDA_TASK_ROOT."""
    timeout_s: float = 3
    memory_mb: int = 128
    variables: Mapping[str, str] = field(default_factory=dict)
    extensions: tuple[tuple[str, ...], ...] = ()
    """Commands of external extensions, started before the runtime."""


@dataclass(frozen=True, slots=True)
class Reply:
    content_type: str
    body: AsyncIterator[bytes]
    """As it comes when the function streams, else in one part. Raises FunctionError where a stream broke off."""


class Invocation:
    """One event on its way through a function."""

    def __init__(self, event: bytes) -> None:
        self.request_id = str(uuid4())
        self.event = event
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._parts: asyncio.Queue[bytes | FunctionError | None] = asyncio.Queue()
        self._ended = False

    def begin(self, content_type: str) -> None:
        if not self.reply.done():  # it is where nobody waits any more
            self.reply.set_result(Reply(content_type, self._body()))

    def add(self, part: bytes) -> None:
        self._parts.put_nowait(part)

    def end(self, error: FunctionError | None = None) -> None:
        """The first end counts."""
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
