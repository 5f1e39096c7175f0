"""Measures answers beside the bare openai SDK on the same machine in the same minutes: the same stub model, and a prompt of the same size.

The ratios hold on faster and slower machines. `bench.peers` adds the other systems, which take 6 GB."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import Figure, Setup, log_progress
from bench.peers.environment import run_system, stub_model
from bench.peers.job import Job
from bench.peers.prepare import QUESTIONS, prepare
from footnote.learn.golden import load_golden
from footnote.learn.ranking_metrics import percentile

SET = "squad2"
COMMAND = "python -m bench --only beside_sdk"
TARGETS = {"footnote": ("in-process, with given vectors", 3.5, 0.55), "footnote_http": ("over HTTP, embedding", 9.0, 0.35)}
"""System → (its name in the table, first token at most, answers a second at least), in times of the SDK's."""


def measure(setup: Setup) -> Iterator[Figure]:
    """Yields the SDK's figures, then the ratios of each system to them."""
    golden = load_golden(setup.need(SET), limit=QUESTIONS)
    with TemporaryDirectory() as folder, stub_model() as model_url:
        job, _ = asyncio.run(prepare(golden, setup.cache, Path(folder) / SET))
        job = Job(job.folder, job.lang, model_url)
        first_ms, answers = _chat("openai_sdk", job)
        yield Figure("the bare SDK: first token, p50", first_ms, "ms", COMMAND)
        yield Figure("the bare SDK: answers a second, 16 clients", answers, "", COMMAND)
        for system, (name, most, least) in TARGETS.items():
            own_first_ms, own_answers = _chat(system, job)
            yield Figure(f"{name}: first token, times the SDK's", own_first_ms / first_ms, "", COMMAND, most=most)
            yield Figure(f"{name}: answers a second, share of the SDK's", own_answers / answers, "", COMMAND, least=least)


def _chat(system: str, job: Job) -> tuple[float, float]:
    """(p50 of the time to the first token in ms, answers a second with 16 clients)."""
    log_progress(f"{system} answers")
    measured = run_system(system, "chat", job, Path(sys.executable))
    return percentile(measured["first_ms"], 0.5), measured["answers_per_s"]
