"""Reads the stream of a reply: server-sent events, each a chunk of JSON.

The SDK sends the request and raises the errors of its answer. The stream is read here, because the SDK's stream makes a pydantic model of
every chunk, drops a last event without its empty line, and cannot tell what has arrived already.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from itertools import groupby
from typing import TYPE_CHECKING, Any

from footnote.adapters.openai.wire import ReplyReader
from footnote.ports import Delta

if TYPE_CHECKING:
    from openai import AsyncStream

NOTHING = Delta()
LINGER_S = 2.0
"""Longest wait for the usage and the end of a stream after the finish reason."""
DRAIN_S = 0.1
"""Longest wait for the end of the body after `[DONE]`; a connection whose body was not read to its end is not used again."""
LATE = 0.02
"""Part of `stall_s` by which a stalled reply may be given up too early."""


class EventData:
    """Bytes of a stream, as they arrive → the data of its events."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_after_cr = False
        self._data: list[bytes] = []

    def feed(self, part: bytes) -> Iterator[str]:
        """The data of the events that are complete. Lines end with LF, CR or both."""
        if self._is_after_cr and part:
            part = part.removeprefix(b"\n")
            self._is_after_cr = False
        if b"\r" in part:
            self._is_after_cr = part.endswith(b"\r")
            part = part.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            if line:
                field, _, value = line.partition(b":")
                if field == b"data":
                    self._data.append(value.removeprefix(b" "))
            elif self._data:
                data, self._data = b"\n".join(self._data), []
                yield data.decode()

    def end(self) -> Iterator[str]:
        """The data of a last event without the empty line, which some servers leave out."""
        yield from self.feed(b"\n\n")


class ReplyStream:
    """Reads ahead in a task of its own, so that text that came while the reader was busy is one piece. `until`: when the reply must have
    begun, `deadline`: when it must have ended, in the loop's time; `stall_s`: longest wait for the next piece of a reply that has begun."""

    def __init__(self, answered: AsyncStream[object], *, until: float, deadline: float, stall_s: float) -> None:
        self.reply = ReplyReader()
        self.is_done = False
        """`[DONE]` came."""
        self.begun = False
        self._response = answered.response
        self._deadline, self._stall_s = deadline, stall_s
        self._loop = asyncio.get_running_loop()
        self._pieces: list[Delta] = []
        self._news: asyncio.Future[None] | None = None
        self._reading = self._loop.create_task(self._read(until))
        self._reading.add_done_callback(self._tell)

    async def take(self) -> Sequence[Delta]:
        """The pieces that have come since the last call, at least one; () at the end. Raises TimeoutError if there is none in time, and
        the errors of the SDK and of the connection, after the pieces before them."""
        if not self._pieces and not self._reading.done():
            self._news = self._loop.create_future()
            await self._news
        if self._pieces:
            pieces, self._pieces = self._pieces, []
            return pieces if len(pieces) == 1 else [*joined(pieces)]
        self._reading.result()
        return ()

    async def close(self) -> None:
        """Reads no more."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _read(self, until: float) -> None:
        try:
            async with asyncio.timeout_at(until) as limit:
                events = EventData()
                async with aclosing(self._response.aiter_bytes()) as parts:
                    async for part in parts:
                        for data in events.feed(part):
                            self._hear(data)
                        self._extend(limit)
                for data in events.end():
                    self._hear(data)
        except Exception:
            if not (self.reply.is_whole or self.is_done):  # a reply that is whole has ended, however its connection does
                raise

    def _extend(self, limit: asyncio.Timeout) -> None:
        is_ending = self.is_done or self.reply.is_whole
        if is_ending or self.begun:
            wait_s = DRAIN_S if self.is_done else LINGER_S if is_ending else self._stall_s
            until, set_to = min(self._deadline, self._loop.time() + wait_s), limit.when()
            if is_ending or set_to is None or until - set_to > self._stall_s * LATE:  # else every piece would set the timer again
                limit.reschedule(until)

    def _hear(self, data: str) -> None:
        if self.is_done or data.startswith("[DONE]"):
            self.is_done = True
            return
        chunk: Any = json.loads(data)
        if isinstance(chunk, dict) and (error := chunk.get("error")):
            from openai import APIError

            raise APIError("the stream has an error", request=self._response.request, body=error)
        delta = self.reply.read(chunk)
        if delta is not None:
            self.begun = True
            if delta != NOTHING:
                self._pieces.append(delta)
                self._tell()

    def _tell(self, _: object = None) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


def joined(pieces: Sequence[Delta]) -> Iterator[Delta]:
    """Neighbouring pieces of nothing but text, or nothing but thinking, as one."""
    for kind, alike in groupby(pieces, _kind):
        if kind:
            same = list(alike)
            yield Delta("".join([piece.text for piece in same]), "".join([piece.thinking for piece in same]))
        else:
            yield from alike


def _kind(piece: Delta) -> str:
    if piece.usage or piece.cut or piece.tool_calls or (piece.text and piece.thinking):
        return ""
    return "text" if piece.text else "thinking"
