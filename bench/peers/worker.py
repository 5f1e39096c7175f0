"""One system, one job, one process: `python -m bench.peers.worker SYSTEM search|chat FOLDER LANG [MODEL_URL]` → one line of JSON."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from bench.peers.job import Chat, Job, Search

WARM_UP = 5
ALONE = 50
AT_ONCE, TOGETHER = 16, 320


async def time_search(search: Search, questions: list[str]) -> dict[str, Any]:
    """Searches every question once, one after the other; the parent process evaluates the results."""
    await search(questions[0])
    times, found = [], []
    for question in questions:
        started = time.perf_counter()
        ids = await search(question)
        times.append((time.perf_counter() - started) * 1000)
        found.append(list(ids))
    return {"times_ms": times, "found": found}


async def time_chat(chat: Chat, questions: list[str]) -> dict[str, Any]:
    """With one client, the time to the first piece. Then the throughput with AT_ONCE clients that ask without pauses."""

    async def ask(question: str) -> float:
        started, first, pieces = time.perf_counter(), 0.0, 0
        async for _ in chat(question):
            pieces += 1
            first = first or time.perf_counter() - started
        if not pieces:
            raise RuntimeError("an answer came without a piece")
        return first * 1000

    for question in questions[:WARM_UP]:
        await ask(question)
    alone = [await ask(question) for question in questions[WARM_UP : WARM_UP + ALONE]]
    waiting = iter([questions[i % len(questions)] for i in range(TOGETHER)])

    async def client() -> list[float]:
        return [await ask(question) for question in waiting]

    started = time.perf_counter()
    together = await asyncio.gather(*(client() for _ in range(AT_ONCE)))
    seconds = time.perf_counter() - started
    return {"first_ms": alone, "first_ms_together": [*chain(*together)], "answers_per_s": TOGETHER / seconds}


def peak_mb() -> float:
    """Peak memory of this process; `getrusage` would include that of its parent."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


async def work(system: str, part: str, job: Job) -> dict[str, Any]:
    started = time.perf_counter()
    module = import_module(f"bench.peers.with_{system}")
    imported = time.perf_counter()
    questions = job.questions
    before_mb = peak_mb()
    job.vector_of_passage, job.vector_of_question  # noqa: B018 - read before the clock starts
    started_making = time.perf_counter()
    made = getattr(module, f"make_{part}")(job)
    ready = time.perf_counter()
    measured = await (time_search(made, questions) if part == "search" else time_chat(made, questions))
    return {"import_s": imported - started, "make_s": ready - started_making, "import_mb": before_mb, "peak_mb": peak_mb(), **measured}


if __name__ == "__main__":
    name, what, folder, lang, *url = sys.argv[1:]
    print(json.dumps(asyncio.run(work(name, what, Job(Path(folder), lang, *url)))))
