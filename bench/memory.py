"""Measures the server's peak memory with squad2 indexed, after questions over HTTP."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import Figure, Setup, log_progress
from bench.server import serving
from footnote.learn.golden import GoldenSet, load_golden
from footnote.settings import Settings
from footnote_local.evaluate import build_index

SET = "squad2"
QUESTIONS = 50
MOST_MB = 350
COMMAND = "python -m bench --only memory"


def measure(setup: Setup) -> Iterator[Figure]:
    golden = load_golden(setup.need(SET), limit=QUESTIONS)
    index = asyncio.run(index_of(golden, setup.cache))
    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(index, data)  # turns of these questions do not belong in the cache
        with serving(data) as server:
            server.wait()
            start = server.peak_mb()
            log_progress(f"Asking {len(golden.queries)} questions of {SET}")
            for query in golden.queries:
                server.ask(query.text)
            peak = server.peak_mb()
    yield Figure(f"{SET}: peak memory of the server, {len(golden.queries)} questions", peak, "MB", COMMAND, most=MOST_MB)
    yield Figure("the same before the first question", start, "MB", COMMAND)


async def index_of(golden: GoldenSet, cache: Path) -> Path:
    """The data folder of the set's index, built once."""
    core, _ = await build_index(golden, Settings(), cache / "eval", lambda what, done, total: None)
    await core.close()
    return core.settings.data
