"""Questions at a fixed rate to a running server, with a model that answers at once.

    python -m bench.load --data DATA [--rates 20 50 100] [--seconds 60] [--workers 1] [--json]

`footnote serve` on the data folder, level standard, caches off; the questions are the English ones of `labels/`. Requests to
`/ask/stream` start at fixed times, whether or not earlier ones are done, so a slow server gets no rest. The first token is timed from
the moment when a request should have started. The stub model, the client and the server share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import urlsplit

from bench.figures import log_progress
from bench.labelled import LABELS
from bench.server import Server, serving

TOKENS = ("It ", "is ", "as ", "the ", "passage ", "says ", "[1].")
LIMIT_S = 30


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The stub: one streamed reply for each request."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    except (asyncio.IncompleteReadError, asyncio.CancelledError):  # opened in advance and not used
        writer.close()
        return
    if head.startswith("post"):
        await reader.readexactly(int(head.partition("content-length:")[2].split()[0]))
        chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {"content": token}, "finish_reason": None}]} for token in TOKENS]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        shared = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stub"}
        body = "".join(f"data: {json.dumps(shared | each)}\n\n" for each in chunks) + "data: [DONE]\n\n"
        kind = "text/event-stream"
    else:
        body, kind = json.dumps({"object": "list", "data": [{"id": "stub", "object": "model"}]}), "application/json"
    writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n{body}".encode())
    await writer.drain()
    writer.close()


async def ask(url: str, question: str, due: float) -> float | None:
    """Seconds from `due` to the first token; None = no answer."""
    at, body = urlsplit(url), json.dumps({"query_text": question, "index_name": "default", "permission_groups": []}).encode()
    first: float | None = None
    try:
        async with asyncio.timeout(LIMIT_S):
            reader, writer = await asyncio.open_connection(at.hostname, at.port)
            head = f"POST /ask/stream HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
            writer.write(f"{head}connection: close\r\n\r\n".encode() + body)
            async for line in reader:
                if first is None and b'"token"' in line:
                    first = time.perf_counter() - due
                if b'"done"' in line:
                    writer.close()
                    return first
            writer.close()
    except (OSError, TimeoutError):
        pass
    return None


async def run(url: str, questions: Sequence[str], rate: int, seconds: int) -> dict[str, Any]:
    """The figures of one rate."""
    start, tasks = time.perf_counter() + 0.1, []
    for number in range(rate * seconds):
        due = start + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(ask(url, questions[number % len(questions)], due)))
    took = await asyncio.gather(*tasks)
    good = sorted(each for each in took if each is not None)
    cuts = quantiles(good, n=100) if len(good) > 1 else [float("inf")] * 99
    figures = {"rate": rate, "requests": len(took), "errors": len(took) - len(good), "p50_ms": cuts[49] * 1e3, "p95_ms": cuts[94] * 1e3}
    return figures | {"load": os.getloadavg()[0]}


@asynccontextmanager
async def asked_server(data: Path, workers: int = 1) -> AsyncIterator[tuple[Server, list[str]]]:
    """A server on the data folder that has answered some questions, and the questions to ask it."""
    lines = (line for file in sorted(LABELS.glob("en_*.jsonl")) for line in file.read_text("utf-8").splitlines())
    questions = [row["question"] for row in map(json.loads, lines)]
    model = await asyncio.start_server(answer, "127.0.0.1", 0)
    at = f"http://127.0.0.1:{model.sockets[0].getsockname()[1]}/v1"
    unlimited = {"LIMITS__USER_PER_MINUTE": "0", "LIMITS__ADDRESS_PER_MINUTE": "0", "CACHE__ENABLED": "false"}
    settings: dict[str, Any] = {"LLM__BASE_URL": at, "LLM__MODEL": "stub", "LLM__API_KEY": "stub", **unlimited}
    with serving(data, workers, **settings) as server:
        await asyncio.to_thread(server.wait)
        for question in questions[:20]:  # the first ones open files and load what later ones share
            await ask(server.url, question, time.perf_counter())
        yield server, questions
    model.close()


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description="Asks a server at fixed rates.")
    parser.add_argument("--data", type=Path, required=True, metavar="DATA", help="a data folder with ingested documents")
    parser.add_argument("--rates", nargs="+", type=int, default=[20, 50, 100], metavar="N", help="requests a second")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes of the server")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    async with asked_server(given.data, given.workers) as (server, questions):
        for rate in given.rates:
            log_progress(f"— {rate} requests a second")
            each = await run(server.url, questions, rate, given.seconds)
            times = f"first token p50 {each['p50_ms']:.0f}, p95 {each['p95_ms']:.0f} ms (load {each['load']:.1f})"
            told = f"{rate:3} requests a second: {each['errors']} errors of {each['requests']}, {times}"
            print(json.dumps(each) if given.json else told, flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
