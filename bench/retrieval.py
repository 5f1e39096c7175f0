"""How long does retrieval take, the question's vector given? The table that answers run, to the hits that are read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figures import Figure, Setup, tell
from footnote.guard.input_guard import clean_question
from footnote.learn.golden import load_golden
from footnote.learn.ranking_metrics import percentile
from footnote.pipeline import RETRIEVE
from footnote.ports import Embedder
from footnote.settings import Settings
from footnote.steps import Runner
from footnote.types import Turn
from footnote_local.evaluate import CALLER, DEPTH, PROFILE, build_index

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SET = "squad2"
QUESTIONS = 500
ROUNDS = 3
"""The figures are the middle round's: another process may have slowed one of them."""
P50_MS, P95_MS = 2.0, 4.0
COMMAND = "python -m bench --only retrieval"


class Known:
    """An embedder whose vectors were made before the clock runs."""

    def __init__(self, embedder: Embedder, vectors: dict[str, npt.NDArray[np.float32]]) -> None:
        self.name, self.dimension, self.languages = embedder.name, embedder.dimension, embedder.languages
        self._vectors = vectors

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        import numpy as np

        return np.stack([self._vectors[text] for text in texts])


def measure(setup: Setup) -> Iterator[Figure]:
    p50, p95, cpu = asyncio.run(_measure(setup.need(SET), setup.cache))
    yield Figure(f"{SET}: retrieval p50, vector given, {DEPTH} passages", p50, "ms", COMMAND, most=P50_MS)
    yield Figure(f"{SET}: retrieval p95, vector given, {DEPTH} passages", p95, "ms", COMMAND, most=P95_MS)
    yield Figure(f"{SET}: processor time a question", cpu, "ms", COMMAND)


async def _measure(folder: Path, cache: Path) -> tuple[float, float, float]:
    """(p50, p95, processor time) in ms of the round with the middle p50."""
    golden = load_golden(folder, limit=QUESTIONS)
    core, _ = await build_index(golden, Settings(), cache / "eval", lambda what, done, total: None)
    try:
        embedder = core.embedder
        ports = {"index": core.index, "embedder": embedder, "rag": core.settings.rag}
        questions = [query.text for query in golden.queries]
        if embedder is not None:
            tell(f"Embedding {len(questions)} questions of {SET}")
            texts = list({clean_question(question) for question in questions})
            ports["embedder"] = Known(embedder, dict(zip(texts, await embedder.embed(texts, query=True), strict=True)))
        runner = Runner(RETRIEVE, ports)
        rounds = sorted([await _round(runner, questions) for _ in range(ROUNDS)])
        return rounds[ROUNDS // 2]
    finally:
        await core.close()


async def _round(runner: Runner, questions: Sequence[str]) -> tuple[float, float, float]:
    times = []
    cpu = time.process_time()
    for question in questions:
        turn = Turn("bench", CALLER, PROFILE, question, "default", limit=DEPTH)
        started = time.perf_counter()
        await runner.finish(turn)
        times.append((time.perf_counter() - started) * 1000)
    cpu = (time.process_time() - cpu) * 1000 / len(questions)
    return percentile(times, 0.5), percentile(times, 0.95), cpu
