"""Measures the latency of retrieval with the question's vector given: the same steps as for answers, up to reading the hits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure, Setup, log_progress
from footnote.learn.golden import load_golden
from footnote.learn.ranking_metrics import percentile
from footnote.settings import Settings
from footnote.types import Request
from footnote_local.evaluate import CALLER, PROFILE, ROUNDS, TOP, build_index, time_retrieval

SET = "squad2"
QUESTIONS = 500
P50_MS, P95_MS = 2.0, 4.0
COMMAND = "python -m bench --only retrieval"


def measure(setup: Setup) -> Iterator[Figure]:
    p50, p95, cpu = asyncio.run(_measure(setup.need(SET), setup.cache))
    yield Figure(f"{SET}: retrieval p50, vector given, {TOP} passages", p50, "ms", COMMAND, most=P50_MS)
    yield Figure(f"{SET}: retrieval p95, vector given, {TOP} passages", p95, "ms", COMMAND, most=P95_MS)
    yield Figure(f"{SET}: processor time a question", cpu, "ms", COMMAND)


async def _measure(folder: Path, cache: Path) -> tuple[float, float, float]:
    """(p50, p95, processor time) in ms."""
    golden = load_golden(folder, limit=QUESTIONS)
    core, _ = await build_index(golden, Settings(), cache / "eval", lambda what, done, total: None)
    try:
        turns = [core.new_turn(Request(query.text, "default", limit=TOP), CALLER, PROFILE) for query in golden.queries]
        if core.embedder is not None:
            log_progress(f"Embedding {len(turns)} questions of {SET}")
            vectors = await core.embedder.embed([turn.request.question for turn in turns], query=True)
            turns = [turn.with_vectors((vector,), core.embedder.name) for turn, vector in zip(turns, vectors, strict=True)]
        cpu = time.process_time()
        times = await time_retrieval(core, turns)
        cpu = (time.process_time() - cpu) * 1000 / len(turns) / ROUNDS
        return percentile(times, 0.5), percentile(times, 0.95), cpu
    finally:
        await core.close()
