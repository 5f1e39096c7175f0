"""Asks a server at a fixed rate for long, while documents come and go: whether its memory grows, and how long its event loop stands still.

    python -m bench.soak --data DATA [--minutes 30] [--rate 20]

As `bench.load`; besides, a document of ten paragraphs is added every PAUSE_S, and deleted when KEPT newer ones are there. A stall is how
long `/health`, asked ten times a second, takes longer than this client's own loop was late.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from urllib.request import Request, urlopen

from bench.figures import log_progress
from bench.load import asked_server, run
from bench.server import Server

PAUSE_S, KEPT = 3.0, 20
BEAT_S, SAMPLE_S = 0.1, 10.0
WARM_S = 120
"""Memory is compared from here on: caches are full by then."""


async def _change_documents(url: str, questions: Sequence[str]) -> None:
    for number in range(10**9):
        text = "\n\n".join(
            f"Note {number}, part {part}. {questions[(number + part) % len(questions)]} The answer follows." for part in range(10)
        )
        body = {"index_name": "default", "data": {"doc_id": f"soak-{number}", "content": text, "permission_groups": ["*"]}}
        await asyncio.to_thread(_send, "POST", f"{url}/insert-doc", body)
        if number >= KEPT:
            await asyncio.to_thread(_send, "DELETE", f"{url}/documents/soak-{number - KEPT}", None)
        await asyncio.sleep(PAUSE_S)


def _send(method: str, url: str, body: object) -> None:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, {"content-type": "application/json"}, method=method), timeout=60):
        return


async def _watch_loop(url: str, stalls: list[float]) -> None:
    host, _, port = url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    while True:
        due = time.perf_counter() + BEAT_S
        await asyncio.sleep(BEAT_S)
        late, sent = time.perf_counter() - due, time.perf_counter()
        writer.write(b"GET /health HTTP/1.1\r\nhost: bench\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
        stalls.append(max(0.0, time.perf_counter() - sent - max(0.0, late)))


async def _watch_memory(server: Server, memory: list[tuple[float, float]]) -> None:
    started = time.perf_counter()
    while True:
        await asyncio.sleep(SAMPLE_S)
        memory.append((time.perf_counter() - started, server.memory_mb()))
        if len(memory) % 30 == 0:
            log_progress(f"after {memory[-1][0] / 60:.0f} minutes: {memory[-1][1]:.0f} MB")


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description="Asks a server for long while documents come and go.")
    parser.add_argument("--data", type=Path, required=True, metavar="DATA", help="a data folder with ingested documents; it is changed")
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--rate", type=int, default=20, metavar="N", help="requests a second")
    given = parser.parse_args()
    stalls, memory = list[float](), list[tuple[float, float]]()
    async with asked_server(given.data) as (server, questions):
        watching = [
            asyncio.create_task(_change_documents(server.url, questions)),
            asyncio.create_task(_watch_loop(server.url, stalls)),
            asyncio.create_task(_watch_memory(server, memory)),
        ]
        asked = await run(server.url, questions, given.rate, given.minutes * 60)
        failed = [task.exception() for task in watching if task.done()]
        for task in watching:
            task.cancel()
    if failed:
        raise RuntimeError("what went on beside the questions has failed") from failed[0]
    warm = [mb for at, mb in memory if at >= WARM_S]
    fifth = max(1, len(warm) // 5)
    first, last = median(warm[:fifth]), median(warm[-fifth:])
    print(f"{asked['errors']} errors of {asked['requests']}, first token p50 {asked['p50_ms']:.0f}, p95 {asked['p95_ms']:.0f} ms")
    print(f"memory {first:.0f} → {last:.0f} MB ({(last / first - 1) * 100:+.1f} %)")
    print(f"longest stalls {', '.join(f'{stall * 1000:.0f}' for stall in sorted(stalls)[-5:])} ms of {len(stalls)} beats")


if __name__ == "__main__":
    asyncio.run(_main())
