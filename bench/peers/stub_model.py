"""A stub language model: OpenAI's wire format on loopback, up to fifty tokens at once, each as a separate event.

It quotes the beginning of the longest line of its prompt, which is a passage in that of every system, and cites it as [1]. A text that
cites nothing is no answer: Footnote would quote the documents below it, and that would be measured, too."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

TOKENS = 50
LARGEST_HEAD = 2**16


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "stub", "choices": [choice]}
    return _sized(b"data: " + json.dumps(body).encode() + b"\n\n")


def _sized(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
USAGE = {"prompt_tokens": 1000, "completion_tokens": TOKENS, "total_tokens": 1000 + TOKENS}
LAST = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "stub", "choices": [], "usage": USAGE}
END = [
    _chunk({}, "stop"),
    _sized(b"data: " + json.dumps(LAST).encode() + b"\n\n"),
    _sized(b"data: [DONE]\n\n") + b"0\r\n\r\n",
]
MODELS = b'{"object":"list","data":[{"id":"stub","object":"model","created":1,"owned_by":"bench"}]}'
LIST = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(MODELS), MODELS)
"""The reply to a GET."""


def stream(request: bytes) -> list[bytes]:
    """The pieces of the reply to a request's body."""
    messages = json.loads(request).get("messages")  # not in a question about the model itself
    words = max(messages[-1]["content"].split("\n"), key=len).split()[: TOKENS - 1] if messages else []
    return [*(_chunk({"content": f"{word} "}) for word in words), _chunk({"content": "[1]"}), *END]


async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = next((int(line.split(":")[1]) for line in head.split("\r\n") if line.startswith("content-length:")), 0)
            body = await reader.readexactly(length)
            if head.startswith("get "):
                writer.write(LIST)
                await writer.drain()
                continue
            writer.write(HEAD)
            for chunk in stream(body):
                writer.write(chunk)
                await writer.drain()
                await asyncio.sleep(0)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def serve() -> None:
    """Prints its port, then serves until standard input is closed: it never outlives the process that started it."""
    server = await asyncio.start_server(handle, "127.0.0.1", 0, limit=LARGEST_HEAD)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
