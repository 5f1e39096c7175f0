"""Measures the processor time of an answer over HTTP, by part.

Questions of squad2 are asked at `/ask/stream`, one after the other, with the built-in embedder and a model that answers at once on
connections in memory: network, pipeline and HTTP server all work in this process. A timer of processor time takes a sample every
`EVERY_S`; a sample belongs to the part of the innermost call that names one, on the thread that works.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from bench.counts.stubs import Connection, connect_to_model
from bench.figures import Figure, NotMeasured, Setup, log_progress
from bench.memory import index_of
from footnote.bootstrap import Core
from footnote.learn.golden import load_golden
from footnote.settings import LLM, Settings
from footnote.types import Stage
from footnote_local.server import create_app

SET, WARM, QUESTIONS = "squad2", 10, 200
EVERY_S = 0.001
COMMAND = "python -m bench --only turn_profile"

OF_FILES = (
    ("/adapters/openai/", "model client"),
    ("/openai/", "model client"),
    ("/httpx", "model client"),
    ("/httpcore", "model client"),
    ("/adapters/e5/", "embed"),
    ("/adapters/sqlite/index", "search"),
    ("/adapters/sqlite/vector", "search"),
    ("/adapters/sqlite/word", "search"),
    ("/adapters/sqlite/", "store"),
    ("/footnote/turn_records/", "store"),
    ("/footnote_query/", "SSE"),
    ("/uvicorn/", "HTTP"),
    ("/starlette/", "HTTP"),
    ("/fastapi/", "HTTP"),
    ("/footnote_http/", "HTTP"),
    ("/footnote_local/", "HTTP"),
    ("/footnote/plan.py", "plan"),
    ("/footnote/bootstrap/", "plan"),
    ("/footnote/steps/", "runner"),
)
"""What is in a path → its part, the first that fits. A call of any other file belongs to that of its caller."""
OF_STEPS = {"embed": "embed", "read": "read", "fuse": "fuse", "refine": "fuse"}
OF_STAGES = {
    Stage.GUARD: "guards",
    Stage.UNDERSTAND: "understand",
    Stage.MEMORY: "store",
    Stage.RETRIEVE: "search",
    Stage.RANK: "fuse",
    Stage.ANSWER: "answer",
    Stage.CHECK: "checks",
    Stage.ACCOUNT: "store",
}
"""The part of a step's own code, by its name or else its stage."""
PARTS = (
    "guards",
    "plan",
    "understand",
    "embed",
    "search",
    "fuse",
    "read",
    "answer",
    "model client",
    "checks",
    "store",
    "runner",
    "SSE",
    "HTTP",
)
OWN = "own"
"""The code of a step: the step names the part."""
WAITING = ("selectors.py", "threading.py", "queue.py", "concurrent/futures/thread.py")


@dataclass
class Profiler:
    """Samples of all threads. `parts`, `steps`: seconds by part and by step."""

    parts: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    steps: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _seen: float = 0.0

    def __enter__(self) -> Profiler:
        self._seen = time.process_time()
        signal.set_wakeup_fd(-1)  # else each sample is a turn of the event loop
        signal.signal(signal.SIGPROF, self._sample)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGPROF])
        signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _sample(self, _: int, here: FrameType | None) -> None:
        now = time.process_time()
        took, self._seen = now - self._seen, now
        main = threading.main_thread().ident
        frames = [here if ident == main else frame for ident, frame in sys._current_frames().items()]
        working = [frame for frame in frames if frame is not None and not frame.f_code.co_filename.endswith(WAITING)]
        for frame in working:
            part, step = _place(frame)
            self.parts[part] += took / len(working)
            if step:
                self.steps[step] += took / len(working)


def _place(frame: FrameType | None) -> tuple[str, str | None]:
    """(part, step) of a call."""
    part: str | None = None
    while frame is not None:
        code = frame.f_code
        if code.co_name == "_run_step" and code.co_filename.endswith("/steps/runner.py"):
            step = frame.f_locals["step"]
            own = OF_STEPS.get(step.name, OF_STAGES[step.stage])
            return (part if part and part != OWN else own), step.name
        named = next((name for piece, name in OF_FILES if piece in code.co_filename), None)
        part = part or named or (OWN if "/footnote/" in code.co_filename else None)
        frame = frame.f_back
    return (part if part and part != OWN else "event loop"), None


def measure(setup: Setup) -> Iterator[Figure]:
    """Yields the processor time of an answer, then that of each part."""
    golden = load_golden(setup.need(SET), limit=WARM + QUESTIONS)
    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(asyncio.run(index_of(golden, setup.cache)), data)
        log_progress(f"Asking {QUESTIONS} questions of {SET}")
        whole, profiler = asyncio.run(_ask(data, [query.text for query in golden.queries]))
    sampled = sum(profiler.parts.values())
    yield Figure("processor time of an answer over HTTP", whole / QUESTIONS * 1000, "ms", COMMAND)
    for name in (*PARTS, "event loop"):
        yield Figure(f"of it {name}", profiler.parts[name] / sampled * whole / QUESTIONS * 1000, "ms", COMMAND)
    for name, seconds in sorted(profiler.steps.items(), key=lambda step: -step[1])[:12]:
        log_progress(f"step {name}: {seconds / sampled * whole / QUESTIONS * 1000:.2f} ms")


async def _ask(data: Path, questions: list[str]) -> tuple[float, Profiler]:
    """(processor time in seconds, the samples)."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPROF])  # in the threads that start now: only the main one takes samples
    connect_to_model()
    import_module("openai")
    core = Core(Settings(footnote_data=data, llm=LLM(base_url="http://model.test/v1", model="stub", discover=False)))
    if core.embedder is None:
        raise NotMeasured("the built-in embedder is not installed")
    try:
        connection = Connection(create_app(core))
        for question in questions[:WARM]:
            await _post(connection, question)
        started = time.process_time()
        with Profiler() as profiler:
            for question in questions[WARM:]:
                await _post(connection, question)
            await core.answer.drain()
        return time.process_time() - started, profiler
    finally:
        await core.close()


async def _post(connection: Connection, question: str) -> None:
    body = {"query_text": question, "index_name": "default", "permission_groups": []}
    await connection.post("/ask/stream", json.dumps(body).encode())
