"""The chunks of a streamed reply, read from server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openai import AsyncStream
    from openai._streaming import ServerSentEvent

    class Chunks(AsyncStream[object]):
        """A stream of plain JSON chunks: the SDK's pydantic model of every chunk would cost two thirds of an answer's CPU time."""

        is_done: bool
        """`[DONE]` came, which the SDK takes out."""


@cache
def chunks_class() -> type[Chunks]:
    """`Chunks`, made when it is first needed, since the SDK takes up to two seconds to import."""
    from openai import AsyncStream

    class Made(AsyncStream[object]):
        is_done = False

        async def _iter_events(self) -> AsyncIterator[ServerSentEvent]:
            async for event in self._decoder.aiter_bytes(_closed(self.response.aiter_bytes())):
                self.is_done = self.is_done or event.data.startswith("[DONE]")
                yield event

    return Made  # type: ignore[return-value]


async def _closed(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """With the empty line after the last event, which some servers leave out; without it the SDK drops the event."""
    async for part in parts:
        yield part
    yield b"\n\n"
